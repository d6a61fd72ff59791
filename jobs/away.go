package jobs

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"concilia/store/reports"
)

// away says that a revision which stands is not on the target: its files were moved, the share is not mounted, or
// reports.out is another place than it was. What waits in the outbox, or was taken away for its age, is not away.
func (w *Worker) away(ctx context.Context, kept *reports.Set) bool {
	if kept == nil || kept.Waiting || kept.RetiredOn != 0 || len(kept.Files) == 0 {
		return false
	}
	_, err := w.Target.Read(ctx, markOf(kept))
	return errors.Is(err, fs.ErrNotExist)
}

// missed counts a revision that stands and is away. A night does not write it again: whoever takes files from the share as
// they come would take these twice.
func (w *Worker) missed(ctx context.Context, s *Summary, kept *reports.Set, fresh bool) {
	if !fresh && w.away(ctx, kept) {
		s.Away++
	}
}

// bringBack writes what stands of a set to the target again, byte for byte: somebody asked for the files.
func (p *publishing) bringBack(ctx context.Context, kept *reports.Set) error {
	all, err := p.w.Ledger.Revisions(ctx, kept.Account, kept.Basis, kept.Period, kept.Filter, "")
	if err != nil {
		return err
	}
	for _, one := range slices.Backward(standingOf(all)) {
		if !p.w.away(ctx, one) {
			continue
		}
		if _, _, err := p.w.renderAgain(ctx, one, p.staging, p.w.Target); err != nil {
			return err
		}
		p.back++
	}
	return nil
}
