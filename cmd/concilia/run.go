package main

import (
	"cmp"

	"github.com/spf13/cobra"

	"concilia/jobs"
	"concilia/store/ledger"
)

func newRun(g *globals) *cobra.Command {
	var asOf dateFlag
	cmd := &cobra.Command{
		Use:   "run",
		Short: "run one night: pull, reconcile, publish",
		Long: `run pulls what the night needs, reconciles as of a morning, and publishes the settlement reports. It may be run
twice and killed anywhere: started again, ledger and files end the same.

Whoever pings and alerts name is told of it, which changes nothing of what it comes to. Where log.format is set, its steps
are lines of the log, each with the run, in place of progress.` + "\n" + exitHelp,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var day ledger.Date
			s, err := g.watched(cmd.Context(), &day, func() (*jobs.Worker, func(), error) {
				return g.wire(cmd.Context(), wantService|wantTarget, asOf.settle(&day))
			}, func(w *jobs.Worker) (*jobs.Summary, error) { return w.Night(cmd.Context(), day) })
			return g.ended(s, err, cmp.Or(day, asOf.Date))
		},
	}
	asOfFlags(cmd, &asOf)
	return cmd
}
