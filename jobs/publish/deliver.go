package publish

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"concilia/export/manifest"
	archive "concilia/export/publish"
	"concilia/export/report"
	"concilia/export/words"
	"concilia/store/published"
)

// Deliver copies a recorded revision to the target and ends its delivery. from has the files if they were just
// rendered; files that it lacks, or all if it is nil, come from the archive. If the target is unreachable the delivery
// waits, Gone returns why, and there is no error. Any other error than one of the archive concerns this revision only.
func (s *Session) Deliver(ctx context.Context, kept *published.Set, from *Outgoing) error {
	d := &delivery{s, kept, from}
	if err := d.putManifest(ctx); err != nil {
		return err
	}
	if s.gone != nil {
		return nil
	}
	err := d.copyAll(ctx)
	if err == nil {
		err = s.NoteDelivered(ctx, kept)
	}
	if s.noteTargetGone(ctx, err) {
		return nil
	}
	return err
}

// delivery copies one revision to the target.
type delivery struct {
	*Session
	kept *published.Set
	from *Outgoing // has its files if they were just rendered; nil: the archive has them
}

// Copy copies a revision from the archive to the target without recording it.
func (s *Session) Copy(ctx context.Context, kept *published.Set) error {
	return (&delivery{s, kept, nil}).copyAll(ctx)
}

// IsLostInArchive reports whether Copy failed because a file is not in the archive as it was published.
func IsLostInArchive(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, archive.ErrDamaged)
}

// NoteDelivered records that the target has a revision.
func (s *Session) NoteDelivered(ctx context.Context, kept *published.Set) error {
	err := s.Ledger.Delivered(ctx, kept, s.Place, s.Wall())
	kept.Waiting = kept.Waiting && err != nil
	return err
}

// putManifest stores the manifest of a recorded revision by its name and notes its number in the archive.
func (d *delivery) putManifest(ctx context.Context) error {
	local, drop, err := d.localCopy(ctx, &d.kept.Manifest)
	if err != nil {
		return err
	}
	defer drop()
	if err := d.Archive.PutManifest(ctx, path.Base(d.kept.Manifest.Path), local); err != nil {
		return err
	}
	if d.kept.Number <= d.known.Publication {
		return nil
	}
	d.known.Publication = d.kept.Number
	return d.Archive.Note(ctx, d.Staging, archive.ArchiveIdentity{Ledger: d.known.Ledger, Publication: d.kept.Number})
}

// copyAll copies the files of a revision to the target, then the manifest, its signature if there is a key, and the done marker.
func (d *delivery) copyAll(ctx context.Context) error {
	for _, f := range d.kept.All() {
		if err := d.copyFile(ctx, f); err != nil {
			return err
		}
	}
	if err := d.putSignature(ctx); err != nil {
		return err
	}
	done := DoneName(d.kept)
	local := filepath.Join(d.Staging, path.Base(done))
	if err := os.WriteFile(local, []byte(manifest.DoneText(d.kept.Manifest.SHA256, d.kept.Manifest.Path)), 0o600); err != nil {
		return d.StagingFailed(err)
	}
	defer func() { _ = os.Remove(local) }() // if this fails, it is removed with the staging folder
	return d.putFile(ctx, done, local)
}

// putSignature signs the manifest of a revision and copies the signature to the target. One that lies there and fits the manifest
// stays: it was made with an earlier key.
func (d *delivery) putSignature(ctx context.Context) error {
	if d.SigningKey == nil {
		return nil
	}
	local, drop, err := d.localCopy(ctx, &d.kept.Manifest)
	if err != nil {
		return err
	}
	defer drop()
	body, err := os.ReadFile(local)
	if err != nil {
		return d.StagingFailed(err)
	}
	name := manifest.SignatureName(d.kept.Manifest.Path)
	if there, err := d.Target.Read(ctx, name); err == nil && manifest.CheckSignature(nil, body, there) == nil {
		return nil
	}
	signature := filepath.Join(d.Staging, path.Base(name))
	if err := os.WriteFile(signature, []byte(manifest.Sign(d.SigningKey, body)), 0o600); err != nil {
		return d.StagingFailed(err)
	}
	defer func() { _ = os.Remove(signature) }() // if this fails, it is removed with the staging folder
	return d.putFile(ctx, name, signature)
}

func (d *delivery) copyFile(ctx context.Context, f *published.File) error {
	if sent, err := d.sendRendered(ctx, f); sent || err != nil {
		return err
	}
	local, drop, err := d.localCopy(ctx, f)
	if err != nil {
		return err
	}
	defer drop()
	return d.putFile(ctx, f.Path, local)
}

// hashedTarget is a target that hashes what it sends, so that a file need not be read once more for it.
type hashedTarget interface {
	// PutHashed publishes the local file under name if it has the SHA-256, in hex; published is false if it does not.
	PutHashed(ctx context.Context, name, local, sum string) (published bool, err error)
}

// sendRendered copies a file that was just rendered to a target that hashes what it sends, if it still has the bytes that were archived.
func (d *delivery) sendRendered(ctx context.Context, f *published.File) (sent bool, err error) {
	target, hashes := d.Target.(hashedTarget)
	if !hashes || d.from == nil {
		return false, nil
	}
	if err := d.Allowed(ctx); err != nil {
		return false, err
	}
	err = d.retryTarget(ctx, func() (err error) {
		sent, err = target.PutHashed(ctx, f.Path, d.from.localPath(f.Path), f.SHA256)
		return err
	})
	return sent, err
}

