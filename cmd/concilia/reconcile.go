package main

import (
	"cmp"

	"github.com/spf13/cobra"

	"concilia/jobs"
	"concilia/store/ledger"
)

func newReconcile(g *globals) *cobra.Command {
	var asOf dateFlag
	var full bool
	cmd := &cobra.Command{
		Use:   "reconcile",
		Short: "let the rules judge what is kept",
		Long: `reconcile asks the service nothing: the rules judge what the ledger holds, as of a morning: what changed since the
last time, what time turns, and what has a case that is not over. Everything, when a document or a rule changed, when
the morning lies before the last one's, or with --full; both come to the same.` + "\n" +
			exitHelp,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var day ledger.Date
			s, err := g.watched(cmd.Context(), &day, func() (*jobs.Worker, func(), error) {
				return g.wire(cmd.Context(), wantKept, asOf.settle(&day))
			}, func(w *jobs.Worker) (*jobs.Summary, error) {
				w.Terms.Full = full
				return w.Reconcile(cmd.Context(), day)
			})
			return g.ended(s, err, cmp.Or(day, asOf.Date))
		},
	}
	asOfFlags(cmd, &asOf)
	cmd.Flags().BoolVar(&full, "full", false, "judge everything and make every sum anew")
	return cmd
}
