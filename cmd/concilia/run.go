package main

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/alerts"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/wire"
	"concilia/jobs"
	"concilia/store/ledger"
)

func newRun(g *globals) *cobra.Command {
	var asOf dateFlag
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "run",
		Short: "run one night: pull, reconcile, publish",
		Long: `run pulls what the night needs, reconciles as of a morning, and publishes the settlement reports. It may be run
twice and killed at any point: started again, it ends with the same ledger and files.

It sends the pings and alerts that are configured; whether they arrive does not affect the result. If log.format is set,
its steps are log lines with the run's id instead of progress output.

With --dry-run it shows what it would ask for, as plan does, and what it would publish with the ledger as it is: each set
with its current revision or the next one, and why. It asks the service nothing, writes neither the ledger nor reports.out,
sends no pings, and goes by an empty ledger where there is none yet. With --json that is one object:
  {"as_of","dry_run","plan","publish":[{"account","basis","from","to","kinds","formats","revision","new","why","withheld"}]}
plan is as plan --json prints it. Exit status then: 0 printed; 2 usage; 40 configuration; 50 the ledger is unreachable;
130 interrupted.` + "\n" + exit.Help,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if dryRun {
				return g.showDryRun(cmd.Context(), asOf)
			}
			var day ledger.Date
			s, err := alerts.RunWatched(cmd.Context(), &g.Process, &day, func() (*jobs.Worker, func(), error) {
				return g.WireWorker(cmd.Context(), wire.WantService|wire.WantTarget, asOf.setWorkerDate(&day))
			}, func(w *jobs.Worker) (*jobs.Summary, error) {
				if err := g.checkMovement(cmd.Context(), w); err != nil {
					return nil, err
				}
				return w.Night(cmd.Context(), day)
			})
			return g.concludeOrFail(cmd.Context(), s, err, cmp.Or(day, asOf.Date))
		},
	}
	asOfFlags(cmd, &asOf)
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "show what it would ask for and publish, and do nothing")
	return cmd
}

// showDryRun prints what a run of that morning would ask for, and what it would publish with the ledger as it is. Where there is
// no ledger yet it goes by an empty one, which is thrown away.
func (g *globals) showDryRun(ctx context.Context, asOf dateFlag) error {
	var day ledger.Date
	w, done, err := g.WireWorker(ctx, wire.WantKept|wire.WantNone, asOf.setWorkerDate(&day))
	if err != nil {
		return err
	}
	defer done()
	night, err := planTonight(ctx, w, day)
	if err != nil {
		return err
	}
	sets, err := w.PreviewNight(ctx, day)
	if err != nil {
		return err
	}
	return g.writePage(&view.DryRun{AsOf: day, IsDry: true, Plan: view.PlanOf(night), Publish: sets})
}
