package casework

import (
	"context"
	"errors"
	"slices"
	"time"

	"concilia/jobs/plan"
	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
	"concilia/store/published"
	"concilia/store/runs"
	"concilia/store/sqldb"
)

// Overview looks things up in a ledger. Fields that say which method they are for may be zero for the others.
type Overview struct {
	Ledger   *store.Ledger
	Accounts []plan.Account
	Inbox    Inbox            // for Status; nil: no notifications are received
	Unit     ledger.Unit      // for Diff: the profile's reading of rates
	Now      func() time.Time // for Status: business clock
	Zone     *time.Location   // for Status: of its dates
}

// Inbox is where notifications wait until a run takes them over; a *store.Inbox is one.
type Inbox interface {
	// Waiting returns how many wait and when the oldest arrived; zero if none waits.
	Waiting(ctx context.Context) (n int64, oldest time.Time, err error)
}

func (v *Overview) accountNumbers() []ledger.Account {
	out := make([]ledger.Account, len(v.Accounts))
	for i, a := range v.Accounts {
		out[i] = a.Number
	}
	return out
}

// Status is the current state, as a person wants to see it first. It evaluates nothing.
type Status struct {
	AsOf ledger.Date
	Now  time.Time // business clock
	// LastNightly is the last night that ended, nil if none did. Unfinished is one that began after it and has not ended,
	// nil if there is none. Running: the process of Unfinished is alive.
	LastNightly *ledger.Run
	Unfinished  *ledger.Run
	Running     bool
	Coverage    []SourceCoverage    // as of AsOf; empty until the first day answered for has ended
	Figures     ledger.Figures      // of the accounts' cases as they are now
	Cases       []caselog.CaseCount // neither resolved nor closed, of the accounts
	OtherCases  caselog.OtherCases  // the same of accounts that the configuration does not name
	Oldest      *ledger.Finding     // the open or reopened case that opened first; nil: none
	Inbox       WaitingItems        // notifications that no run has taken over
	NotLinked   WaitingItems        // taken over, and linked to no installment
	Outbox      []*published.Set    // proven revisions that the target does not have yet
	Leases      []runs.AccountLease
	Banks       []banking.Proof // whose home is one of the accounts
	Ledger      string          // sqlite or postgres
	Size        int64           // bytes; 0 until it is asked for: on Postgres that takes longer than all the rest
}

// WaitingItems is the number of waiting notifications and the arrival of the oldest; zero if none waits.
type WaitingItems struct {
	Count  int64
	Oldest time.Time
}

// ReadStatus returns the current state, without the size of the ledger. It does not call the service and writes nothing.
func (v *Overview) ReadStatus(ctx context.Context) (*Status, error) {
	now := v.Now()
	s := &Status{AsOf: ledger.DateOf(now, v.Zone), Now: now, Ledger: v.Ledger.Kind()}
	for _, gather := range []func(context.Context, *Status) error{
		v.fillRuns, v.fillCoverage, v.fillCases, v.fillWaiting, v.fillBanks,
	} {
		if err := gather(ctx, s); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (v *Overview) fillRuns(ctx context.Context, s *Status) (err error) {
	if s.Leases, err = v.Ledger.AccountLeases(ctx); err != nil {
		return err
	}
	if s.LastNightly, err = v.Ledger.LastRun(ctx, ledger.Nightly); errors.Is(err, sqldb.ErrNotFound) {
		s.LastNightly, err = nil, nil
	}
	if err != nil {
		return err
	}
	begun, err := v.Ledger.Runs(ctx, runs.RunFilter{Kinds: []ledger.RunKind{ledger.Nightly}, Limit: 1})
	if err != nil || len(begun) == 0 || begun[0].Finished() {
		return err
	}
	s.Unfinished = begun[0]
	s.Running = slices.ContainsFunc(s.Leases, func(h runs.AccountLease) bool { return h.Run == begun[0].ID })
	return nil
}

func (v *Overview) fillBanks(ctx context.Context, s *Status) error {
	for _, a := range v.Accounts {
		banks, err := v.Ledger.BankProofs(ctx, a.Number)
		if err != nil {
			return err
		}
		s.Banks = append(s.Banks, banks...)
	}
	return nil
}

func (v *Overview) fillCoverage(ctx context.Context, s *Status) error {
	sources := append([]ledger.Source{ledger.Cards}, ledger.SlipLists()...)
	for _, a := range v.Accounts {
		one := *v
		one.Accounts = []plan.Account{a}
		c, err := one.ReadCoverage(ctx, s.AsOf, ledger.Period{}, sources)
		var none *RequestError
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

func (v *Overview) fillCases(ctx context.Context, s *Status) (err error) {
	if s.Figures, err = v.Ledger.Figures(ctx, v.accountNumbers(), ""); err != nil {
		return err
	}
	if s.Cases, err = v.Ledger.CaseCounts(ctx, v.accountNumbers(), ""); err != nil {
		return err
	}
	if s.OtherCases, err = v.Ledger.CasesOfOthers(ctx, v.accountNumbers()); err != nil {
		return err
	}
	if s.Oldest, err = v.Ledger.OldestOpenCase(ctx, v.accountNumbers()); errors.Is(err, sqldb.ErrNotFound) {
		s.Oldest, err = nil, nil
	}
	return err
}

func (v *Overview) fillWaiting(ctx context.Context, s *Status) (err error) {
	if v.Inbox != nil {
		if s.Inbox.Count, s.Inbox.Oldest, err = v.Inbox.Waiting(ctx); err != nil {
			return err
		}
	}
	if s.NotLinked.Count, s.NotLinked.Oldest, err = v.Ledger.UnlinkedCount(ctx, v.accountNumbers()); err != nil {
		return err
	}
	s.Outbox, err = v.Ledger.WaitingSets(ctx)
	return err
}