func (s *Session) putFile(ctx context.Context, name, local string) error {
	if err := s.Allowed(ctx); err != nil {
		return err
	}
	return s.retryTarget(ctx, func() error { return s.Target.Put(ctx, name, local) })
}

// localCopy returns the path of a file's uncompressed bytes on this machine; drop removes what was fetched for it. A file of from that
// no longer has the bytes that were archived is left alone: what is sent is what was hashed.
func (d *delivery) localCopy(ctx context.Context, f *published.File) (local string, drop func(), err error) {
	if d.from != nil {
		if sum, err := hashFile(d.from.localPath(f.Path)); err == nil && sum == f.SHA256 {
			return d.from.localPath(f.Path), func() {}, nil
		}
	}
	local = filepath.Join(d.Staging, "fetched-"+path.Base(f.Path))
	return local, func() { _ = os.Remove(local) }, d.Archive.Fetch(ctx, f.SHA256, local)
}

// FetchAll copies files from the archive into the staging folder and returns their paths by name; each has the bytes that were
// published. drop removes them. After an error there are none.
func (s *Session) FetchAll(ctx context.Context, files map[string]*published.File) (paths map[string]string, drop func(), err error) {
	dir, err := os.MkdirTemp(s.Staging, "current-")
	if err != nil {
		return nil, func() {}, s.StagingFailed(words.NewFault("publish_fault.staging", "", "cause", err))
	}
	drop = func() { _ = os.RemoveAll(dir) } // if this fails, it is removed with the staging folder
	paths = make(map[string]string, len(files))
	for name, f := range files {
		paths[name] = filepath.Join(dir, name)
		if err := s.Archive.Fetch(ctx, f.SHA256, paths[name]); err != nil {
			drop()
			return nil, func() {}, err
		}
	}
	return paths, drop, nil
}

// hashFile is the SHA-256 of a file, hex.
func hashFile(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	h := sha256.New()
	_, err = io.Copy(h, file)
	return hex.EncodeToString(h.Sum(nil)), err
}

// retryTarget calls the target, again if that may help.
func (s *Session) retryTarget(ctx context.Context, ask func() error) error {
	err := ask()
	for n := 1; err != nil && s.Retry != nil && s.Unreachable != nil && s.Unreachable(err) && s.Retry(ctx, n, err); n++ {
		err = ask()
	}
	return err
}

// noteTargetGone reports whether an error means that the target is unreachable, and remembers it.
func (s *Session) noteTargetGone(ctx context.Context, err error) bool {
	if err == nil || ctx.Err() != nil || IsArchiveError(err) || s.Unreachable == nil || !s.Unreachable(err) {
		return false
	}
	s.gone = err
	return true
}

// Sweep removes from the target what killed processes left there, and finds out whether it is reachable.
func (s *Session) Sweep(ctx context.Context) error {
	err := s.retryTarget(ctx, func() error {
		_, release, err := s.Target.Stage(ctx)
		if err == nil {
			release()
		}
		return err
	})
	if s.noteTargetGone(ctx, err) {
		return nil
	}
	return err
}

// Lacks reports whether the target, which is reachable, does not have a revision that was delivered: its files were
// moved away, the share is not mounted, or reports.out was changed. Files that were deleted by retention are not
// lacking.
func (p *Publisher) Lacks(ctx context.Context, kept *published.Set) bool {
	if kept == nil || kept.Waiting || kept.RetiredOn != 0 || len(kept.Files) == 0 {
		return false
	}
	return !p.Has(ctx, kept)
}

// Has reports whether the target has the done marker of a revision, or cannot be read.
func (p *Publisher) Has(ctx context.Context, kept *published.Set) bool {
	_, err := p.Target.Read(ctx, DoneName(kept))
	return !errors.Is(err, fs.ErrNotExist)
}

// DoneName is the path of the file that ends a revision's files.
func DoneName(kept *published.Set) string {
	return path.Join(manifest.SetDir(kept.Account, report.Basis(kept.Basis), kept.Period),
		manifest.Name("set", kept.Account, report.Basis(kept.Basis), kept.Period, kept.Filter, kept.Revision, "done"))
}

// Writer is the target as an export.Publisher that retries.
type Writer struct{ s *Publisher }

// NewWriter returns the target as a Writer.
func (p *Publisher) NewWriter() *Writer { return &Writer{p} }

func (w *Writer) retryTarget(ctx context.Context, ask func() error) error {
	return (&Session{Publisher: w.s}).retryTarget(ctx, ask)
}

// Stage creates a staging directory of the target.
func (w *Writer) Stage(ctx context.Context) (dir string, release func(), err error) {
	release = func() {}
	err = w.retryTarget(ctx, func() error {
		d, r, err := w.s.Target.Stage(ctx)
		if err == nil {
			dir, release = d, r
		}
		return err
	})
	return dir, release, err
}

// Put publishes a file.
func (w *Writer) Put(ctx context.Context, name, local string) error {
	return w.retryTarget(ctx, func() error { return w.s.Target.Put(ctx, name, local) })
}

// Replace puts a small file in the place of what may lie under its name.
func (w *Writer) Replace(ctx context.Context, name, local string) error {
	return w.retryTarget(ctx, func() error { return w.s.Target.Replace(ctx, name, local) })
}

// Read reads a small published file.
func (w *Writer) Read(ctx context.Context, name string) (body []byte, err error) {
	err = w.retryTarget(ctx, func() (err error) {
		body, err = w.s.Target.Read(ctx, name)
		return err
	})
	return body, err
}

// Withdraw removes a published file.
func (w *Writer) Withdraw(ctx context.Context, name string) error {
	return w.retryTarget(ctx, func() error { return w.s.Target.Withdraw(ctx, name) })
}
