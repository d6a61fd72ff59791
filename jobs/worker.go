package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"concilia/export"
	"concilia/jobs/api"
	"concilia/jobs/reconcile"
	"concilia/store"
	"concilia/store/ledger"
)

// Service is the part of the payment service a worker asks; *api.Client is one.
type Service interface {
	Installments(
		ctx context.Context, account ledger.Account, from, to ledger.Date, sink func(*ledger.Installment) error,
	) (api.Answer, error)
	Slips(
		ctx context.Context, list ledger.Source, account ledger.Account, from, to ledger.Date,
		statusIntegration ledger.Opt[int64],
	) (api.SlipAnswer, error)
	Slip(ctx context.Context, account ledger.Account, id string) (api.SlipAnswer, error)
}

// Account is one account the worker answers for.
type Account struct {
	Number ledger.Account
	Name   string
	Since  ledger.Date  // first day answered for; none: the first run's as-of less DefaultSinceDays
	Block  export.Block // of EDI files
}

// DefaultSinceDays is how far before its first as-of an account is answered for when nothing says otherwise.
const DefaultSinceDays = 60

// Worker is everything the jobs need. cmd/concilia fills it; every field is required but those that say otherwise. It
// does one job at a time.
type Worker struct {
	Ledger   *store.Ledger
	Service  Service // nil: this command asks the service nothing
	Inbox    Inbox   // nil: no notifications are taken over
	Accounts []Account
	Terms    reconcile.Inputs // AsOf and Since are filled by each run
	Target   Target           // nil: this command publishes nothing
	// TargetGone says whether an error is of the target itself, full or unreachable, so that nothing else can be
	// published either. nil: no error is.
	TargetGone func(error) bool
	// Retry waits, if it is worth that, after the n-th failed attempt at the target, and says whether there is another. nil:
	// there is none.
	Retry   func(ctx context.Context, n int, err error) bool
	Outbox  *Outbox // nil: what the target does not take is rendered again another time
	Reports ReportSettings
	Plan    PlanSettings
	// Retention is for how many days published files stay that do not stand any more, by report kind or format; of two that
	// fit a file the longer holds. None: for ever.
	Retention  map[string]int
	KeepBodies int   // days for which the bodies of answers are kept; 0: for ever
	Parallel   int   // windows in flight, at least 1
	Queue      Queue // who does the units of a run; nil: Parallel goroutines of this process
	Zone       *time.Location
	Now        func() time.Time // business clock
	Wall       func() time.Time // wall clock
	Clock      string           // how the business clock was moved, for the run record; empty: it was not
	Engine     string           // version of the program
	Commit     string           // hash of the commit it was built from; empty: not known
	Config     string           // hash of the effective configuration
	Trigger    string           // what begins its runs: a cron occurrence; empty: a person
	// Parameters are the flags that the command was given, for the run record. nil: none. Never a secret.
	Parameters map[string]string
	Tail       func() string // random tail of a run id
	Progress   Progress
	// Began hears of the run that begins, or is taken up again, once it holds its accounts. nil: nobody does.
	Began func(*ledger.Run)
}

// Today is the date on the business clock.
func (w *Worker) Today() ledger.Date { return ledger.DateOf(w.Now(), w.Zone) }

// since is the first day account a is answered for; on its first run it is decided and kept.
func (w *Worker) since(ctx context.Context, a Account, asOf ledger.Date) (ledger.Date, error) {
	kept, err := w.Ledger.Since(ctx, a.Number)
	switch {
	case err == nil && (a.Since == 0 || a.Since >= kept):
		return kept, nil
	case err != nil && !errors.Is(err, store.ErrNotFound):
		return 0, fmt.Errorf("since of account %s: %w", a.Number, err)
	}
	first := a.Since
	if first == 0 {
		first = asOf - DefaultSinceDays
	}
	if err := w.Ledger.SetSince(ctx, a.Number, first); err != nil {
		return 0, fmt.Errorf("since of account %s: %w", a.Number, err)
	}
	return first, nil
}

func (w *Worker) numbers() []ledger.Account {
	out := make([]ledger.Account, len(w.Accounts))
	for i, a := range w.Accounts {
		out[i] = a.Number
	}
	return out
}
