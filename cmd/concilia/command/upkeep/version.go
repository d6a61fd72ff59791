package upkeep

import (
	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/view"
)

// NewVersion is the command version.
func NewVersion(inv *command.Invocation) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "print version, commit and build facts",
		Long: `version prints version, commit and build facts: the time of the commit and whether files differed from it, Go, system and
architecture, the version of the ledger's schema, and the versions of SQLite, of the PostgreSQL driver and of the job
queue.

Exit status: 0 printed; 2 usage.`,
		Args: command.NoArgs,
		RunE: func(*cobra.Command, []string) error { return inv.WritePage(view.ReadBuildFacts()) },
	}
}
