package upkeep

import (
	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/view"
	"concilia/store"
)

// NewMigrate is the command migrate.
func NewMigrate(inv *command.Invocation) *cobra.Command {
	return &cobra.Command{
		Use:   "migrate",
		Short: "bring the ledger's schema up to this program's",
		Long: `migrate brings the ledger's schema up to this program's. Every command that opens the ledger does the same
at its start; this one does nothing else.

Exit status: 0 migrated, or nothing to do; 2 usage; 40 configuration; 50 the ledger is unreachable; 130 interrupted.`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := inv.LoadConfig(0)
			if err != nil {
				return err
			}
			l, err := store.Open(cmd.Context(), inv.LedgerAddress(c))
			if err != nil {
				return err
			}
			defer func() { _ = l.Close() }() // each step is committed: a failed close loses nothing
			from, to, err := l.Migrate(cmd.Context())
			if err != nil {
				return err
			}
			return inv.WritePage(view.Migration{From: from, To: to})
		},
	}
}
