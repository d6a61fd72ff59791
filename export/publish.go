package export

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"concilia/export/control"
	"concilia/export/manifest"
	"concilia/export/report"
	"concilia/export/table"
)

// proveFiles reads every file back and refuses the set when one of the three figures of any sum differs from the others.
func (r *rendering) proveFiles(context.Context) error {
	for i := range r.identities {
		if err := control.CheckIdentity(&r.identities[i]); err != nil {
			return err
		}
	}
	if r.job.afterWrite != nil {
		r.job.afterWrite(r.dir)
	}
	for _, f := range r.staged {
		read, err := f.read(f.local)
		if err != nil {
			return &control.MismatchError{Figure: control.Figure{File: f.stem + "." + f.ext}, Problem: err}
		}
		if err := control.CompareReadBack(f.figures, read); err != nil {
			return err
		}
		if err := r.nameAndHash(f); err != nil {
			return err
		}
	}
	if r.job.Extract {
		return r.nameExtract()
	}
	return nil
}

// nameAndHash sets the published name of a file, and the hash and the size of what was written to it. It refuses a file that has other
// bytes by now: nothing vouches for them.
func (r *rendering) nameAndHash(f *stagedFile) error {
	f.file.Path = r.fileName(f.stem, f.ext)
	written := r.written[f.local]
	f.file.SHA256, f.file.Bytes = written.sum, written.size
	is, err := hashFile(f.local)
	if err == nil && is != written {
		err = &control.MismatchError{Figure: control.Figure{File: f.stem + "." + f.ext}, Problem: fmt.Errorf(
			"it was changed after it was written: its SHA-256 is %s, that of what was written is %s", is.sum, written.sum)}
	}
	return err
}

// fileName returns the published name of a file of the set.
func (r *rendering) fileName(what, ext string) string { return r.newManifest().FileName(what, ext) }

// nameExtract names the set and its files by the digest of its proof, which covers everything that they contain, so that files
// of the same name have the same bytes.
func (r *rendering) nameExtract() error {
	d := table.NewDigester(report.ControlTable)
	for _, row := range r.collectProof().listRows(true) {
		if err := d.Add(row.Row); err != nil {
			return err
		}
	}
	r.result.Set += manifest.ExtractPrefix + d.Sum()[:8]
	for _, f := range r.staged {
		f.file.Path = r.fileName(f.stem, f.ext)
	}
	return nil
}

// writeControl writes the control table, after every other file has been read back.
func (r *rendering) writeControl(context.Context) error {
	if err := r.openTable(report.ControlTable); err != nil {
		return err
	}
	t := r.tables[report.ControlTable.ID]
	rows := r.collectProof().listRows(true)
	for i := range rows {
		if err := t.addRowWithWords(rows[i].Row, control.RowInWords(&rows[i], r.job.Language)); err != nil {
			return err
		}
	}
	if err := r.closeTables(); err != nil {
		return err
	}
	for _, w := range t.writtenFormats() {
		f := r.stageTable(t.table, w, nil)
		f.file.Sums = map[string]string{}
		read, err := f.read(f.local)
		if err != nil {
			return err
		}
		if n := read(control.Figure{Measure: "count"}).V; n != w.sums.Rows*10_000 {
			return &control.MismatchError{
				Figure:  control.Figure{File: "control." + f.ext},
				Problem: fmt.Errorf("%d rows were written, %d read back", w.sums.Rows, n/10_000),
			}
		}
		r.staged = append(r.staged, f)
		if err := r.nameAndHash(f); err != nil {
			return err
		}
	}
	return nil
}

// collectProof returns the proof of the set in its current state.
func (r *rendering) collectProof() *setProof {
	p := &setProof{
		job: r.job, digest: r.result.Digest, revision: r.result.Revision, result: &r.result, ediOmissions: r.ediOmissions,
		identityResults: r.identities, withoutDate: r.withoutDate, verdict: r.verdict, accountFacts: r.accounts,
	}
	if r.statement != nil {
		p.changedStatements = r.statement.changed
	}
	for _, k := range r.job.Kinds {
		for _, t := range k.Tables() {
			if f := r.tables[t.ID]; f != nil && k != report.ControlKind {
				p.counters = append(p.counters, f.writtenCounter())
			}
		}
	}
	for _, f := range r.staged {
		p.files = append(p.files, f.file)
		for _, x := range f.figures {
			if !x.Unlisted {
				p.figures = append(p.figures, x)
			}
		}
	}
	if r.summary != nil {
		p.accountTotals = r.summary.AccountTotals()
	}
	r.result.Residuals = r.identities
	return p
}

// publishFiles publishes the files, then the manifest that lists them, then the done marker.
func (r *rendering) publishFiles(ctx context.Context) error {
	m, res := r.newManifest(), &r.result
	for _, f := range r.staged {
		m.Files = append(m.Files, f.file)
	}
	body, err := m.EncodeJSON()
	if err != nil {
		return err
	}
	sum := sha256.Sum256(body)
	done := manifest.DoneText(hex.EncodeToString(sum[:]), m.ManifestName())
	if r.job.Extract {
		if res.Unchanged, err = r.isPublished(ctx, m.DoneName(), done); err != nil {
			return err
		}
	}
	for _, f := range r.staged {
		if err := r.putFile(ctx, f.file.Path, f.local); err != nil {
			return err
		}
	}
	for _, last := range []struct{ name, text string }{{m.ManifestName(), string(body)}, {m.DoneName(), done}} {
		local := r.stagingPath(last.name)
		if err := os.WriteFile(local, []byte(last.text), 0o644); err != nil {
			return err
		}
		if err := r.putFile(ctx, last.name, local); err != nil {
			return err
		}
	}
	res.Files, res.Manifest = m.Files, m.ManifestName()
	return nil
}

// newManifest returns the manifest of the set without its files.
func (r *rendering) newManifest() *manifest.Manifest {
	j, res := r.job, &r.result
	m := &manifest.Manifest{
		Set: res.Set, Account: j.Account, Basis: j.Basis, From: j.Period.From, To: j.Period.To,
		Filter: j.Filter.Canonical(), Extract: j.Extract, Supersedes: res.Supersedes, Why: append([]string{}, res.Why...),
		Run: j.Facts.Run, AsOf: j.AsOf, ContentDigest: res.Digest, Withheld: []string{}, Documents: j.shownDocumentHashes(),
	}
	if !j.Extract {
		m.Revision, m.Ledger = &res.Revision, manifest.ListChainEnds(j.Facts.Ledger)
	}
	if j.Movement != nil {
		m.Chain = j.Movement.newChain()
	}
	for _, w := range j.Withheld {
		m.Withheld = append(m.Withheld, w.String())
	}
	return m
}

// isPublished reports whether the target has a file with that text.
func (r *rendering) isPublished(ctx context.Context, name, text string) (bool, error) {
	found, err := r.target.Publisher.Read(ctx, path.Join(r.result.Dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && string(found) == text, err
}

func (r *rendering) putFile(ctx context.Context, name, local string) error {
	if err := r.target.Publisher.Put(ctx, path.Join(r.result.Dir, name), local); err != nil {
		return fmt.Errorf("publish %s: %w", name, err)
	}
	return nil
}
