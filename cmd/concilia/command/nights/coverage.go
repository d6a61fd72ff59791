package nights

import (
	"context"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view/runview"
	"concilia/cmd/concilia/wire"
	"concilia/jobs"
	"concilia/store/ledger"
)

// coverageOptions are the flags of coverage.
type coverageOptions struct {
	asOf, from, to command.DateFlag
	accounts       []int64
	source         string
}

// NewCoverage is the command coverage.
func NewCoverage(inv *command.Invocation) *cobra.Command {
	var o coverageOptions
	cmd := &cobra.Command{
		Use:   "coverage",
		Short: "show which days are complete, partial or missing",
		Long: `coverage shows every day the accounts are answered for, of each list, as a calendar: a row a month, a mark a day.

A day is complete when a complete answer to a question asked after the end of the day was kept, partial when it was asked
for but there is no such answer, and missing when it was never asked for. coverage does not call the service.

With --json it prints one object per line and day, so that a gap is a line:
  {"account","name","source","day","state","since","since_on","pull","began","failure"}
since is the first pull that proves the day and since_on its date; pull is the last one, begun at began; failure says
why the answer to that one was not complete.

Exit status: 0 every day is complete; 30 a day is not; 2 usage; 40 configuration; 50 ledger unreachable.`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), inv) },
	}
	command.AddAsOfFlags(cmd, &o.asOf)
	flags := cmd.Flags()
	flags.Var(&o.from, "from", "first day, YYYY-MM-DD (default the first answered for)")
	flags.Var(&o.to, "to", "last day, YYYY-MM-DD (default the day before --as-of)")
	command.AddAccountFlag(flags, &o.accounts)
	flags.StringVar(&o.source, "source", "", "cards or slips (default both)")
	return cmd
}

func (o *coverageOptions) run(ctx context.Context, inv *command.Invocation) error {
	sources, err := sourcesOf(o.source)
	if err != nil {
		return err
	}
	if o.from.Date != 0 && o.to.Date != 0 && o.to.Date < o.from.Date {
		return exit.NewUsageError("error.period_backwards", "hint.from_then_to", "from", o.from, "to", o.to)
	}
	var asOf ledger.Date
	w, done, err := inv.WireWorker(ctx, wire.WantKept, o.asOf.SetWorkerDate(&asOf))
	if err != nil {
		return err
	}
	defer done()
	if err := command.ChooseAccounts(w, o.accounts); err != nil {
		return err
	}
	all, err := wire.NewOverview(w).ReadCoverage(ctx, asOf, ledger.Period{From: o.from.Date, To: o.to.Date}, sources)
	if err != nil {
		return err
	}
	page := runview.Coverage(all)
	if err := command.WriteLines(inv, page.Days(), page); err != nil {
		return err
	}
	for _, c := range all {
		if c.FirstGap != 0 {
			return exit.Status(jobs.ExitIncomplete)
		}
	}
	return nil
}
