package nights

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/alerts"
	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view/runview"
	"concilia/cmd/concilia/wire"
	"concilia/config/problem"
	"concilia/export/words"
	"concilia/jobs"
	"concilia/store/ledger"
)

// NewRun is the command run.
func NewRun(inv *command.Invocation) *cobra.Command {
	var asOf command.DateFlag
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "run",
		Short: "run one night: pull, reconcile, publish",
		Long: `run pulls what the night needs, reconciles as of a morning, and publishes the settlement reports. It may be run
twice and killed at any point: started again, it ends with the same ledger and files.

It sends the pings and alerts that are configured; whether they arrive does not affect the result. If log.format is set,
its steps are log lines with the run's id instead of progress output.

With --dry-run it shows what it would ask for, as plan does, and what it would publish with the ledger as it is: each set
with its current revision or the next one, and why. It asks the service nothing, writes neither the ledger nor reports.out,
sends no pings, and goes by an empty ledger where there is none yet. With --json that is one object:
  {"as_of","dry_run","plan","publish":[{"account","basis","from","to","kinds","formats","revision","new","why","withheld"}]}
plan is as plan --json prints it. Exit status then: 0 printed; 2 usage; 40 configuration; 50 the ledger is unreachable;
130 interrupted.` + "\n" + exit.Help,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if dryRun {
				return showDryRun(cmd.Context(), inv, asOf)
			}
			var day ledger.Date
			s, err := alerts.RunWatched(cmd.Context(), &inv.Process, &day, func() (*jobs.Worker, func(), error) {
				return inv.WireWorker(cmd.Context(), wire.WantService|wire.WantTarget, asOf.SetWorkerDate(&day))
			}, func(w *jobs.Worker) (*jobs.Summary, error) {
				if err := checkMovement(cmd.Context(), inv, w); err != nil {
					return nil, err
				}
				return w.Night(cmd.Context(), day)
			})
			return inv.ConcludeOrFail(cmd.Context(), s, err, cmp.Or(day, asOf.Date))
		},
	}
	command.AddAsOfFlags(cmd, &asOf)
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "show what it would ask for and publish, and do nothing")
	return cmd
}

// showDryRun prints what a run of that morning would ask for, and what it would publish with the ledger as it is. Where there is
// no ledger yet it goes by an empty one, which is thrown away.
func showDryRun(ctx context.Context, inv *command.Invocation, asOf command.DateFlag) error {
	var day ledger.Date
	w, done, err := inv.WireWorker(ctx, wire.WantKept|wire.WantNone, asOf.SetWorkerDate(&day))
	if err != nil {
		return err
	}
	defer done()
	night, err := planTonight(ctx, w, day)
	if err != nil {
		return err
	}
	sets, err := w.PreviewNight(ctx, day)
	if err != nil {
		return err
	}
	return inv.WritePage(&runview.DryRun{AsOf: day, IsDry: true, Plan: runview.PlanOf(night), Publish: sets})
}

// checkMovement refuses settings of the movement that the first sets of the accounts have fixed otherwise.
func checkMovement(ctx context.Context, inv *command.Invocation, w *jobs.Worker) error {
	fixed, err := w.CheckMovement(ctx)
	if err != nil {
		return err
	}
	c, err := inv.LoadConfig(wire.WantKept)
	if err != nil {
		return err
	}
	var wrong problem.List
	for _, p := range []struct {
		key, value string
		want       words.Message
	}{
		{"movement.from", c.Movement.From, fixed.From},
		{"movement.settle_slips", c.Movement.SettleSlips, fixed.Settle},
		{"movement.sources", strings.Join(c.Movement.Sources, ", "), fixed.Sources},
	} {
		if p.want.ID != "" {
			wrong = append(wrong, c.Problem(p.key, p.value, p.want))
		}
	}
	if len(wrong) > 0 {
		return wrong
	}
	return nil
}
