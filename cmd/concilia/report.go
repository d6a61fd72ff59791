package main

import (
	"context"

	"github.com/spf13/cobra"

	"concilia/export"
	"concilia/jobs"
)

func newReport(g *globals) *cobra.Command {
	var o jobs.ReportRequest
	var from, to dateFlag
	var accountNumbers []int64
	cmd := &cobra.Command{
		Use:   "report --from DATE --to DATE",
		Short: "render and publish settlement reports of a period, or the state of a day",
		Long: `report renders, proves and publishes the reports of a period as of the last finished reconcile of each account.
What stands already with equal content is not written again; otherwise the set gets its next revision.

Kinds of a period: summary, installments, splits, fees, slips, claims, restatement (what changed in closed months), statement
(edi alone, basis credit). Kinds of a state: exceptions, aging, agenda; they need --basis asof, which is the state on the morning the run rendered was of: --from and --to are left out, or are that day.
Formats: csv, csv-br, jsonl, xlsx, html (one page a set), edi. A control table in csv always comes along: it is the proof. fees holds what was charged against the contract; claims lists every installment and fee
charged off it, with the case that stands, as a pack to hold against the operator.

statement is a movement account of what the service settled, by credit date: receipts, slips with their tariffs, what was taken
back. It is no bank account and has no payouts; it opens with what the statement before it closed with. Ask for it by name:
report --kind statement --basis credit --from DATE --to DATE. Past 999,999 records EDI goes on in another file of the set.

A month that was closed on the basis stands as it was closed: its files are named, and no revision of it is made until it
is reopened. Of its own days only restatement and statement are rendered, each asked for by itself, without workbook and page.

--as-of-run R gives the bytes of the revision that stood when run R had reconciled, from what the ledger keeps: files that were
deleted are written again, those that are there stay untouched, and no revision is made. What this program would render otherwise
is not written: it is named with the SHA-256 of the file that was published (exit 30).` + "\n" + exitHelp,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			// The state on a day is that of the run rendered, which knows its day.
			if o.Basis != string(export.ByAsOf) || from.Date != 0 || to.Date != 0 {
				if o.Period, err = periodOf(from, to); err != nil {
					return err
				}
			}
			return g.report(cmd.Context(), o, accountNumbers)
		},
	}
	flags := cmd.Flags()
	flags.Var(&from, "from", "first day, YYYY-MM-DD")
	flags.Var(&to, "to", "last day, YYYY-MM-DD")
	flags.StringVar(&o.Basis, "basis", "operation", "the date that decides: operation, forecast, payment or credit; asof: none, the state of the day")
	flags.StringSliceVar(&o.Kinds, "kind", nil, "only these `kinds` (default the configured ones)")
	flags.StringSliceVar(&o.Formats, "format", nil, "only these `formats` (default the configured ones)")
	flags.StringSliceVar(&o.Brands, "brand", nil, "only these `brands`; leaves the slips out")
	flags.StringSliceVar(&o.Statuses, "status", nil, "only these `classes`: open, received, blocked, cancelled, chargeback, paid, failed")
	flags.Int64SliceVar(&accountNumbers, "account", nil, "account `N`; may be given again (default all)")
	flags.StringVar(&o.AsOfRun, "as-of-run", "", "the files that stood when this `run` had reconciled, byte for byte")
	flags.StringVar(&o.Out, "out", "", "publish to this folder instead of reports.out")
	return cmd
}

func (g *globals) report(ctx context.Context, o jobs.ReportRequest, accountNumbers []int64) error {
	w, done, err := g.wireTo(ctx, wantTarget|wantKept, o.Out)
	if err != nil {
		return g.ended(nil, err, 0)
	}
	defer done()
	if err := choose(w, accountNumbers); err != nil {
		return err
	}
	s, err := w.Report(ctx, o)
	stopped(ctx, w, err)
	return g.ended(s, err, w.Today())
}
