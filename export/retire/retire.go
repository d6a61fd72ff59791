package retire

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"concilia/export/manifest"
	"concilia/export/report"
	"concilia/store/ledger"
)

// Retirement is files of a published revision that are older than their retention.
type Retirement struct {
	Account  string
	Basis    report.Basis
	Period   ledger.Period
	Filter   string // canonical
	Revision int
	Files    map[string]string // SHA-256 by name
	// ReplacedBy are the revisions that replaced the files; empty if the files show the state of a day.
	ReplacedBy []int
	On         ledger.Date // as-of of the run that deletes them
}

// Target is where the files are. Names are slash paths.
type Target interface {
	// Put copies the local file to name, whole or not at all.
	Put(ctx context.Context, name, local string) error
	// Read returns the whole of a small file, or an error that is fs.ErrNotExist.
	Read(ctx context.Context, name string) ([]byte, error)
	// Withdraw deletes a file. It does nothing if there is no such file.
	Withdraw(ctx context.Context, name string) error
}

// ErrRevisionMissing is returned if a target lacks a revision; nothing was deleted from it.
var ErrRevisionMissing = errors.New("the target does not have the revision")

// Retire deletes files of a published revision and returns their names. It writes a tombstone that names them, then deletes the
// done marker of the set, then the files, so that verify.CheckTree finds no fault if the process is killed in between. Manifest and
// tombstones stay. If the day has a tombstone already, of a run that was killed, only the files in it are deleted; the others
// are deleted on another day.
//
// The target must have the revision as the ledger recorded it, and the revisions that replaced it. Otherwise the error is
// ErrRevisionMissing, and nothing is deleted.
func Retire(ctx context.Context, p Target, staging string, r Retirement) ([]string, error) {
	sum, err := r.checkTarget(ctx, p)
	if err != nil {
		return nil, err
	}
	text := r.tombstoneText(sum)
	tombstonePath := r.tombstonePath(r.On)
	switch found, err := p.Read(ctx, tombstonePath); {
	case err == nil:
		text = string(found)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	default:
		local := filepath.Join(staging, path.Base(tombstonePath))
		if err := os.WriteFile(local, []byte(text), 0o644); err != nil {
			return nil, err
		}
		if err := p.Put(ctx, tombstonePath, local); err != nil {
			return nil, err
		}
	}
	_, retired, err := manifest.ReadTombstone(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", tombstonePath, err)
	}
	done := r.setPath("done")
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(r.Files)), func(name string) bool { return retired[name] != r.Files[name] })
	for _, name := range append([]string{done}, names...) {
		if err := p.Withdraw(ctx, path.Join(manifest.SetDir(r.Account, r.Basis, r.Period), path.Base(name))); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// checkTarget returns the hash of the manifest on the target. It fails if the manifest lists other files than the ledger
// recorded, or if the target lacks a revision that replaced them.
func (r *Retirement) checkTarget(ctx context.Context, p Target) (sum string, err error) {
	read := func(revision int) (*manifest.Manifest, string, error) {
		other := *r
		other.Revision = revision
		body, err := p.Read(ctx, other.setPath("manifest.json"))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, "", fmt.Errorf("%w %d", ErrRevisionMissing, revision)
		}
		hash := sha256.Sum256(body)
		var m manifest.Manifest
		if err == nil {
			err = json.Unmarshal(body, &m)
		}
		return &m, hex.EncodeToString(hash[:]), err
	}
	for _, later := range r.ReplacedBy {
		if _, _, err := read(later); err != nil {
			return "", err
		}
	}
	m, sum, err := read(r.Revision)
	if err != nil {
		return "", err
	}
	listed := make(map[string]string)
	for _, f := range m.Files {
		listed[f.Path] = f.SHA256
	}
	for name, want := range r.Files {
		if listed[name] != want {
			return "", fmt.Errorf("%s of revision %d: its manifest on the target says %q, and the ledger %s", name, r.Revision, listed[name], want)
		}
	}
	return sum, nil
}

// Restore deletes the tombstones of those days after a revision was written again. It calls note before, which records that in
// the ledger, unless the target has no such tombstone.
func Restore(ctx context.Context, p Target, r Retirement, days []ledger.Date, note func() error) error {
	var tombstonePaths []string
	for _, on := range days {
		switch _, err := p.Read(ctx, r.tombstonePath(on)); {
		case err == nil:
			tombstonePaths = append(tombstonePaths, r.tombstonePath(on))
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	if len(tombstonePaths) == 0 {
		return nil // another target: its files were never deleted
	}
	// Recorded first: a tombstone of files that exist does no harm, but files missing from the ledger would never be deleted.
	if err := note(); err != nil {
		return err
	}
	for _, tombstonePath := range tombstonePaths {
		if err := p.Withdraw(ctx, tombstonePath); err != nil {
			return err
		}
	}
	return nil
}

// setPath is the path of a file of the set's own below the target.
func (r *Retirement) setPath(ext string) string {
	return path.Join(manifest.SetDir(r.Account, r.Basis, r.Period), manifest.Name("set", r.Account, r.Basis, r.Period, r.Filter, r.Revision, ext))
}

func (r *Retirement) tombstonePath(on ledger.Date) string {
	return r.setPath(on.Compact() + ".retired")
}

// tombstoneText returns a line for the manifest and one for each deleted file, in the format of sha256sum.
func (r *Retirement) tombstoneText(sum string) string {
	var b strings.Builder
	b.WriteString(manifest.DoneText(sum, r.setPath("manifest.json")))
	for _, name := range slices.Sorted(maps.Keys(r.Files)) {
		b.WriteString(manifest.DoneText(r.Files[name], name))
	}
	return b.String()
}
