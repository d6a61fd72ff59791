package jobs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"concilia/store/ledger"
	"concilia/store/reports"
)

// bring puts what waits to the target when there is nothing else to publish.
func (w *Worker) bring(ctx context.Context, run *ledger.Run, s *Summary) error {
	waiting, err := w.Ledger.WaitingSets(ctx)
	if err != nil || len(waiting) == 0 {
		return err
	}
	return w.publishSets(ctx, run, s, nil, nil)
}

// deliver puts what waits to the target, oldest revision first. What is in the outbox is put as it is; what was lost with
// it is rendered again from what the ledger keeps.
func (w *Worker) deliver(ctx context.Context, s *Summary, d *delivery, staging string) error {
	waiting, err := w.Ledger.WaitingSets(ctx)
	if err != nil || len(waiting) == 0 {
		return err
	}
	w.Progress.Step("deliver", len(waiting))
	brought := 0
	for _, kept := range waiting {
		err := w.deliverSet(ctx, d, kept, staging)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if d.waits != nil {
			break
		}
		if err != nil {
			s.Unpublished = append(s.Unpublished, fmt.Errorf("set %s %s %s r%d, which waits: %w", kept.Account, kept.Basis, kept.Period, kept.Revision, err))
			continue
		}
		s.noteSet(kept, false)
		for _, f := range kept.Files {
			s.Files = append(s.Files, w.fileSummary(f, true))
		}
		brought++
		w.Progress.Advance(1)
	}
	w.Progress.Done(fmt.Sprintf("%s published, %s", things(brought, "set that waited is", "sets that waited are"), things(len(waiting)-brought, "still waits", "still wait")))
	return nil
}

func (w *Worker) deliverSet(ctx context.Context, d *delivery, kept *reports.Set, staging string) error {
	names, whole := w.boxed(kept)
	done, err := w.finished(ctx, d, kept)
	switch {
	case err == nil:
		err = w.adoptDone(ctx, d, kept, done)
	case errors.Is(err, fs.ErrNotExist):
		err = w.bringSet(ctx, d, kept, names, whole, staging)
		if err != nil && d.waits == nil && ctx.Err() == nil && w.clearUnfinished(ctx, d, names) {
			err = w.bringSet(ctx, d, kept, names, whole, staging)
		}
	}
	if err != nil {
		return err
	}
	// Emptied first: killed between the two, the next run finds nothing to put, renders it once more and meets the same
	// bytes on the target.
	if w.Outbox != nil {
		for _, name := range names {
			if err := w.Outbox.Withdraw(ctx, name); err != nil {
				return err
			}
		}
	}
	return w.Ledger.Delivered(ctx, kept)
}

// bringSet puts the files of a set that waits to the target: those of the outbox, or, where that lost some, all of them
// rendered again.
func (w *Worker) bringSet(
	ctx context.Context, d *delivery, kept *reports.Set, names []string, whole bool, staging string,
) error {
	if !whole {
		_, _, err := w.renderAgain(ctx, kept, staging, d.w.Target)
		d.giveUp(err)
		return err
	}
	for _, name := range names {
		local := filepath.Join(w.Outbox.Dir, filepath.FromSlash(name))
		if err := d.try(ctx, func() error { return w.Target.Put(ctx, name, local) }); err != nil {
			return err
		}
	}
	return nil
}

// clearUnfinished takes back what a killed process left of a set that waits, and that its files cannot get past: it names
// another run. It says whether all of it went.
func (w *Worker) clearUnfinished(ctx context.Context, d *delivery, names []string) bool {
	for _, name := range names {
		if d.try(ctx, func() error { return w.Target.Withdraw(ctx, name) }) != nil {
			return false
		}
	}
	return true
}

// sweepOutbox removes what killed processes left in the outbox: no other run stages there while the target is well.
func (w *Worker) sweepOutbox(ctx context.Context) {
	if w.Outbox == nil {
		return
	}
	if _, err := os.Stat(w.Outbox.Dir); err != nil {
		return // nothing ever waited
	}
	if _, release, err := w.Outbox.Stage(ctx); err == nil {
		release()
	}
}

// boxed names the files of a set in the order in which they are published, and says whether the outbox has all of them
// as they were proven.
func (w *Worker) boxed(kept *reports.Set) (names []string, whole bool) {
	whole = w.Outbox != nil
	for _, f := range kept.Files {
		names = append(names, f.Path)
		whole = whole && sameFile(filepath.Join(w.Outbox.Dir, filepath.FromSlash(f.Path)), f.SHA256)
	}
	for _, ext := range []string{"manifest.json", "done"} {
		name := ownFile(kept, ext)
		names = append(names, name)
		if whole {
			_, err := os.Stat(filepath.Join(w.Outbox.Dir, filepath.FromSlash(name)))
			whole = err == nil
		}
	}
	return names, whole
}

func sameFile(local, want string) bool {
	f, err := os.Open(local)
	if err != nil {
		return false
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return err == nil && hex.EncodeToString(h.Sum(nil)) == want
}
