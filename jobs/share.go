package jobs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"concilia/store/ledger"
)

// shareToken tells a worker on another machine whether its target is the one the run publishes to. A bucket or a server
// goes by its address. A folder goes by what lies in it: the staging directory of the process that leads the run, which has a
// random name; on another disk there is none of that name.
type shareToken struct {
	Place string `json:"place,omitempty"`
	Token string `json:"token,omitempty"`
}

// share is the token of the run's target.
func (p *publishing) share() shareToken {
	if p.w.Reports.Place != "" || p.boxed {
		return shareToken{Place: p.w.Reports.Place}
	}
	return shareToken{Token: filepath.Base(p.staging)}
}

// shareFinder remembers where the folder of the target is: asking for it makes and removes a directory and looks all of
// it through for leftovers.
type shareFinder struct {
	mu   sync.Mutex
	root string
}

func (f *shareFinder) find(ctx context.Context, t Target) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.root == "" {
		own, release, err := t.Stage(ctx)
		if err != nil {
			return "", err
		}
		release()
		f.root = filepath.Dir(own)
	}
	return f.root, nil
}

// helping is a publication of a run that another process leads; its sheet says where to. A target that is not the run's is
// refused: nothing is published on the wrong disk.
func (w *Worker) helping(ctx context.Context, run *ledger.Run, sheet *renderSheet, shares *shareFinder) (*publishing, error) {
	declines := func(why string, err error) error {
		why = fmt.Sprintf("this worker does not see the share of run %s: %s", run.ID, why)
		if err != nil {
			return fmt.Errorf("%s: %w", why, err)
		}
		return errors.New(why)
	}
	if w.Target == nil {
		return nil, declines("it publishes nothing", nil)
	}
	if w.Reports.Place != sheet.Share.Place {
		return nil, declines("its reports.out is another target", nil)
	}
	helper := *w
	helper.Outbox = nil // what the target does not take is kept where the next run looks for it
	p := &publishing{delivery: delivery{w: &helper}, run: run}
	if sheet.Share.Place != "" {
		return p, p.restage(ctx)
	}
	if sheet.Share.Token == "" {
		return nil, declines("the process that leads it does not see it either", nil)
	}
	root, err := shares.find(ctx, w.Target)
	if err != nil {
		return nil, declines("its reports.out can't be written to", err)
	}
	// What is left of a worker that dies goes with the directory it lies in, at the end of the run.
	p.staging, err = os.MkdirTemp(filepath.Join(root, filepath.Base(sheet.Share.Token)), "worker-")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, declines("its reports.out is another folder than that of the process that leads the run", nil)
	case err != nil:
		return nil, declines("its reports.out can't be written to", err)
	}
	p.free = func() { _ = os.RemoveAll(p.staging) } // what stays goes at the end of the run
	return p, nil
}

// left says whether an error comes of a target that is gone for this process, or of a run that has given it up.
func (p *publishing) left(err error) bool {
	if p.w.TargetGone != nil && p.w.TargetGone(err) {
		return true
	}
	_, gone := os.Stat(p.staging)
	return gone != nil
}
