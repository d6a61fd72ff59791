package publish

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"time"

	archive "concilia/export/publish"
	"concilia/export/words"
	"concilia/store/ledger"
	"concilia/store/published"
)

// orphanAge is how old a file of the archive that no revision names must be before it is removed: until then, a run
// that was killed between archive and ledger may be continued and find its files again.
const orphanAge = 24 * time.Hour

// RemoveOld removes from the archive the files of the revisions that were published before an instant and that the
// target no longer has. Revisions for which spared reports true stay, and so do files that another revision needs. It
// returns how many files were removed. If it is killed, the next run continues.
func (s *Session) RemoveOld(ctx context.Context, before time.Time, on ledger.Date, spared func(*published.Set) bool) (removed int64, err error) {
	old, err := s.Ledger.RemovableSets(ctx, before)
	if err != nil {
		return 0, err
	}
	var going []string
	for _, kept := range old {
		if spared(kept) {
			continue
		}
		var sums []string
		for _, f := range kept.All() {
			sums = append(sums, f.SHA256)
		}
		if err := s.Archive.NoteRemoved(ctx, s.Staging, path.Base(kept.Manifest.Path), sums); err != nil {
			return 0, err
		}
		if err := s.Ledger.NoteRemoved(ctx, kept, on); err != nil {
			return 0, err
		}
		going = append(going, sums...)
	}
	if len(going) == 0 {
		return 0, nil
	}
	needed, err := neededFiles(ctx, s.Ledger)
	if err != nil {
		return 0, err
	}
	for _, sum := range going {
		if _, stays := needed[sum]; stays {
			continue
		}
		needed[sum] = 0 // counted once
		if err := s.Archive.Remove(ctx, sum); err != nil {
			return removed, err
		}
		removed++
	}
	return removed, nil
}

// SweepOrphans removes the files of the archive that no revision names and that are older than a day: those of runs
// that were killed between archive and ledger and rendered something else when they were continued. The caller must
// lead a run of every account.
func (s *Session) SweepOrphans(ctx context.Context) (removed int, err error) {
	needed, err := neededFiles(ctx, s.Ledger)
	if err != nil {
		return 0, err
	}
	return s.Archive.Sweep(ctx, s.Wall().Add(-orphanAge), func(sum string) bool {
		_, stays := needed[sum]
		return stays
	})
}

// neededFiles returns the sizes in the archive of the files that it must have, by SHA-256.
func neededFiles(ctx context.Context, l interface {
	ArchivedFiles(ctx context.Context, fn func(published.File) error) error
},
) (map[string]int64, error) {
	needed := map[string]int64{}
	return needed, l.ArchivedFiles(ctx, func(f published.File) error {
		needed[f.SHA256] = f.Archived
		return nil
	})
}

// CheckReport is the result of Check.
type CheckReport struct {
	Files  int             // that the ledger names
	Faults []words.Message // at most a hundred
	More   int             // faults that are not named
}

// checkFaultLimit bounds the faults that are listed.
const checkFaultLimit = 100

func (r *CheckReport) addFault(fault words.Message) {
	if len(r.Faults) == checkFaultLimit {
		r.More++
		return
	}
	r.Faults = append(r.Faults, fault)
}

// Check compares the archive with the ledger: each file that the ledger names must be there, with the size that it had
// when it was archived; and the ledger must have the ends of its chains that the last manifest of each account names. It reads no
// other content; verify of the archive does. A ledger that has published nothing needs no
// archive. An archive that is missing, or belongs to another ledger, is a fault; one that cannot be read is an error.
func (p *Publisher) Check(ctx context.Context) (*CheckReport, error) {
	r := &CheckReport{}
	var named []published.File
	seen := map[string]bool{}
	err := p.Ledger.ArchivedFiles(ctx, func(f published.File) error {
		if !seen[f.SHA256] {
			named = append(named, f)
		}
		seen[f.SHA256] = true
		return nil
	})
	if err != nil || len(named) == 0 {
		return r, err
	}
	r.Files = len(named)
	known, err := p.Ledger.ArchiveOf(ctx)
	if err != nil {
		return nil, err
	}
	id, err := p.Archive.Identity(ctx)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r.addFault(words.NewMessage("check_fault.archive_missing", "place", p.Archive.Place(), "n", r.Files, "known", known.Place))
		return r, nil
	case err != nil:
		return nil, err
	case id.Ledger != known.Ledger:
		r.addFault(words.NewMessage("check_fault.archive_of_another", "place", p.Archive.Place(), "cause", archive.ErrOtherLedger))
		return r, nil
	}
	sizes := map[string]int64{}
	err = p.Archive.Files(ctx, func(sum string, e archive.Entry) error {
		sizes[sum] = e.Size
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, f := range named {
		switch size, ok := sizes[f.SHA256]; {
		case !ok:
			r.addFault(words.NewMessage("check_fault.archive_lacks", "place", p.Archive.Place(), "file", f.Path, "hash", f.SHA256))
		case size != f.Archived:
			r.addFault(words.NewMessage("check_fault.archive_size", "place", p.Archive.Place(), "file", f.Path, "hash", f.SHA256, "size", size, "was", f.Archived))
		}
	}
	return r, p.checkChains(ctx, r)
}
