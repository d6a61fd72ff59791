package desk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/singleflight"

	"concilia/cmd/concilia/console"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/wire"
	"concilia/config"
	"concilia/export/publish"
	"concilia/jobs"
	"concilia/jobs/casework"
	"concilia/jobs/plan"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// Source answers the console from a ledger of its own, which it opens with the first question and keeps. What it answers about a subject
// is a type in a file of its own, embedded here.
type Source struct {
	*access
	caseAnswers
	itemAnswers
	slipAnswers
	moneyAnswers
	letterAnswers
	bankAnswers
	storeAnswers
	runAnswers
	ruleAnswers
	fileAnswers
	handbookAnswers
}

// newSource is a source whose parts share an access.
func newSource(a *access) *Source {
	return &Source{
		a,
		caseAnswers{a},
		itemAnswers{a},
		slipAnswers{a},
		moneyAnswers{a},
		letterAnswers{a},
		bankAnswers{a},
		storeAnswers{a},
		runAnswers{a},
		ruleAnswers{a},
		fileAnswers{a},
		handbookAnswers{},
	}
}

// access is the ledger that all answers are read from.
type access struct {
	proc   *wire.Process
	config *config.Config

	at *jobs.Worker // over a snapshot of the ledger; nil: answers are as of when they are asked for
	*opened
}

// opened is what stays open from page to page.
type opened struct {
	mu      sync.Mutex
	worker  *jobs.Worker
	archive *publish.Archive
	slips   map[ledger.Account]openSlips
	closed  func()

	slipReads singleflight.Group // of slips, by account and run
}

// maxReaders are the connections that pages read a ledger of SQLite through. A page has one, and so has an act, in addition to the writer: none
// waits for another that it holds up itself.
const maxReaders = 4

// NewSource answers from the configured ledger.
func NewSource(proc *wire.Process, c *config.Config) *Source {
	inner := *proc
	inner.Quiet = true // the warnings of the configuration were printed
	inner.Readers = cmp.Or(inner.Readers, maxReaders)
	return newSource(&access{proc: &inner, config: c, opened: &opened{}})
}

// NewSourceOf answers from the ledger of a worker that is wired already, and leaves it open.
func NewSourceOf(proc *wire.Process, c *config.Config, w *jobs.Worker) *Source {
	s := NewSource(proc, c)
	s.worker = w
	return s
}

// open opens the ledger where that was not done yet. One that is not there or cannot be used now is asked for again by the next page.
func (s *access) open(ctx context.Context) (*jobs.Worker, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.worker != nil {
		return s.worker, nil
	}
	w, done, err := s.proc.WireWorker(context.WithoutCancel(ctx), wire.WantKept)
	if err != nil {
		return nil, explainClosed(err)
	}
	s.worker, s.closed = w, done
	return w, nil
}

// explainClosed says why the ledger cannot be opened, and what helps.
func explainClosed(err error) error {
	switch {
	case errors.Is(err, wire.ErrNoLedger):
		return &console.UnavailableError{Text: "desk.no_ledger", Command: "concilia run"}
	case errors.Is(err, store.ErrNewer):
		return &console.UnavailableError{Text: "desk.newer_ledger", Command: "concilia version"}
	case errors.Is(err, store.ErrOtherSchema):
		return &console.UnavailableError{Text: "desk.other_ledger", Command: "concilia backfill"}
	case exit.IsUnavailable(err):
		return &console.UnavailableError{Text: "desk.ledger_away", Err: err}
	}
	return &console.UnavailableError{Text: "desk.ledger_closed", Err: err}
}

// Close closes the ledger.
func (s *access) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed != nil {
		s.closed()
	}
	s.worker, s.closed, s.slips = nil, nil, nil
}

// ask calls fn with the worker, and gives its error a kind that the console knows.
func (s *access) ask(ctx context.Context, fn func(*jobs.Worker) error) error {
	w, err := s.at, error(nil)
	if w == nil {
		w, err = s.open(ctx)
	}
	if err == nil {
		err = fn(w)
	}
	var use *exit.UsageError
	var request *casework.RequestError
	switch {
	case err == nil, errors.Is(err, console.ErrConflict):
		return err
	case errors.Is(err, sqldb.ErrNotFound), errors.As(err, &use), errors.As(err, &request):
		return fmt.Errorf("%w: %w", console.ErrNotFound, err)
	case exit.IsUnavailable(err), w != nil && w.Ledger.IsTransient(err):
		return &console.UnavailableError{Text: "desk.ledger_away", Err: err}
	}
	return err
}

// Snapshot calls show with a source whose answers are all of one instant of the ledger.
func (s *access) Snapshot(ctx context.Context, show func(console.Source) error) error {
	var shown error // it has a kind already
	err := s.ask(ctx, func(w *jobs.Worker) error {
		return w.Ledger.Snapshot(ctx, func(l *store.Ledger) error {
			at := *w
			at.Ledger = l
			shown = show(newSource(&access{proc: s.proc, config: s.config, at: &at, opened: s.opened}))
			return nil
		})
	})
	return cmp.Or(err, shown)
}

// Heading is what every page says of the ledger.
func (s *access) Heading(ctx context.Context) (h console.Heading, err error) {
	return h, s.ask(ctx, func(w *jobs.Worker) error {
		for i := range w.Accounts {
			h.Accounts = append(h.Accounts, console.AccountName{Number: w.Accounts[i].Number, Name: w.Accounts[i].Name})
		}
		last, err := w.Ledger.LastRun(ctx, ledger.Nightly)
		switch {
		case err == nil:
			h.AsOf, h.Ended = last.AsOf, view.Instant{Time: last.Ended}
		case !errors.Is(err, sqldb.ErrNotFound):
			return err
		}
		leases, err := w.Ledger.AccountLeases(ctx)
		if len(leases) > 0 {
			h.Running = leases[0].Run
		}
		return err
	})
}

// overview looks things up for some accounts; none means all.
func (s *access) overview(w *jobs.Worker, accounts []ledger.Account) *casework.Overview {
	v := wire.NewOverview(w)
	if len(accounts) > 0 {
		v.Accounts = slices.DeleteFunc(v.Accounts, func(a plan.Account) bool { return !slices.Contains(accounts, a.Number) })
	}
	return v
}

// numbers are the accounts that a person sees, in the order of the configuration; none given means all.
func (s *access) numbers(w *jobs.Worker, accounts []ledger.Account) (out []ledger.Account) {
	for _, a := range s.overview(w, accounts).Accounts {
		out = append(out, a.Number)
	}
	return out
}
