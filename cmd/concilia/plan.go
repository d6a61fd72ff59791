package main

import (
	"context"

	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/wire"
	"concilia/jobs"
	"concilia/jobs/plan"
	"concilia/store/ledger"

	"github.com/spf13/cobra"
)

// planOptions are the flags of plan.
type planOptions struct {
	asOf     dateFlag
	accounts []int64
}

func newPlan(g *globals) *cobra.Command {
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
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), g) },
	}
	asOfFlags(cmd, &o.asOf)
	accountFlag(cmd.Flags(), &o.accounts)
	return cmd
}

func (o *planOptions) run(ctx context.Context, g *globals) error {
	var asOf ledger.Date
	w, done, err := g.WireWorker(ctx, wire.WantKept, o.asOf.setWorkerDate(&asOf))
	if err != nil {
		return err
	}
	defer done()
	if err := chooseAccounts(w, o.accounts); err != nil {
		return err
	}
	night, err := planTonight(ctx, w, asOf)
	if err != nil {
		return err
	}
	return g.writePage(view.PlanOf(night))
}

// planTonight plans the night of a wired worker's accounts.
func planTonight(ctx context.Context, w *jobs.Worker, asOf ledger.Date) (*plan.NightPlan, error) {
	p := &plan.Planner{Ledger: w.Ledger, Calendar: w.Inputs.Calendar, Settings: w.Plan, Brand: w.Inputs.Mapping.Brand}
	return p.PlanNight(ctx, wire.PlannedAccounts(w), asOf)
}
