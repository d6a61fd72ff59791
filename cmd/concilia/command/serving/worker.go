package serving

import (
	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/daemon"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/wire"
)

// NewWorker is the command worker.
func NewWorker(inv *command.Invocation) *cobra.Command {
	parallel := wire.ParallelWindows
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "take work from the runs of other processes until stopped",
		Long: `worker takes units of work from runs that run, backfill and serve lead on the same ledger: it pulls windows, judges
accounts, and renders, proves and publishes the sets of an account. Any number of workers, on any number of machines,
share one PostgreSQL and, through it, the rate limit of the service's credential. A worker takes units only from runs of
the same program version with the same service, accounts, contract, mapping, profile, rules, calendars and report settings
as its own; other runs it ignores, with one line in its log.

A worker publishes what it renders to its own reports.out, which must be the same share as everywhere else, mounted
anywhere. While a run publishes, its folder contains a directory with a random name; a worker that does not find it leaves
the files of that run to others, as does one whose bucket or server has another address. Its log and runs show say so.

When it is told to stop, it takes no more units, gives those it has begun up to 30 seconds to finish, and ends. Unfinished
units, and those of a worker that died, go to others.

Exit status: 0 stopped by a signal; 40 configuration, refused credentials, or a ledger on SQLite, which cannot be shared;
50 the ledger is unreachable; 2 usage.`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if parallel < 1 || parallel > maxParallel {
				return exit.NewUsageError("error.flag_value", "hint.one_to", "flag", "--parallel", "value", parallel, "most", maxParallel)
			}
			return daemon.Work(cmd.Context(), &inv.Process, parallel)
		},
	}
	cmd.Flags().IntVar(&parallel, "parallel", parallel, "windows asked for at once, `N`")
	return cmd
}

// maxParallel bounds the windows a process asks for at once: beyond it the pace of the service decides.
const maxParallel = 64
