package setpublish

import (
	"context"
	"slices"

	"concilia/export/report"
	"concilia/jobs/reportset"
	"concilia/jobs/setplan"
	"concilia/jobs/source"
	"concilia/store/published"
	"concilia/store/reports"
)

// PublishReports publishes the sets of reports, those as of one run together, and lists the closed revisions that
// answer the others.
func (p *Publisher) PublishReports(ctx context.Context, out *Outcome, verdicts *reportset.Verdicts, reports []setplan.Report) error {
	for len(reports) > 0 {
		first := &reports[0]
		if len(first.Closed) > 0 {
			if err := p.nameClosed(ctx, out, first); err != nil {
				return err
			}
			reports = reports[1:]
			continue
		}
		var sets []reportset.Request
		for len(reports) > 0 && len(reports[0].Closed) == 0 && reports[0].Base.ID == first.Base.ID {
			sets, reports = append(sets, reports[0].Set), reports[1:]
		}
		write := p.PublishSets
		if first.Set.Extract {
			write = p.WriteExtracts
		}
		if err := write(ctx, first.Base, out, verdicts, sets); err != nil {
			return err
		}
	}
	return nil
}

// nameClosed lists the closed revisions that answer a report, and adds their rows to the totals; a set over all
// accounts has the same rows again.
func (p *Publisher) nameClosed(ctx context.Context, out *Outcome, r *setplan.Report) error {
	if slices.ContainsFunc(r.Closed, func(kept *published.Set) bool { return p.Files.Lacks(ctx, kept) }) {
		if err := p.copyClosed(ctx, out, r); err != nil {
			return err
		}
	} else {
		for _, kept := range r.Closed {
			out.noteFiles(p.Reports.Out, kept, false)
		}
	}
	if r.Set.IsOfAllAccounts() {
		return nil
	}
	return p.addClosedTotals(ctx, out, &r.Set, r.Closed)
}

// copyClosed copies the closed revisions that the target lacks to it again.
func (p *Publisher) copyClosed(ctx context.Context, out *Outcome, r *setplan.Report) error {
	return p.runPublication(ctx, r.Base, out, func(p *publication) error {
		for _, kept := range slices.Backward(r.Closed) {
			lacks := p.Lacks(ctx, kept)
			if lacks {
				if err := p.Deliver(ctx, kept, nil); err != nil {
					return err
				}
			}
			out.noteSet(kept, false)
			for _, f := range kept.Files {
				out.Files = append(out.Files, newFileSummary(p.Reports.Out, f, lacks))
			}
		}
		return nil
	})
}

// addClosedTotals adds the rows of closed revisions, the newest first: cards and slips each of the newest revision that
// has them, as the ledger sums them as of its run.
func (p *Publisher) addClosedTotals(ctx context.Context, out *Outcome, set *reportset.Request, closed []*published.Set) error {
	var sums report.Totals
	for _, kept := range closed {
		var kinds []report.Kind
		for _, f := range kept.Files {
			kinds = append(kinds, report.Kind(f.Kind))
		}
		of, err := source.SumSet(ctx, p.Ledger, out.Sums, p.Inputs.Profile.Unit, reports.Query{
			Account: set.Accounts[0].Number, Basis: kept.Basis, Period: kept.Period, AsOfRun: kept.Run,
		}, kinds)
		if err != nil {
			return err
		}
		sums.FillFrom(of)
	}
	out.WrittenTotals.Add(sums)
	return nil
}
