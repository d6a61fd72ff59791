package upkeep

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view"
	"concilia/store"
	"concilia/store/ledger"
)

func newLedgerPrune(inv *command.Invocation) *cobra.Command {
	var days int
	var dry bool
	cmd := &cobra.Command{
		Use:   "prune --keep DAYS",
		Short: "compact what no question needs any more",
		Long: `prune deletes of the nights before the last DAYS days: the pulls that showed only what was known, except the first and the last
of each window and those that a version, the coverage or a kept body needs; the units of work of the runs that
ended; what each rule counted in them; and the alerts. Versions of installments and slips, cases and their history, acts,
records of runs, expectations, published sets, their files and their numbers stay: explain, verify and --as-of-run of what was
published answer as before. The rules of an old run are no longer counted by runs show. Once a week a night does so with the pulls
older than 35 days.

It may be run twice, be killed, and work beside a night. A file of SQLite does not get smaller: its free pages are used again.
With --dry-run it only counts. DAYS is 35 at least, since the rules compare the answers of the last 30.

Exit status: 0 done, or nothing to do; 2 usage; 40 configuration; 50 there is no ledger, or it is unreachable; 130 interrupted.`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if days < store.LeastKept {
				return exit.NewUsageError("error.prune_keep", "hint.example", "n", store.LeastKept, "example", "--keep 90")
			}
			return pruneLedger(cmd.Context(), inv, days, dry)
		},
	}
	cmd.Flags().IntVar(&days, "keep", 0, "nights of the last `DAYS` days stay as they are")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "count what would be deleted and delete nothing")
	return cmd
}

func pruneLedger(ctx context.Context, inv *command.Invocation, days int, dry bool) error {
	c, err := inv.LoadConfig(0)
	if err != nil {
		return err
	}
	now, _, err := inv.BusinessClock(c)
	if err != nil {
		return err
	}
	before := ledger.DateOf(now(), c.Location()) - ledger.Date(days)
	began := inv.Wall()
	return withLedger(ctx, inv, func(l *store.Ledger) error {
		if _, _, err := l.Migrate(ctx); err != nil {
			return err
		}
		rows, err := l.Prune(ctx, before, dry)
		if err != nil {
			return err
		}
		return inv.WritePage(&view.LedgerPrune{
			Before: before, DryRun: dry, Pulls: rows.Pulls, Units: rows.Units, Tallies: rows.Tallies, Alerts: rows.Alerts,
			Took: inv.Wall().Sub(began).Round(time.Millisecond),
		})
	})
}
