package export

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
	"regexp"
	"slices"
	"strings"

	"concilia/export/report"
	"concilia/store/ledger"
)

// Retirement is files of a published revision that are past their days.
type Retirement struct {
	Account  string
	Basis    report.Basis
	Period   ledger.Period
	Filter   string // canonical
	Revision int
	Files    map[string]string // SHA-256 by name
	// ReplacedBy are the revisions that replaced the files; none: they show the state of a day.
	ReplacedBy []int
	On         ledger.Date // as-of of the run that takes them away
}

// ErrRevisionMissing says that a target lacks a revision: nothing was taken away from it.
var ErrRevisionMissing = errors.New("the target does not have the revision")

// Retire takes files of a published revision away and returns their names. A tombstone that names them is put first, then
// the mark of the set goes, then they do: killed anywhere, Verify finds no fault. Manifest and tombstones stay. A
// tombstone of the day that is there already, a killed run's, is held to: what it does not name goes another day.
//
// The target has to have the revision as it is remembered, and those that replaced it; else ErrRevisionMissing, and nothing goes.
func Retire(ctx context.Context, p Publisher, staging string, r Retirement) ([]string, error) {
	manifest, err := r.checkTarget(ctx, p)
	if err != nil {
		return nil, err
	}
	text := r.tombstoneText(manifest)
	stone := r.tombstonePath(r.On)
	switch found, err := p.Read(ctx, stone); {
	case err == nil:
		text = string(found)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	default:
		local := filepath.Join(staging, path.Base(stone))
		if err := os.WriteFile(local, []byte(text), 0o644); err != nil {
			return nil, err
		}
		if err := p.Put(ctx, stone, local); err != nil {
			return nil, err
		}
	}
	_, gone, err := readTombstone(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", stone, err)
	}
	done := r.setPath("done")
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(r.Files)), func(name string) bool { return gone[name] != r.Files[name] })
	for _, name := range append([]string{done}, names...) {
		if err := p.Withdraw(ctx, path.Join(Dir(r.Account, r.Period), path.Base(name))); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// checkTarget gives the hash of the manifest of the revision, when the target has it with the files as they are remembered,
// and those of the revisions after it.
func (r *Retirement) checkTarget(ctx context.Context, p Publisher) (sum string, err error) {
	read := func(revision int) (*Manifest, string, error) {
		other := *r
		other.Revision = revision
		body, err := p.Read(ctx, other.setPath("manifest.json"))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, "", fmt.Errorf("%w %d", ErrRevisionMissing, revision)
		}
		hash := sha256.Sum256(body)
		var m Manifest
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

// Restore takes the tombstones of those days away when a revision was written again, after note has remembered that. A
// target without any has nothing to be remembered of.
func Restore(ctx context.Context, p Publisher, r Retirement, days []ledger.Date, note func() error) error {
	var stones []string
	for _, on := range days {
		switch _, err := p.Read(ctx, r.tombstonePath(on)); {
		case err == nil:
			stones = append(stones, r.tombstonePath(on))
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	if len(stones) == 0 {
		return nil // another target: what is here was never taken away
	}
	// Noted first: a tombstone that outlives its files does no harm, files that nobody looks after would stay for ever.
	if err := note(); err != nil {
		return err
	}
	for _, stone := range stones {
		if err := p.Withdraw(ctx, stone); err != nil {
			return err
		}
	}
	return nil
}

// setPath is the path of a file of the set's own below the target.
func (r *Retirement) setPath(ext string) string {
	return path.Join(Dir(r.Account, r.Period), Name("set", r.Account, r.Basis, r.Period, r.Filter, r.Revision, ext))
}

func (r *Retirement) tombstonePath(on ledger.Date) string {
	return r.setPath(on.Compact() + ".retired")
}

// tombstoneText is a line for the manifest and one for each file that goes, as sha256sum prints them.
func (r *Retirement) tombstoneText(manifest string) string {
	var b strings.Builder
	b.WriteString(DoneText(manifest, r.setPath("manifest.json")))
	for _, name := range slices.Sorted(maps.Keys(r.Files)) {
		b.WriteString(DoneText(r.Files[name], name))
	}
	return b.String()
}

// tombstonePattern is the name of a tombstone.
var tombstonePattern = regexp.MustCompile(
	`^set_((?:\d+|all)_[a-z]+_\d{8}_\d{8}(?:_f[0-9a-f]{8})?_r\d+)\.(\d{8})\.retired$`)

var tombstoneLine = regexp.MustCompile(`^([0-9a-f]{64})  ([^/\\]+)$`)

// readTombstone gives the hash of the manifest, and those of the files that went, by name.
func readTombstone(text string) (manifest string, gone map[string]string, err error) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	gone = make(map[string]string)
	for i, line := range lines {
		m := tombstoneLine.FindStringSubmatch(line)
		switch {
		case m == nil:
			return "", nil, fmt.Errorf("line %d is %.100q, should be a SHA-256 and a name", i+1, line)
		case i == 0:
			manifest = m[1]
		default:
			gone[m[2]] = m[1]
		}
	}
	if len(gone) == 0 {
		return "", nil, errors.New("names no file that was taken away")
	}
	return manifest, gone, nil
}
