package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"concilia/jobs/api"
	"concilia/store/ledger"
)

// unreachableLimit is how many windows in a row may fail because nobody answers before the rest are not asked: a
// service that is down would otherwise be waited for once per window.
const unreachableLimit = 3

// errNotAsked is why a window failed that nobody asked for.
var errNotAsked = errors.New("not asked: the service answered none of the windows before it")

// pulled is what asking for many windows came to.
type pulled struct {
	mu      sync.Mutex
	windows int
	counts  ledger.Counts
	failed  []ledger.Pull
	gone    int   // windows in a row that nobody answered
	reason  error // of the last of them
}

// left are the windows that the run has not pulled yet: none is missing but in a night that was killed and taken up.
func (w *Worker) left(ctx context.Context, run *ledger.Run, windows []ledger.Window) ([]ledger.Window, error) {
	type day struct {
		account ledger.Account
		source  ledger.Source
		period  ledger.Period
	}
	done := map[day]bool{}
	for _, a := range w.Accounts {
		pulls, err := w.Ledger.PullsOf(ctx, a.Number, run.ID)
		if err != nil {
			return nil, err
		}
		for _, p := range pulls {
			if p.Complete {
				done[day{p.Window.Account, p.Window.Source, p.Window.Period}] = true
			}
		}
	}
	return slices.DeleteFunc(windows, func(win ledger.Window) bool {
		return done[day{win.Account, win.Source, win.Period}]
	}), nil
}

// pull asks for every window, several at a time, and keeps each answer. A window that fails is told and kept as
// failed, the others go on; refused credentials, a ledger that cannot be written and an end of ctx stop everything.
func (w *Worker) pull(ctx context.Context, run *ledger.Run, windows []ledger.Window) (*pulled, error) {
	w.Progress.Step("pull", len(windows))
	p := &pulled{windows: len(windows)}
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(max(1, w.Parallel))
	for _, window := range windows {
		if inner.Err() != nil {
			break
		}
		group.Go(func() error {
			err := w.pullWindow(inner, run, window, p)
			w.Progress.Advance(1)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	c := p.counts
	w.Progress.Done(fmt.Sprintf("%d windows, %d rows: %d new, %d changed, %d same, %d vanished, %d quarantined%s",
		len(windows), c.Rows, c.New, c.Changed, c.Same, c.Vanished, c.Quarantined, failedText(len(p.failed))))
	return p, nil
}

func failedText(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("; %d windows failed", n)
}

func (w *Worker) pullWindow(ctx context.Context, run *ledger.Run, window ledger.Window, p *pulled) error {
	pull := &ledger.Pull{ID: w.pullID(run, window), Run: run.ID, Window: window, Began: w.Wall().UTC(), AsOf: run.AsOf, On: w.Today()}
	if p.giveUp() != nil {
		return w.fail(ctx, pull, errNotAsked, p)
	}
	err := w.ask(ctx, pull)
	switch {
	case err == nil:
		p.kept(pull)
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case api.IsRefused(err):
		return err
	}
	var answered *keepError
	if errors.As(err, &answered) {
		return answered.err
	}
	return w.fail(ctx, pull, err, p)
}

// keepError is the ledger's refusal to keep a good answer: the run cannot go on.
type keepError struct{ err error }

func (e *keepError) Error() string { return e.err.Error() }

// ask puts one question and keeps the answer whole, with its pull row, or keeps nothing.
func (w *Worker) ask(ctx context.Context, pull *ledger.Pull) error {
	win := pull.Window
	if win.Source == ledger.Cards {
		a, err := w.Service.Installments(ctx, win.Account, win.Period.From, win.Period.To, nil)
		pull.Counts.Requests = int64(a.Requests)
		if err != nil {
			return err
		}
		w.answered(pull, a.Receipt)
		return kept(w.Ledger.MergeInstallments(ctx, pull, a.Rows, a.Bad))
	}
	a, err := w.Service.Slips(ctx, win.Source, win.Account, win.Period.From, win.Period.To, ledger.Opt[int64]{})
	pull.Counts.Requests = int64(a.Requests)
	if err != nil {
		return err
	}
	w.answered(pull, a.Receipt)
	return kept(w.Ledger.MergeSlips(ctx, pull, a.Rows, a.Bad))
}

func kept(err error) error {
	if err == nil {
		return nil
	}
	return &keepError{err}
}

// answered notes what arrived.
func (w *Worker) answered(pull *ledger.Pull, a api.Receipt) {
	pull.Ended, pull.Complete = w.Wall().UTC(), true
	pull.Bytes, pull.SHA256 = a.Bytes, a.SHA256
}

// fail keeps that a window was asked for in vain.
func (w *Worker) fail(ctx context.Context, pull *ledger.Pull, cause error, p *pulled) error {
	pull.Ended, pull.Complete, pull.Failure = w.Wall().UTC(), false, cause.Error()
	if err := w.Ledger.KeepPull(ctx, pull); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failed = append(p.failed, *pull)
	p.counts.Requests += pull.Counts.Requests
	if api.IsUnreachable(cause) {
		p.gone, p.reason = p.gone+1, cause
	}
	return nil
}

func (p *pulled) kept(pull *ledger.Pull) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counts.Add(pull.Counts)
	p.gone = 0
}

func (p *pulled) giveUp() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone < unreachableLimit {
		return nil
	}
	return p.reason
}

// pullID names a pull within the ledger: its run, source and day, and the second it was asked again if it was.
func (w *Worker) pullID(run *ledger.Run, win ledger.Window) string {
	return fmt.Sprintf("%s/%s/%s/%s", run.ID, win.Account, win.Source, win.Period.From.Compact()+"-"+w.Tail())
}
