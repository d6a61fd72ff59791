package nights

import (
	"cmp"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/alerts"
	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/wire"
	"concilia/jobs"
	"concilia/store/ledger"
)

// NewReconcile is the command reconcile.
func NewReconcile(inv *command.Invocation) *cobra.Command {
	var asOf command.DateFlag
	var full bool
	cmd := &cobra.Command{
		Use:   "reconcile",
		Short: "apply the rules to what the ledger holds",
		Long: `reconcile applies the rules to what the ledger holds, as of a morning, without calling the service. It judges what
changed since the last time, what the passage of time may change, and what has a case that is not over. It judges
everything when a document or a rule changed, when the morning is earlier than the last one, or with --full. Both ways
give the same result.` + "\n" +
			exit.Help,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var day ledger.Date
			s, err := alerts.RunWatched(cmd.Context(), &inv.Process, &day, func() (*jobs.Worker, func(), error) {
				return inv.WireWorker(cmd.Context(), wire.WantKept, asOf.SetWorkerDate(&day))
			}, func(w *jobs.Worker) (*jobs.Summary, error) {
				w.Inputs.Full = full
				return w.Reconcile(cmd.Context(), day)
			})
			return inv.ConcludeOrFail(cmd.Context(), s, err, cmp.Or(day, asOf.Date))
		},
	}
	command.AddAsOfFlags(cmd, &asOf)
	cmd.Flags().BoolVar(&full, "full", false, "evaluate everything and recompute every sum")
	return cmd
}
