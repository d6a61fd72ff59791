package main

import (
	"github.com/spf13/cobra"
)

func newReconcile(g *globals) *cobra.Command {
	var asOf dateFlag
	cmd := &cobra.Command{
		Use:   "reconcile",
		Short: "let the rules judge what is kept",
		Long: `reconcile asks the service nothing: the rules judge what the ledger holds, as of a morning.` + "\n" +
			exitHelp,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			w, done, err := g.wire(cmd.Context(), 0)
			if err != nil {
				return g.ended(nil, err, asOf.Date)
			}
			defer done()
			day, err := asOf.asOf(w.Today())
			if err != nil {
				return err
			}
			s, err := w.Reconcile(cmd.Context(), day)
			return g.ended(s, err, day)
		},
	}
	asOfFlags(cmd, &asOf)
	return cmd
}
