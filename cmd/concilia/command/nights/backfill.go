package nights

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/alerts"
	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view/runview"
	"concilia/cmd/concilia/wire"
	"concilia/jobs"
	"concilia/jobs/calendar"
	"concilia/store/ledger"
)

// backfillOptions are the flags of backfill.
type backfillOptions struct {
	from, to, asOf command.DateFlag
	accounts       []int64
	source         string
	workers        int
	rate           float64
	most           int64
	recheck        bool
	dryRun         bool

	request jobs.BackfillRequest
	day     ledger.Date // to evaluate from
}

// NewBackfill is the command backfill.
func NewBackfill(inv *command.Invocation) *cobra.Command {
	var o backfillOptions
	cmd := &cobra.Command{
		Use:   "backfill --from DATE --to DATE",
		Short: "pull a range of past days, then apply the rules",
		Long: `backfill pulls every day of a range that is not complete yet, of each account and list, in windows as wide as the
answers allow, and then applies the rules to everything, as of the day after --to, or as of today if that day is still to
come. It publishes nothing: the next night or report does.

Each day is marked done in the transaction that writes its rows. If backfill is interrupted, even by a power failure, and
started again with the same range, accounts, source and --recheck, it continues the same run with what is left. With
--max-requests it stops by itself, says how many days are left, and exits with 30; the same command continues. A retry
after a fault does not count as another request.

Once the days of all lists of an account are complete from the start of the range to the first day the account was
answered for so far, it is answered for from the start of the range on.

--dry-run shows what would be asked; it asks nothing and writes nothing. With --json it prints one object per account
and list, one a line, with the windows in their order, assuming that every answer is small; "most" is their number if
none is, a window for each day:
  {"account","source","days","complete","windows":[{"from","to"}],"most"}
` + exit.Help,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), inv) },
	}
	flags := cmd.Flags()
	flags.Var(&o.from, "from", "first day, YYYY-MM-DD")
	flags.Var(&o.to, "to", "last day, YYYY-MM-DD")
	command.AddAccountFlag(flags, &o.accounts)
	flags.StringVar(&o.source, "source", "", "cards or slips (default both)")
	flags.IntVar(&o.workers, "workers", wire.ParallelWindows, "lists asked at a time")
	flags.Float64Var(&o.rate, "rate", 0, "requests a second (default service.requests_per_second)")
	flags.Int64Var(&o.most, "max-requests", 0, "stop after this many requests; the rest stays planned (default no limit)")
	flags.BoolVar(&o.recheck, "recheck", false, "also ask again for complete days")
	flags.BoolVar(&o.dryRun, "dry-run", false, "show what would be asked, and do nothing")
	command.AddAsOfFlags(cmd, &o.asOf)
	return cmd
}

// maxRate is the fastest pace, as in the configuration.
const maxRate = 1000

// checkFlags checks the flags that need no configuration.
func (o *backfillOptions) checkFlags() (err error) {
	if o.request.Period, err = command.PeriodOf(o.from, o.to); err != nil {
		return err
	}
	if o.request.Sources, err = sourcesOf(o.source); err != nil {
		return err
	}
	switch {
	case o.workers < 1:
		return exit.NewUsageError("error.flag_value", "hint.workers", "flag", "--workers", "value", o.workers)
	case o.rate < 0 || o.rate > maxRate:
		return exit.NewUsageError("error.flag_value", "hint.rate", "flag", "--rate", "value", o.rate)
	case o.most < 0:
		return exit.NewUsageError("error.flag_value", "hint.max_requests", "flag", "--max-requests", "value", o.most)
	}
	o.request.MaxRequests, o.request.Recheck = o.most, o.recheck
	return nil
}

// checkAgainstWorker checks the flags that need the worker's clock and accounts, before anything is opened.
func (o *backfillOptions) checkAgainstWorker(w *jobs.Worker) error {
	if err := command.ChooseAccounts(w, o.accounts); err != nil {
		return err
	}
	today := w.Today()
	if o.request.Period.From > today {
		return exit.NewUsageError("error.after_today", "hint.up_to_today", "flag", "--from", "day", o.request.Period.From, "today", today)
	}
	o.day = min(o.request.Period.To+1, today)
	if o.asOf.Date != 0 {
		if err := o.asOf.SetWorkerDate(&o.day)(w); err != nil {
			return err
		}
	} else if err := calendar.CheckDate(o.day); err != nil {
		return exit.NewInputError("to", err)
	}
	o.request.AsOf = o.day
	w.Parallel = o.workers
	return nil
}

func (o *backfillOptions) run(ctx context.Context, inv *command.Invocation) error {
	if err := o.checkFlags(); err != nil {
		return err
	}
	if o.dryRun {
		return o.showPlan(ctx, inv)
	}
	inv.Rate = o.rate
	s, err := alerts.RunWatched(ctx, &inv.Process, &o.day, func() (*jobs.Worker, func(), error) {
		return inv.WireWorker(ctx, wire.WantService, o.checkAgainstWorker)
	}, func(w *jobs.Worker) (*jobs.Summary, error) { return w.Backfill(ctx, o.request) })
	return inv.ConcludeOrFail(ctx, s, err, cmp.Or(o.day, o.asOf.Date))
}

// showPlan prints what a backfill would ask for. Where there is no ledger everything is to be asked for, and none is made.
func (o *backfillOptions) showPlan(ctx context.Context, inv *command.Invocation) error {
	c, err := inv.LoadConfig(0)
	if err != nil {
		return err
	}
	w := &jobs.Worker{Zone: c.Location()}
	if w.Now, _, err = inv.BusinessClock(c); err != nil {
		return err
	}
	if w.Accounts, err = wire.ConfiguredAccounts(c); err != nil {
		return err
	}
	if err := o.checkAgainstWorker(w); err != nil {
		return err
	}
	if wire.CheckLedgerFile(c.Ledger.Address()) == nil {
		if w.Ledger, err = inv.OpenKept(ctx, c); err != nil {
			return err
		}
		defer func() { _ = w.Ledger.Close() }() // nothing was written
	}
	lists, err := w.PlanBackfill(ctx, o.request)
	if err != nil {
		return err
	}
	page := &runview.Backfill{Lists: lists, Rate: cmp.Or(o.rate, c.Service.RequestsPerSecond), AsOf: o.day}
	return command.WriteLines(inv, lists, page)
}
