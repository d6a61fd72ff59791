package reportset

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"

	"concilia/export"
	"concilia/export/report"
	"concilia/jobs/source"
	"concilia/store/ledger"
	"concilia/store/published"
)

// SaleDays is what the last revision of a set left of its sale days, and what they are read from now.
type SaleDays struct {
	states map[ledger.Date]string
	kept   []export.KeptDay // nothing when no day of it can be used
}

// minKeptRows is the default of Settings.DaysFromRows.
const minKeptRows = 5_000

// FindSaleDays reads what the current revision of a set left of its sale days, and names the states that these have now. It returns nil
// for a set of which that is not kept: its sale days are not its own, or what it follows from is not known.
func (b *Builder) FindSaleDays(ctx context.Context, states *States, job *export.Job, current *published.Set) (*SaleDays, error) {
	if b.Set.Basis != report.ByOperation || b.Set.IsOfAllAccounts() || b.Set.Filter.Canonical() != "" || !b.Set.hasState(job.Kinds) {
		return nil, nil
	}
	inputs, err := export.InputsOf(job)
	if err != nil {
		return nil, err
	}
	rows, err := states.findState(ctx, b, b.Set.Accounts[0].Number)
	if err != nil {
		return nil, err
	}
	out := &SaleDays{states: make(map[ledger.Date]string)}
	for d := b.Set.Period.From; d <= b.Set.Period.To; d++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s", b.Run.ProgramVersion, inputs, rows.OfSaleDay(d)))
		out.states[d] = hex.EncodeToString(sum[:])
	}
	if current == nil || current.RemovedOn != 0 || b.Set.EveryRow {
		return out, nil
	}
	body, err := b.Ledger.DaysOf(ctx, current)
	if err != nil || body == nil {
		return out, err
	}
	isSame := func(k export.KeptDay) bool { return k.State == out.states[k.Day] }
	if kept := decodeDays(body); len(kept) == b.Set.Period.Days() && slices.ContainsFunc(kept, isSame) {
		out.kept = kept
	}
	return out, nil
}

// ListFiles returns the files of the current revision from which lines are copied, by their names without the set's. ok is false if the
// revision lacks one.
func (d *SaleDays) ListFiles(current *published.Set) (files map[string]*published.File, ok bool) {
	if len(d.kept) == 0 {
		return nil, false
	}
	there := make(map[string]*published.File)
	for i := range current.Files {
		f := &current.Files[i]
		stem, _, _ := strings.Cut(path.Base(f.Path), "_")
		there[stem+"."+report.Format(f.Format).Extension()] = f
	}
	files = make(map[string]*published.File)
	for i := range d.kept {
		for table, lines := range d.kept[i].Tables {
			for ext, size := range lines.Bytes {
				name := table + "." + ext
				if size > 0 && there[name] == nil {
					return nil, false
				}
				if size > 0 {
					files[name] = there[name]
				}
			}
		}
	}
	return files, len(files) > 0
}

// Use has the rows of a set read by days: those that did not move are copied from files of the current revision that lie on this
// machine. Without paths every day is read.
func (d *SaleDays) Use(job *export.Job, rows *source.ReportSource, paths map[string]string) {
	job.SaleDays = &export.SaleDays{Account: rows.Accounts[0], States: d.states, Read: rows.InstallmentsOf}
	if len(paths) > 0 {
		job.SaleDays.Kept, job.SaleDays.Files = d.kept, paths
	}
}

// EncodeDays returns what is kept of the sale days of a rendered set; nothing for a small one.
func (b *Builder) EncodeDays(days []export.KeptDay) ([]byte, error) {
	rows := int64(0)
	for i := range days {
		for _, lines := range days[i].Tables {
			rows += lines.Rows
		}
	}
	if rows < int64(cmp.Or(b.Reports.DaysFromRows, minKeptRows)) {
		return nil, nil
	}
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	if err == nil {
		err = json.NewEncoder(w).Encode(days)
	}
	if err == nil {
		err = w.Close()
	}
	return out.Bytes(), err
}

// decodeDays reads what EncodeDays returned; nothing of what another program wrote.
func decodeDays(body []byte) (days []export.KeptDay) {
	r, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil
	}
	text, err := io.ReadAll(r)
	if err != nil || json.Unmarshal(text, &days) != nil {
		return nil
	}
	return days
}
