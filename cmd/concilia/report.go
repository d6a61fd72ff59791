package main

import (
	"context"

	"github.com/spf13/cobra"

	"concilia/jobs"
)

func newReport(g *globals) *cobra.Command {
	var o jobs.ReportRequest
	var from, to dateFlag
	var accountNumbers []int64
	cmd := &cobra.Command{
		Use:   "report --from DATE --to DATE",
		Short: "render and publish settlement reports of a period",
		Long: `report renders, proves and publishes the reports of a period as of the last finished reconcile of each account.
What stands already with equal content is not written again; otherwise the set gets its next revision.

Kinds: summary, installments, splits, slips, control. Formats: csv, xlsx, edi. A control table in csv always comes
along: it is the proof.` + "\n" + exitHelp,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if o.Period, err = periodOf(from, to); err != nil {
				return err
			}
			return g.report(cmd.Context(), o, accountNumbers)
		},
	}
	flags := cmd.Flags()
	flags.Var(&from, "from", "first day, YYYY-MM-DD")
	flags.Var(&to, "to", "last day, YYYY-MM-DD")
	flags.StringVar(&o.Basis, "basis", "operation", "the date that decides: operation, forecast, payment or credit")
	flags.StringSliceVar(&o.Kinds, "kind", nil, "only these `kinds` (default the configured ones)")
	flags.StringSliceVar(&o.Formats, "format", nil, "only these `formats` (default the configured ones)")
	flags.StringSliceVar(&o.Brands, "brand", nil, "only these `brands`; leaves the slips out")
	flags.StringSliceVar(&o.Statuses, "status", nil, "only these `classes`: open, received, blocked, cancelled, chargeback, paid, failed")
	flags.Int64SliceVar(&accountNumbers, "account", nil, "account `N`; may be given again (default all)")
	flags.StringVar(&o.Out, "out", "", "publish to this folder instead of reports.out")
	return cmd
}

func (g *globals) report(ctx context.Context, o jobs.ReportRequest, accountNumbers []int64) error {
	w, done, err := g.wireTo(ctx, wantTarget, o.Out)
	if err != nil {
		return g.ended(nil, err, 0)
	}
	defer done()
	if err := choose(w, accountNumbers); err != nil {
		return err
	}
	s, err := w.Report(ctx, o)
	return g.ended(s, err, w.Today())
}
