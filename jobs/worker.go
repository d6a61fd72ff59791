package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"concilia/export"
	"concilia/jobs/api"
	"concilia/jobs/plan"
	"concilia/jobs/reconcile"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// Service is the part of the payment service that a worker calls; *api.Client implements it.
type Service interface {
	SearchInstallments(
		ctx context.Context, account ledger.Account, from, to ledger.Date, sink func(*ledger.Installment) error,
	) (api.Answer, error)
	ListSlips(
		ctx context.Context, list ledger.Source, account ledger.Account, from, to ledger.Date,
		statusIntegration ledger.Opt[int64],
	) (api.SlipAnswer, error)
	ReadSlip(ctx context.Context, account ledger.Account, id string) (api.SlipAnswer, error)
	SearchInstallmentsByCode(ctx context.Context, account ledger.Account, nsu, auth string) (api.Answer, error)
	SimulateSettlement(ctx context.Context, brand string, net ledger.Amount) (api.SimulationAnswer, error)
}

// Account is one account the worker answers for.
type Account struct {
	Number ledger.Account
	Name   string
	Since  ledger.Date  // first day answered for; zero: plan.DefaultSinceDays before the as-of of the first run
	Block  export.Block // for EDI files
}

// Worker is everything the jobs need. cmd/concilia fills it; fields are required unless they say otherwise. A Worker
// does one job at a time.
type Worker struct {
	Ledger   *store.Ledger
	Service  Service // nil: the command does not call the service
	Inbox    Inbox   // nil: no notifications are taken over
	Accounts []Account
	Terms    reconcile.Inputs // AsOf and Since are filled by each run
	Target   Target           // nil: the command publishes nothing
	// TargetGone reports whether an error is caused by the target itself, full or unreachable, so that publishing
	// anything else would fail too. nil: no error is.
	TargetGone func(error) bool
	// Retry decides after the n-th failed attempt at the target whether to try again, and waits before it returns true.
	// nil: no retries.
	Retry   func(ctx context.Context, n int, err error) bool
	Outbox  *Outbox // nil: sets that cannot be published are rendered again by a later run
	Reports ReportSettings
	Plan    plan.Settings
	ListCap int // rows at which the operator cuts a list; 0: not known
	// SearchByCode: for notifications that fit no installment the service is asked for the sale, by its NSU and authorization.
	SearchByCode bool
	// Retention is for how many days published files are kept that are no longer current, by report kind or format; the
	// longer applies if both are set. Empty: for ever.
	Retention  map[string]int
	KeepBodies int   // days for which the bodies of answers are kept; 0: for ever
	Parallel   int   // windows in flight, at least 1
	Queue      Queue // distributes the units of a run; nil: to Parallel goroutines of this process
	Zone       *time.Location
	Now        func() time.Time // business clock
	Wall       func() time.Time // wall clock
	Clock      string           // the setting that moved the business clock, for the run record; empty: it was not moved
	Engine     string           // version of the program
	Commit     string           // hash of the commit it was built from; empty: unknown
	Config     string           // hash of the effective configuration
	Trigger    string           // what starts its runs: a cron occurrence; empty: a person
	// Parameters are the flags given to the command, for the run record, never a secret. nil: none.
	Parameters map[string]string
	Tail       func() string // random tail of a run id
	Progress   Progress
	// Began is called with a run that begins or is continued, once it holds its accounts. nil: no call.
	Began func(*ledger.Run)
}

// Today is the date on the business clock.
func (w *Worker) Today() ledger.Date { return ledger.DateOf(w.Now(), w.Zone) }

// since is the first day account a is answered for; on its first run it is decided and kept.
func (w *Worker) since(ctx context.Context, a Account, asOf ledger.Date) (ledger.Date, error) {
	kept, err := w.Ledger.FirstDay(ctx, a.Number)
	switch {
	case err == nil && (a.Since == 0 || a.Since >= kept):
		return kept, nil
	case err != nil && !errors.Is(err, sqldb.ErrNotFound):
		return 0, fmt.Errorf("since of account %s: %w", a.Number, err)
	}
	first := a.Since
	if first == 0 {
		first = asOf - plan.DefaultSinceDays
	}
	if err := w.Ledger.SetFirstDay(ctx, a.Number, first); err != nil {
		return 0, fmt.Errorf("since of account %s: %w", a.Number, err)
	}
	return first, nil
}

// answeredSince is the first day account a is answered for, as since decides it; nothing is kept.
func (w *Worker) answeredSince(ctx context.Context, a Account, asOf ledger.Date) (ledger.Date, error) {
	first, err := plan.FirstDay(ctx, w.Ledger, a.Number, a.Since, asOf)
	if err != nil {
		err = fmt.Errorf("since of account %s: %w", a.Number, err)
	}
	return first, err
}

func (w *Worker) numbers() []ledger.Account {
	out := make([]ledger.Account, len(w.Accounts))
	for i, a := range w.Accounts {
		out[i] = a.Number
	}
	return out
}

// planner plans what a night asks for.
func (w *Worker) planner() *plan.Planner {
	return &plan.Planner{Ledger: w.Ledger, Calendar: w.Terms.Calendar, Settings: w.Plan, Brand: w.Terms.Mapping.Brand}
}
