package overview

import (
	"context"
	"errors"
	"slices"
	"time"

	"concilia/jobs/desk"
	"concilia/jobs/plan"
	"concilia/store/ledger"
	"concilia/store/reports"
	"concilia/store/results"
	"concilia/store/runs"
	"concilia/store/sqldb"
)

// Status is the current state, as a person wants to see it first. It judges nothing.
type Status struct {
	AsOf ledger.Date
	Now  time.Time // business clock
	// LastNight is the last night that ended, nil if none did. Unfinished is one that began after it and has not ended,
	// nil if there is none. Running: the process of Unfinished is alive.
	LastNight  *ledger.Run
	Unfinished *ledger.Run
	Running    bool
	Coverage   []SourceCoverage  // as of AsOf; empty until the first day answered for has ended
	Figures    ledger.Figures    // of the accounts' cases as they are now
	Cases      []results.CaseSum // neither resolved nor closed, of the accounts
	Oldest     *ledger.Finding   // the open or reopened case that opened first; nil: none
	Inbox      Waiting           // notifications that no run has taken over
	NotLinked  Waiting           // taken over, and linked to no installment
	Outbox     []*reports.Set    // proven revisions that the target does not have yet
	Held       []runs.Holding
	Ledger     string // sqlite or postgres
	Size       int64  // bytes
}

// Waiting is the number of waiting notifications and the arrival of the oldest; zero if none waits.
type Waiting struct {
	Count  int64
	Oldest time.Time
}

// Status returns the current state. It does not call the service and writes nothing.
func (v *Viewer) Status(ctx context.Context) (*Status, error) {
	now := v.Now()
	s := &Status{AsOf: ledger.DateOf(now, v.Zone), Now: now, Ledger: v.Ledger.Kind()}
	for _, gather := range []func(context.Context, *Status) error{
		v.statusNight, v.statusCoverage, v.statusCases, v.statusWaiting,
	} {
		if err := gather(ctx, s); err != nil {
			return nil, err
		}
	}
	var err error
	s.Size, err = v.Ledger.Size(ctx)
	return s, err
}

func (v *Viewer) statusNight(ctx context.Context, s *Status) (err error) {
	if s.Held, err = v.Ledger.Holdings(ctx); err != nil {
		return err
	}
	if s.LastNight, err = v.Ledger.LastRun(ctx, ledger.Nightly); errors.Is(err, sqldb.ErrNotFound) {
		s.LastNight, err = nil, nil
	}
	if err != nil {
		return err
	}
	begun, err := v.Ledger.Runs(ctx, runs.RunFilter{Kinds: []ledger.RunKind{ledger.Nightly}, Limit: 1})
	if err != nil || len(begun) == 0 || begun[0].Finished() {
		return err
	}
	s.Unfinished = begun[0]
	s.Running = slices.ContainsFunc(s.Held, func(h runs.Holding) bool { return h.Run == begun[0].ID })
	return nil
}

func (v *Viewer) statusCoverage(ctx context.Context, s *Status) error {
	sources := append([]ledger.Source{ledger.Cards}, ledger.SlipLists()...)
	for _, a := range v.Accounts {
		one := *v
		one.Accounts = []plan.Account{a}
		c, err := one.Coverage(ctx, s.AsOf, ledger.Period{}, sources)
		var none *desk.RequestError
		if errors.As(err, &none) {
			continue // no day it is answered for has ended
		}
		if err != nil {
			return err
		}
		s.Coverage = append(s.Coverage, c...)
	}
	return nil
}

func (v *Viewer) statusCases(ctx context.Context, s *Status) (err error) {
	if s.Figures, err = v.Ledger.Figures(ctx, v.numbers(), ""); err != nil {
		return err
	}
	if s.Cases, err = v.Ledger.CaseSums(ctx, v.numbers(), ""); err != nil {
		return err
	}
	if s.Oldest, err = v.Ledger.OldestCase(ctx, v.numbers()); errors.Is(err, sqldb.ErrNotFound) {
		s.Oldest, err = nil, nil
	}
	return err
}

func (v *Viewer) statusWaiting(ctx context.Context, s *Status) (err error) {
	if v.Inbox != nil {
		if s.Inbox.Count, s.Inbox.Oldest, err = v.Inbox.Waiting(ctx); err != nil {
			return err
		}
	}
	if s.NotLinked.Count, s.NotLinked.Oldest, err = v.Ledger.NotLinked(ctx, v.numbers()); err != nil {
		return err
	}
	s.Outbox, err = v.Ledger.WaitingSets(ctx)
	return err
}
