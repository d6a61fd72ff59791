package nights

import (
	"context"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/view/runview"
	"concilia/cmd/concilia/wire"
	"concilia/jobs"
	"concilia/jobs/plan"
	"concilia/store/ledger"
)

// planOptions are the flags of plan.
type planOptions struct {
	asOf     command.DateFlag
	accounts []int64
}

// NewPlan is the command plan.
func NewPlan(inv *command.Invocation) *cobra.Command {
	var o planOptions
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "show what tonight would ask for, and why",
		Long: `plan shows what a night would ask the service for, given what the ledger holds: the windows, each one day of one list,
under the first reason that applies, and the additional questions, whose answers do not prove a day. Below are the delays
the plan promises and the number of calls, compared with asking for the last 400 days of every list.

It does not call the service and writes nothing. It does not look at notifications that wait in the inbox: the night takes
them over first, and also asks for the days they name.

With --json it prints one object:
  {"as_of","accounts":[{"account","name","since","notifications","windows","beside"}],"delays","calls","look_back_calls"}
a window is {"source","from","to","reason"}; beside has "wider", "status_integration", "slip" or "brand" as well; a delay is
{"what","nights"}.

Exit status: 0 printed; 2 usage; 40 configuration; 50 the ledger is unreachable, or there is none yet; 130 interrupted.`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), inv) },
	}
	command.AddAsOfFlags(cmd, &o.asOf)
	command.AddAccountFlag(cmd.Flags(), &o.accounts)
	return cmd
}

func (o *planOptions) run(ctx context.Context, inv *command.Invocation) error {
	var asOf ledger.Date
	w, done, err := inv.WireWorker(ctx, wire.WantKept, o.asOf.SetWorkerDate(&asOf))
	if err != nil {
		return err
	}
	defer done()
	if err := command.ChooseAccounts(w, o.accounts); err != nil {
		return err
	}
	night, err := planTonight(ctx, w, asOf)
	if err != nil {
		return err
	}
	return inv.WritePage(runview.PlanOf(night))
}

// planTonight plans the night of a wired worker's accounts.
func planTonight(ctx context.Context, w *jobs.Worker, asOf ledger.Date) (*plan.NightPlan, error) {
	p := &plan.Planner{Ledger: w.Ledger, Calendar: w.Inputs.Calendar, Settings: w.Plan, Brand: w.Inputs.Mapping.Brand}
	return p.PlanNight(ctx, wire.PlannedAccounts(w), asOf)
}
