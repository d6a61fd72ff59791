package jobs

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"time"

	"concilia/jobs/bank"
	"concilia/jobs/calendar"
	"concilia/jobs/evaluate"
	"concilia/jobs/othersides"
	"concilia/jobs/plan"
	"concilia/jobs/publish"
	"concilia/jobs/pull"
	"concilia/jobs/reconcile"
	"concilia/jobs/reportset"
	"concilia/jobs/rules"
	"concilia/jobs/sales"
	"concilia/jobs/setplan"
	"concilia/jobs/setpublish"
	"concilia/store"
	"concilia/store/ledger"
)

// Account is one account of the configuration.
type Account = reportset.Account

// ReportSettings is the configuration of reports.
type ReportSettings = reportset.Settings

// JournalSettings are the office's chart of accounts.
type JournalSettings = setplan.JournalSettings

// Target is where reports are published, with a staging directory for files that are not proven yet.
type Target = publish.Target

// Worker has everything that the jobs need. cmd/concilia fills it; fields are required unless they say otherwise. A
// Worker does one job at a time.
type Worker struct {
	Ledger   *store.Ledger
	Service  pull.Service // nil: the command does not call the service
	Inbox    pull.Inbox   // nil: no notifications are received
	Accounts []Account
	Inputs   reconcile.Inputs // AsOf and Since are filled by each run
	// Banks are the bank accounts whose statements are held against what the service says it paid, BankSettings what is changed of
	// their rules, and BankCalendar the days on which banks settle. Without Banks the others are not needed.
	Banks        []bank.Account
	BankSettings rules.Settings
	BankCalendar *calendar.Calendar
	// Stores are those whose own sales are held against what the service knows, SalesSettings what is changed of their rules.
	Stores        []sales.Store
	SalesSettings rules.Settings
	Target        Target // nil: the command publishes nothing
	// IsTargetGone reports whether an error is caused by the target itself, full or unreachable, so that publishing
	// anything else would fail too. nil: no error is.
	IsTargetGone func(error) bool
	// Retry decides after the n-th failed attempt at the target whether to try again, and waits before it returns true.
	// nil: no retries.
	Retry func(ctx context.Context, n int, err error) bool
	// Archive keeps every published file; it is required where anything is published.
	Archive *publish.Archive
	// SigningKey signs the manifests of what is published; nil: they are not signed.
	SigningKey ed25519.PrivateKey
	Reports    ReportSettings
	Movement   setpublish.MovementSettings
	Journal    JournalSettings
	Plan       plan.Settings
	ListCap    int // rows at which the operator truncates a list; 0: not known
	// NightBudget is the time after which a nightly run asks the service nothing more; 0: none.
	NightBudget time.Duration
	// SearchByCode: for notifications that fit no installment the service is asked for the sale, by its NSU and authorization.
	SearchByCode bool
	// Retention is for how many days published files are kept that are no longer current, by report kind or format; the
	// longer applies if both are set. Empty: for ever.
	Retention map[string]int
	// ArchiveKeepDays is for how many days after its publication the archive keeps a revision that the target has no more; 0: for
	// ever.
	ArchiveKeepDays int
	// AllAccounts says that Accounts are all that publish into the archive, none left out by a flag.
	AllAccounts    bool
	KeepBodies     int        // days for which the bodies of answers are kept; 0: for ever
	Parallel       int        // windows in flight, at least 1
	Queue          pull.Queue // distributes the units of a run; nil: to Parallel goroutines of this process
	Zone           *time.Location
	Now            func() time.Time // business clock
	Wall           func() time.Time // wall clock
	Clock          string           // the setting that moved the business clock, for the run record; empty: it was not moved
	ProgramVersion string           // version of the program
	Commit         string           // hash of the commit it was built from, or the id of the build; empty: unknown
	Config         string           // hash of the effective configuration
	Trigger        string           // what starts its runs: a cron occurrence; empty: a person
	// Parameters are the flags given to the command, for the run record, never a secret. nil: none.
	Parameters map[string]string
	Tail       func() string // random tail of a run id
	Progress   pull.Progress
	// Began is called with a run that begins or is continued, once it holds its accounts. nil: no call.
	Began func(*ledger.Run)
}

// Today is the date on the business clock.
func (w *Worker) Today() ledger.Date { return ledger.DateOf(w.Now(), w.Zone) }

// OtherSides returns the keeper of the worker's bank accounts and stores.
func (w *Worker) OtherSides() *othersides.Keeper {
	return &othersides.Keeper{
		Ledger: w.Ledger, Banks: w.Banks, BankSettings: w.BankSettings, BankCalendar: w.BankCalendar, Stores: w.Stores,
		SalesSettings: w.SalesSettings, Mapping: w.Inputs.Mapping, Contracts: w.Inputs.Contracts, Full: w.Inputs.Full, Today: w.Today, Wall: w.Wall,
	}
}

// Calibrate measures the candidate interpretations of what the service does not document on all rows of every account, and on the last
// days of statements how the payers of bank accounts pay.
func (w *Worker) Calibrate(ctx context.Context) (*evaluate.CalibrationResult, error) {
	c, err := w.newTask().newEvaluator().Calibrate(ctx, listNumbers(w.Accounts), w.Progress)
	if err != nil {
		return nil, err
	}
	banks, err := w.OtherSides().MeasureBanks(ctx)
	if err != nil {
		return nil, fmt.Errorf("calibrate: %w", err)
	}
	c.AddBanks(banks)
	return c, nil
}
