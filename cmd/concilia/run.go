package main

import (
	"github.com/spf13/cobra"
)

func newRun(g *globals) *cobra.Command {
	var asOf dateFlag
	cmd := &cobra.Command{
		Use:   "run",
		Short: "run one night: pull, reconcile, publish",
		Long: `run pulls what the night needs, reconciles as of a morning, and publishes the settlement reports. It may be run
twice and killed anywhere: started again, ledger and files end the same.` + "\n" + exitHelp,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			w, done, err := g.wire(cmd.Context(), wantService|wantTarget)
			if err != nil {
				return g.ended(nil, err, asOf.Date)
			}
			defer done()
			day, err := asOf.asOf(w.Today())
			if err != nil {
				return err
			}
			s, err := w.Night(cmd.Context(), day)
			return g.ended(s, err, day)
		},
	}
	asOfFlags(cmd, &asOf)
	return cmd
}
