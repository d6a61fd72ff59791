package main

import (
	"context"

	"concilia/cmd/concilia/view"
	"concilia/jobs"
	"concilia/jobs/casework"
	"concilia/store/ledger"

	"github.com/spf13/cobra"
)

func newExplain(g *globals) *cobra.Command {
	var lang string
	cmd := &cobra.Command{
		Use:   "explain CASE",
		Short: "print one page about one case: formula, versions, contract, calendar, evidence",
		Long: `explain prints one page about one case, to show to the payment service's operator: what happened, the formula
with its numbers, every version of the record and what each answer changed, the contract line in force, the business days
behind its dates, the answers as evidence, related cases, and what would close it. It shows nothing about a payer.

CASE is the 16 hex digits of the case, or six or more leading digits if they are unique. With --json it prints one object.

Exit status: 0 printed; 2 usage, or an unknown case; 40 configuration; 50 ledger unreachable.`,
		Args: exactArgs(1, "a case"),
		RunE: func(cmd *cobra.Command, args []string) error { return g.explainCase(cmd.Context(), args[0], lang) },
	}
	languageFlag(cmd.Flags(), &lang)
	return cmd
}

func (g *globals) explainCase(ctx context.Context, id, lang string) error {
	if err := checkLanguage(lang); err != nil {
		return err
	}
	w, done, err := g.wireWorker(ctx, wantKept)
	if err != nil {
		return err
	}
	defer done()
	e, err := newExplainer(w).ExplainCase(ctx, id, lang)
	if err != nil {
		return err
	}
	return g.show(view.Explanation{CasePage: e, Zone: w.Zone})
}

// newExplainer answers from the ledger and the documents of a wired worker.
func newExplainer(w *jobs.Worker) *casework.Explainer {
	x := &casework.Explainer{
		Ledger: w.Ledger, Names: map[ledger.Account]string{}, Profile: w.Inputs.Profile, Calendar: w.Inputs.Calendar,
	}
	for _, a := range w.Accounts {
		x.Names[a.Number] = a.Name
	}
	return x
}
