package stores

import (
	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/view/salesview"
	"concilia/store"
)

func newSalesFiles(inv *command.Invocation) *cobra.Command {
	var only string
	cmd := &cobra.Command{
		Use:   "files",
		Short: "list the files that were taken in",
		Long: `files lists the files of stores in the order they were made, with the days they have whole and what became of their rows.

With --json it prints one object per line:
  {"store","file","sha256","format","from","to","made","rows","new","changed","same","vanished","quarantined","actor","taken"}.

Exit status: 0 shown; 2 usage; 40 configuration; 50 ledger unreachable.`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withShops(cmd.Context(), inv, only, func(l *store.Ledger, shops []keptShop) error {
				var all salesview.SalesFiles
				for _, s := range shops {
					files, err := l.OwnFiles(cmd.Context(), s.Shop)
					if err != nil {
						return err
					}
					all = append(all, salesview.SalesFilesOf(s.ID, files)...)
				}
				return command.WriteLines(inv, all, all)
			})
		},
	}
	cmd.Flags().StringVar(&only, "store", "", "the `ID` of one store (default: all)")
	return cmd
}
