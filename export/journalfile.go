package export

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"concilia/export/control"
	"concilia/export/journal"
	"concilia/export/manifest"
	"concilia/export/readback"
	"concilia/export/report"
	"concilia/store/ledger"
)

// Journal is what a set of the journal shows besides its entries.
type Journal struct {
	Chart *journal.Chart
	// Set is the last set of the movement whose entries count.
	Set      int
	Balances []JournalBalance
	Ties     []JournalTie // with reports; of a period
	// Chained marks the journal in a set of the movement, which has the entries of that set alone, in formats of its own. First says
	// that no set before it has a journal.
	Chained, First bool
	Formats        []report.Format // if chained; else those of the job
}

// JournalBalance is what the journal has of a role and a brand. Skipped are the entries that the merchant's own system makes: they are
// in the balances and in no file.
type JournalBalance struct {
	journal.Balance
	SkippedDebits, SkippedCredits ledger.Amount
}

// JournalTie is a figure of the journal held against that of a report. The first line is the journal's and the last one the report's;
// those between explain the difference.
type JournalTie struct {
	Item  string
	Lines []JournalTieLine
	// Residual is what is left: zero.
	Residual ledger.Amount
}

// JournalTieLine is an amount of a tie.
type JournalTieLine struct {
	Measure string
	Amount  ledger.Amount
}

// contentDigest covers what files show that is in no row. A chart of maps is written in order of its keys.
func (j *Journal) contentDigest() string {
	text, err := json.Marshal(struct {
		Chart    *journal.Chart
		Balances []JournalBalance
		Ties     []JournalTie
	}{j.Chart, j.Balances, j.Ties})
	if err != nil {
		return err.Error() // no such value is in it
	}
	return digestOf(map[string]string{"journal": string(text)})
}

// computeResidual is what the entries have in excess of the rows: zero.
func (b *JournalBalance) computeResidual() ledger.Amount {
	if !b.Role.HasBalance() {
		return 0
	}
	return b.Opening + b.Debits + b.SkippedDebits - b.Credits - b.SkippedCredits - b.Closing
}

// newHead is what files begin and end with: the balances of what stands in them.
func (j *Journal) newHead(job *Job) *journal.Head {
	h := &journal.Head{Document: string(job.Block.Document), Period: job.Period, Chained: j.Chained, First: j.First}
	if j.Chained {
		h.Period.From = job.Movement.From
	}
	h.Account = accountNumber(job.Account)
	for i := range j.Balances {
		b := j.Balances[i].Balance
		b.Closing -= j.Balances[i].SkippedDebits - j.Balances[i].SkippedCredits
		h.Balances = append(h.Balances, b)
	}
	return h
}

func accountNumber(text string) (a ledger.Account) {
	_, _ = fmt.Sscan(text, &a)
	return a
}

// bookAccount is the account that a line of an entry is on.
func (j *Job) bookAccount(e *ledger.Entry, r ledger.Role) (code, path string) {
	a := j.Journal.Chart.AccountOf(e.Account, e.Brand, r)
	return a.Code, a.Path
}

// journalFile is a file of the journal in the format of an accountant's program.
type journalFile struct {
	format report.Format
	path   string
	file   *hashedFile
	out    *journal.Writer
}

// openJournals starts the files of the journal that are asked for.
func (r *rendering) openJournals() error {
	if r.job.Journal == nil {
		return nil
	}
	for _, f := range r.job.formatsOf(report.JournalKind) {
		if !f.IsOfBooks() {
			continue
		}
		x := &journalFile{format: f, path: r.stagingPath(string(report.JournalKind) + "." + f.Extension())}
		var err error
		if x.file, err = r.createFile(x.path); err != nil {
			return err
		}
		r.journals = append(r.journals, x)
		if x.out, err = journal.NewWriter(x.file, journal.Format(f), r.job.Journal.Chart, r.job.Journal.newHead(r.job)); err != nil {
			return err
		}
	}
	return nil
}

// journalIntake writes entries to the files; nil: there are none.
func (r *rendering) journalIntake() func(*ledger.Entry) error {
	if len(r.journals) == 0 {
		return nil
	}
	return func(e *ledger.Entry) error {
		for _, x := range r.journals {
			if err := x.out.Write(e); err != nil {
				return err
			}
		}
		return nil
	}
}

// closeJournals closes files that were not staged.
func (r *rendering) closeJournals() (err error) {
	for _, x := range r.journals {
		if x.file != nil {
			err = errors.Join(err, x.file.Close())
		}
		x.file = nil
	}
	return err
}

// journalEntries names the sums of the journal's entries: how many there are, their debits and their credits.
const journalEntries = "journal-entries"

