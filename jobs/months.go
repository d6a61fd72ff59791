package jobs

import (
	"context"
	"slices"

	"concilia/export/report"
	"concilia/store/ledger"
)

// readMonthSides returns the accounts that the month of a set has rows of, with what is known of its days and of those of the month
// before; none for a set without one. Of a set over all accounts it has none that a critical case withholds the month of.
func (b *jobBuilder) readMonthSides(ctx context.Context, kinds []report.Kind) (map[ledger.Account]report.MonthSides, error) {
	if !slices.Contains(kinds, report.MonthKind) {
		return nil, nil
	}
	out := make(map[ledger.Account]report.MonthSides)
	for _, a := range b.set.accounts {
		if len(b.verdicts.withholdingCodes(a.Number, report.MonthKind)) > 0 {
			continue
		}
		now, err := b.measureCoverage(ctx, a, b.set.period)
		if err != nil {
			return nil, err
		}
		before := ledger.Period{From: (b.set.period.From - 1).MonthStart(), To: b.set.period.From - 1}
		last, err := b.measureCoverage(ctx, a, before)
		if err != nil {
			return nil, err
		}
		days := func(side string) (d report.MonthDays) {
			d = report.MonthDays{Incomplete: b.verdicts.isIncomplete(a.Number, []string{side}, now), Compared: true}
			for _, c := range last {
				if c.Source.Side() == side && c.Complete < int64(before.Days()) {
					d.Compared = false
				}
			}
			return d
		}
		out[a.Number] = report.MonthSides{Cards: days(report.CardSide), Slips: days(report.SlipSide)}
	}
	return out, nil
}
