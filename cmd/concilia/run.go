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
twice and killed at any point: started again, it ends with the same ledger and files.

It sends the pings and alerts that are configured; whether they arrive does not affect the result. If log.format is set,
its steps are log lines with the run's id instead of progress output.` + "\n" + exitHelp,
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
