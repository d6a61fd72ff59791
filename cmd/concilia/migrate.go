package main

import (
	"github.com/spf13/cobra"

	"concilia/cmd/concilia/view"
	"concilia/store"
)

func newMigrate(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "migrate",
		Short: "bring the ledger's schema up to this program's",
		Long: `migrate brings the ledger's schema up to this program's. Every command that opens the ledger does the same
at its start; this one does nothing else.

Exit status: 0 migrated, or nothing to do; 2 usage; 40 configuration; 50 the ledger is unreachable; 130 interrupted.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := g.LoadConfig(0)
			if err != nil {
				return err
			}
			l, err := store.Open(cmd.Context(), g.LedgerAddress(c))
			if err != nil {
				return err
			}
			defer func() { _ = l.Close() }() // each step is committed: a failed close loses nothing
			from, to, err := l.Migrate(cmd.Context())
			if err != nil {
				return err
			}
			return g.writePage(view.Migration{From: from, To: to})
		},
	}
}
