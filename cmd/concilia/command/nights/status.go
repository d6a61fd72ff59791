package nights

import (
	"context"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/view/runview"
	"concilia/cmd/concilia/wire"
	"concilia/config"
)

// NewStatus is the command status.
func NewStatus(inv *command.Invocation) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "show the current state on one screen",
		Long: `status shows the figures of the cases as they are now: what is missing, at risk, claimed, waived and in excess; then the last
night and its verdict, how many days are complete and the oldest that is not, the cases by severity
and the oldest open one, the latest and next occurrences of the schedule, waiting notifications, files that wait for the
target, who holds an account, and the size of the ledger. It does not call the service and judges nothing: its exit code
says only whether the status could be read.

With --json it prints one object:
  {"now","as_of","figures":{"missing","lost","late","at_risk","claimed","waived","excess"},"ledger":{"kind","bytes"},
   "last_night":{the object of runs list, absent when no night has ended},"unfinished_night":{the same},
   "coverage":[{"account","source","days","complete","partial","missing","first_gap"}],
   "cases":[{"severity","state","cases","oldest"}],"other_cases",
   "oldest_case":{"case","code","severity","subject","impact","opened","days"},
   "schedule":{"last":[{"slot","job","state","why","run"}],"next":[{"slot","job"}]},
   "inbox":{"waiting","oldest"},"not_linked":{"waiting","oldest"},
   "outbox":[{"account","basis","from","to","revision","files","as_of"}],
   "held":[{"account","run","since","host","process"}],
   "banks":[{"bank","verdict","settled_to","received","proven"}]}
other_cases counts those of accounts that the configuration does not name, absent when there are none; schedule is absent when none is configured, oldest_case when no case is open, banks when no run has judged a bank account.

Exit status: 0 printed, whatever the state; 2 usage; 40 configuration; 50 ledger unreachable; 130 interrupted.`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return showStatus(cmd.Context(), inv) },
	}
}

func showStatus(ctx context.Context, inv *command.Invocation) error {
	w, done, err := inv.WireWorker(ctx, wire.WantKept)
	if err != nil {
		return err
	}
	defer done()
	c, err := config.LoadOffline(inv.ConfigPath, inv.Lookup) // WireWorker has printed its warnings
	if err != nil {
		return err
	}
	closeInbox, err := wire.WireInbox(ctx, w, inv.LedgerAddress(c))
	if err != nil {
		return err
	}
	defer closeInbox()
	s, err := wire.NewOverview(w).ReadStatus(ctx)
	if err == nil {
		s.Size, err = w.Ledger.Size(ctx)
	}
	if err != nil {
		return err
	}
	entries, err := wire.ScheduleEntries(c)
	if err != nil {
		return err
	}
	schedule, err := readSchedule(ctx, c, w.Ledger, entries, s.Now)
	if err != nil {
		return err
	}
	return inv.WritePage(runview.StatusOf(s, schedule.Status(), w.Zone))
}
