package render

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"runtime"
	"sync"

	"concilia/export"
	"concilia/export/control"
	"concilia/export/manifest"
	"concilia/export/proof"
	"concilia/export/report"
	"concilia/export/staging"
	"concilia/export/table"
)

// filePublisher proves the files of a set that is written, adds control to them and publishes all.
type filePublisher struct {
	*staging.Set
	target export.Target
}

// proveFiles reads every file back, several at once, and refuses the set when one of the three figures of any sum differs from the
// others.
func (p *filePublisher) proveFiles(context.Context) error {
	p.Result.Residuals = p.Identities
	for i := range p.Identities {
		if err := control.CheckIdentity(&p.Identities[i]); err != nil {
			return err
		}
	}
	if p.Job.Hooks.AfterWrite != nil {
		p.WaitForReaders()
		p.Job.Hooks.AfterWrite(p.Dir)
	}
	faults := make([]error, len(p.Files))
	var reading sync.WaitGroup
	turns := make(chan struct{}, min(runtime.GOMAXPROCS(0), maxReadBack))
	for i, f := range p.Files {
		turns <- struct{}{}
		reading.Go(func() {
			faults[i] = p.proveFile(f)
			<-turns
		})
	}
	reading.Wait()
	for _, err := range faults { // the first file in order is named, whichever was read first
		if err != nil {
			return err
		}
	}
	if p.Job.Extract {
		return p.nameExtract()
	}
	return nil
}

// maxReadBack is how many files of a set are read back at once: each takes buffers of its own.
const maxReadBack = 4

// proveFile reads a file back and compares it with its figures.
func (p *filePublisher) proveFile(f *staging.File) error {
	read, err := f.Read(f.Local)
	if err != nil {
		return &control.MismatchError{Figure: control.Figure{File: f.Stem + "." + f.Ext}, Problem: err}
	}
	if err := control.CompareReadBack(f.Figures, read); err != nil {
		return err
	}
	return p.nameAndHash(f)
}

// nameAndHash sets the published name of a file, and the hash and the size of what was written to it. It refuses a file that has other
// bytes by now: nothing vouches for them.
func (p *filePublisher) nameAndHash(f *staging.File) error {
	f.File.Path = fileName(p.Set, f.Stem, f.Ext)
	written := p.WrittenHash(f.Local)
	f.File.SHA256, f.File.Bytes = written.SHA256, written.Bytes
	is, err := staging.HashOf(f.Local)
	if err == nil && is != written {
		err = &control.MismatchError{Figure: control.Figure{File: f.Stem + "." + f.Ext}, Problem: fmt.Errorf(
			"it was changed after it was written: its SHA-256 is %s, that of what was written is %s", is.SHA256, written.SHA256)}
	}
	return err
}

// fileName returns the published name of a file of a set.
func fileName(s *staging.Set, what, ext string) string { return newManifest(s).FileName(what, ext) }

// nameExtract names the set and its files by the digest of its proof, which covers everything that they contain, so that files
// of the same name have the same bytes.
func (p *filePublisher) nameExtract() error {
	d := table.NewDigester(report.ControlTable)
	for _, row := range proof.Of(p.Set).ListRows(true) {
		if err := d.Add(row.Row); err != nil {
			return err
		}
	}
	p.Result.Set += manifest.ExtractPrefix + d.Sum()[:8]
	for _, f := range p.Files {
		f.File.Path = fileName(p.Set, f.Stem, f.Ext)
	}
	return nil
}

// writeControl writes the control table, after every other file has been read back.
func (p *filePublisher) writeControl(context.Context) error {
	if err := p.OpenTable(report.ControlTable); err != nil {
		return err
	}
	t := p.Tables[report.ControlTable.ID]
	rows := proof.Of(p.Set).ListRows(true)
	for i := range rows {
		if err := t.WriteInWords(rows[i].Row, control.RowInWords(&rows[i], p.Job.Language)); err != nil {
			return err
		}
	}
	if err := p.CloseTables(); err != nil {
		return err
	}
	for _, f := range p.TableFiles(report.ControlTable) {
		f.File.Sums = map[string]string{}
		read, err := f.Read(f.Local)
		if err != nil {
			return err
		}
		if n := read(control.Figure{Measure: "count"}).V; n != f.File.Rows*10_000 {
			return &control.MismatchError{
				Figure:  control.Figure{File: "control." + f.Ext},
				Problem: fmt.Errorf("%d rows were written, %d read back", f.File.Rows, n/10_000),
			}
		}
		p.Files = append(p.Files, f)
		if err := p.nameAndHash(f); err != nil {
			return err
		}
	}
	return nil
}

// publishFiles publishes the files, then the manifest that lists them, then the done marker.
func (p *filePublisher) publishFiles(ctx context.Context) error {
	m, res := newManifest(p.Set), &p.Result
	for _, f := range p.Files {
		m.Files = append(m.Files, f.File)
	}
	body, err := m.EncodeJSON()
	if err != nil {
		return err
	}
	sum := sha256.Sum256(body)
	done := manifest.DoneText(hex.EncodeToString(sum[:]), m.ManifestName())
	if p.Job.Extract {
		if res.Unchanged, err = p.isPublished(ctx, m.DoneName(), done); err != nil {
			return err
		}
	}
	for _, f := range p.Files {
		if err := p.putFile(ctx, f.File.Path, f.Local); err != nil {
			return err
		}
	}
	for _, last := range []struct{ name, text string }{{m.ManifestName(), string(body)}, {m.DoneName(), done}} {
		local := p.Path(last.name)
		if err := os.WriteFile(local, []byte(last.text), 0o644); err != nil {
			return err
		}
		if err := p.putFile(ctx, last.name, local); err != nil {
			return err
		}
	}
	res.Files, res.Manifest = m.Files, m.ManifestName()
	return nil
}

// newManifest returns the manifest of a set without its files.
func newManifest(s *staging.Set) *manifest.Manifest {
	j, res := s.Job, &s.Result
	m := &manifest.Manifest{
		Set: res.Set, Account: j.Account, Basis: j.Basis, From: j.Period.From, To: j.Period.To,
		Filter: j.Filter.Canonical(), Extract: j.Extract, Supersedes: res.Supersedes, Why: append([]string{}, res.Why...),
		Run: j.Facts.Run, AsOf: j.AsOf, ContentDigest: res.Digest, Withheld: []string{}, Documents: j.ShownDocumentHashes(), BankColumns: j.BankColumns,
	}
	if !j.Extract {
		m.Revision, m.Ledger = &res.Revision, manifest.ListChainEnds(j.Facts.Ledger)
	}
	if j.Movement != nil {
		m.Chain = j.Movement.NewChain()
	}
	for _, w := range j.Withheld {
		m.Withheld = append(m.Withheld, w.String())
	}
	return m
}

// isPublished reports whether the target has a file with that text.
func (p *filePublisher) isPublished(ctx context.Context, name, text string) (bool, error) {
	found, err := p.target.Publisher.Read(ctx, path.Join(p.Result.Dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && string(found) == text, err
}

func (p *filePublisher) putFile(ctx context.Context, name, local string) error {
	if err := p.target.Publisher.Put(ctx, path.Join(p.Result.Dir, name), local); err != nil {
		return fmt.Errorf("publish %s: %w", name, err)
	}
	return nil
}