// stageJournals ends the files, and refuses a journal that has other balances than the rows.
func (r *rendering) stageJournals(ctx context.Context) error {
	if r.job.Journal == nil {
		return nil
	}
	for i := range r.job.Journal.Balances {
		if b := &r.job.Journal.Balances[i]; !r.job.Journal.Chained && b.computeResidual() != 0 {
			rest := b.computeResidual()
			r.identities = append(r.identities, report.Identity{
				Name: "journal " + string(b.Role) + " " + b.Brand, Formula: "entries = rows", Printed: rest, Exact: rest,
			})
		}
	}
	if len(r.journals) == 0 {
		return nil
	}
	sums, err := r.source.Sums(ctx, journalEntries)
	if err != nil {
		return err
	}
	for _, x := range r.journals {
		err := errors.Join(x.out.Close(), x.file.Close())
		x.file = nil
		if err != nil {
			return fmt.Errorf("journal in %s: %w", x.format, err)
		}
		r.staged = append(r.staged, newStagedJournal(x, &sums))
	}
	return nil
}

func newStagedJournal(x *journalFile, sums *report.Sums) *stagedFile {
	item := string(report.JournalKind) + "." + x.format.Extension()
	written := readback.JournalFigures(x.out.Totals)
	f := &stagedFile{
		local: x.path, stem: string(report.JournalKind), ext: x.format.Extension(),
		read: func(path string) (func(control.Figure) ledger.Opt[int64], error) {
			var t journal.Totals
			err := readback.WithFile(path, func(in io.Reader) (err error) {
				t, err = journal.ReadTotals(in, journal.Format(x.format))
				return err
			})
			return readback.ByMeasure(readback.JournalFigures(t)), err
		},
		file: manifest.File{
			Kind: report.JournalKind, Format: x.format, LayoutVersion: 1, Rows: x.out.Totals.Entries, Sums: readback.JournalSums(x.out.Totals),
		},
	}
	for _, m := range []struct {
		id, unit string
		ledger   int64
	}{
		{"count", control.UnitCount, sums.Rows * 10_000},
		{"debit", control.UnitBRL, sums.Columns["debit"]},
		{"credit", control.UnitBRL, sums.Columns["credit"]},
	} {
		f.figures = append(f.figures, control.Figure{File: item, Measure: m.id, Unit: m.unit, Writer: written(m.id).V, Ledger: ledger.Some(m.ledger)})
	}
	return f
}

// listJournal lists what each role had, was debited and credited, and has, by the rows: what the entries have more is nothing.
func (p *setProof) listJournal(c *control.Writer) {
	j := p.job.Journal
	if j == nil {
		return
	}
	if !j.Chained {
		c.AddCount("set", "number", int64(j.Set))
	}
	c.AddText("set", "method", string(j.Chart.Method))
	c.AddText("set", "grain", string(j.Chart.Grain))
	var all JournalBalance
	for _, role := range ledger.Roles() {
		var b JournalBalance
		used := false
		for i := range j.Balances {
			if o := &j.Balances[i]; o.Role == role {
				used = true
				b.add(o)
			}
		}
		if !used {
			continue
		}
		all.add(&b)
		item := string(role)
		if role.HasBalance() && (!j.Chained || j.First) {
			c.AddMoney(item, "opening", b.Opening, control.Note{})
		}
		c.AddMoney(item, "debits", b.Debits, control.Note{})
		c.AddMoney(item, "credits", b.Credits, control.Note{})
		if b.SkippedDebits != 0 || b.SkippedCredits != 0 {
			c.AddMoney(item, "skipped debits", b.SkippedDebits, control.Note{})
			c.AddMoney(item, "skipped credits", b.SkippedCredits, control.Note{})
		}
		if b.Role = role; role.HasBalance() && !j.Chained {
			c.AddResidual(item, "closing", b.Closing, b.computeResidual(), control.Note{})
		}
	}
	c.AddResidual("all", "debits", all.Debits, all.Debits-all.Credits, control.Note{})
	listTies(c, j.Ties)
}

// listTies lists what ties the journal with reports: of each the residual stands beside the report's figure.
func listTies(c *control.Writer, ties []JournalTie) {
	for i := range ties {
		t := &ties[i]
		last := len(t.Lines) - 1
		for n, l := range t.Lines {
			switch {
			case n == last:
				c.AddResidual(t.Item, l.Measure, l.Amount, t.Residual, control.Note{})
			case n == 0 || l.Amount != 0:
				c.AddMoney(t.Item, l.Measure, l.Amount, control.Note{})
			}
		}
	}
}

// add adds another balance.
func (b *JournalBalance) add(o *JournalBalance) {
	b.Opening += o.Opening
	b.Debits += o.Debits
	b.Credits += o.Credits
	b.Closing += o.Closing
	b.SkippedDebits += o.SkippedDebits
	b.SkippedCredits += o.SkippedCredits
}
