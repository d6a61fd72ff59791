package main

import (
	"cmp"
	"context"
	"math"
	"time"

	"github.com/spf13/cobra"

	"concilia/jobs"
	"concilia/jobs/calendar"
	"concilia/store/ledger"
)

// backfillOptions are the flags of backfill.
type backfillOptions struct {
	from, to, asOf dateFlag
	accounts       []int64
	source         string
	workers        int
	rate           float64
	most           int64
	recheck        bool
	dryRun         bool

	request jobs.BackfillRequest
	day     ledger.Date // to judge from
}

func newBackfill(g *globals) *cobra.Command {
	var o backfillOptions
	cmd := &cobra.Command{
		Use:   "backfill --from DATE --to DATE",
		Short: "pull a range of past days, then judge",
		Long: `backfill pulls every day of a range that is not complete yet, of each account and list, in windows as wide as the
answers allow, and then lets the rules judge everything, as of the day after --to when that has come, else as of today.
It publishes nothing: the next night does, or report.

Each day is done in the same commit as its rows. Ended anywhere, even by a loss of power, and started again with the
same range, accounts, source and --recheck, it goes on in the same run with what is left. With --max-requests it stops
by itself, says how many days are left, and ends with 30; the same command goes on. A request that is sent again after
a fault is not counted twice.

An account is answered for from the first day of the range on, when the days of all its lists are complete from there
to where it was answered for before.

--dry-run shows what would be asked: it asks nothing and writes nothing. With --json it prints one object per line,
account and list, with the windows as they are when every answer is small, in their order; when no answer is, there are
as many as days:
  {"account","source","days","complete","windows":[{"from","to"}],"most"}
` + exitHelp,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), g) },
	}
	flags := cmd.Flags()
	flags.Var(&o.from, "from", "first day, YYYY-MM-DD")
	flags.Var(&o.to, "to", "last day, YYYY-MM-DD")
	flags.Int64SliceVar(&o.accounts, "account", nil, "account `N`; may be given again (default all)")
	flags.StringVar(&o.source, "source", "", "cards or slips (default both)")
	flags.IntVar(&o.workers, "workers", parallelWindows, "lists asked at a time")
	flags.Float64Var(&o.rate, "rate", 0, "requests a second (default service.requests_per_second)")
	flags.Int64Var(&o.most, "max-requests", 0, "stop after so many requests, the rest stays planned (default no end)")
	flags.BoolVar(&o.recheck, "recheck", false, "ask again for days that are complete, too")
	flags.BoolVar(&o.dryRun, "dry-run", false, "show what would be asked, and do nothing")
	asOfFlags(cmd, &o.asOf)
	return cmd
}

// maxRate is the fastest pace, as in the configuration.
const maxRate = 1000

// read checks the flags that need no configuration.
func (o *backfillOptions) read() (err error) {
	if o.request.Period, err = periodOf(o.from, o.to); err != nil {
		return err
	}
	if o.request.Sources, err = sourcesOf(o.source); err != nil {
		return err
	}
	switch {
	case o.workers < 1:
		return usage("1 asks one list after another", "--workers %d", o.workers)
	case o.rate < 0 || o.rate > maxRate:
		return usage("more than 0 and at most 1000; leave it out for the configured one", "--rate %g", o.rate)
	case o.most < 0:
		return usage("a number of requests; leave it out for no end", "--max-requests %d", o.most)
	}
	o.request.MaxRequests, o.request.Recheck = o.most, o.recheck
	return nil
}

// settle checks the flags that need the worker's clock and accounts, before anything is opened.
func (o *backfillOptions) settle(w *jobs.Worker) error {
	if err := choose(w, o.accounts); err != nil {
		return err
	}
	today := w.Today()
	if o.request.Period.From > today {
		return usage("give days up to today", "--from %s lies after today, %s", o.request.Period.From, today)
	}
	o.day = min(o.request.Period.To+1, today)
	if o.asOf.Date != 0 {
		if err := o.asOf.settle(&o.day)(w); err != nil {
			return err
		}
	} else if err := calendar.Check(o.day); err != nil {
		return &inputError{"to", err}
	}
	o.request.AsOf = o.day
	w.Parallel = o.workers
	return nil
}

func (o *backfillOptions) run(ctx context.Context, g *globals) error {
	if err := o.read(); err != nil {
		return err
	}
	if o.dryRun {
		return o.show(ctx, g)
	}
	g.rate = o.rate
	s, err := g.watched(ctx, &o.day, func() (*jobs.Worker, func(), error) {
		return g.wire(ctx, wantService, o.settle)
	}, func(w *jobs.Worker) (*jobs.Summary, error) { return w.Backfill(ctx, o.request) })
	return g.ended(s, err, cmp.Or(o.day, o.asOf.Date))
}

// pacedFor is how long so many requests take at a pace, in whole seconds, the last one begun.
func pacedFor(requests int, perSecond float64) time.Duration {
	return time.Duration(math.Ceil(float64(requests)/perSecond)) * time.Second
}
