package serving

import (
	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/daemon"
)

// NewServe is the command serve.
func NewServe(inv *command.Invocation) *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "start jobs on schedule and receive notifications until stopped",
		Long: `serve starts the jobs of schedule, each at its times in its zone, one at a time. Every occurrence is accounted for, and
concilia schedule shows its outcome. An occurrence that came due while no serve was running is run or skipped as
schedule[].missed says; one whose serve died is run again. Any number of serve processes may share a ledger on Postgres:
each occurrence is run once. A job reads the configuration and its files anew, as its command would; a job that fails does
not stop serve. Published sets that wait for reports.out are copied every 15 minutes.

It receives the service's notifications at webhook.listen, one path per account: webhook.public_url +
/notifications/ACCOUNT. Each is on disk before it is answered, and the next night links it to its installment. When it
starts, and once a day, it asks the service whether the subscriptions still point here. With a schedule and no webhook
configured it only starts jobs.

At console.listen it serves the desk in the browser, as concilia console does.

At metrics.listen, a separate address, it answers /metrics for Prometheus, /livez, and /readyz: ok, or what is wrong with
ledger, inbox or schedules. It sends alerts on no_run, and for a day retries alerts that could not be delivered.

On SIGTERM, SIGINT or SIGHUP it accepts nothing more, finishes the requests it has begun, and ends. A running job gets 30
seconds to finish; then it is interrupted, and the next serve runs it again. The schedule and the receiver's configuration
are read once: restart serve after a change. The TLS certificate is reloaded when its files change.

Exit status: 0 stopped by a signal; 40 configuration; 50 the ledger is unreachable; 2 usage.`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return daemon.Serve(cmd.Context(), &inv.Process) },
	}
}
