package reportset

import (
	"context"
	"slices"

	"concilia/export"
	"concilia/export/report"
	"concilia/store/ledger"
)

// measureCoverage returns how much of a period, or of all days of a state, was pulled for the account, by list.
func (b *Builder) measureCoverage(ctx context.Context, a Account, p ledger.Period) ([]export.Coverage, error) {
	run, set := b.Run, &b.Set
	since, err := ReadFirstDay(ctx, b.Ledger, a, run.AsOf)
	if err != nil {
		return nil, err
	}
	var out []export.Coverage
	asked := ledger.Period{From: max(since, p.From), To: min(p.To, run.AsOf-1)}
	if set.Basis == report.ByAsOf {
		asked.From = since
	}
	for _, source := range append([]ledger.Source{ledger.Cards}, ledger.SlipLists()...) {
		c, err := b.measureList(ctx, a.Number, source, asked)
		if err != nil {
			return nil, err
		}
		c.HistoryFrom = since
		if source != ledger.Cards {
			c.Horizon = run.AsOf + ledger.Date(b.SlipDaysAhead)
		}
		out = append(out, c)
	}
	return out, nil
}

func (b *Builder) measureList(
	ctx context.Context, a ledger.Account, s ledger.Source, p ledger.Period,
) (export.Coverage, error) {
	out := export.Coverage{Source: s}
	if p.Days() == 0 {
		return out, nil
	}
	covers, err := b.Ledger.Coverage(ctx, a, s, p)
	if err != nil {
		return out, err
	}
	for d := p.From; d <= p.To; d++ {
		switch c := covers[d]; {
		case c.Complete:
			out.Complete++
		case c.Pull != "":
			out.Partial++
		default:
			out.Missing++
		}
	}
	return out, nil
}

// readMonthSides returns the accounts that the month of a set has rows of, with what is known of its days and of those of the month
// before; none for a set without one. Of a set over all accounts it has none that a critical case withholds the month of.
func (b *Builder) readMonthSides(ctx context.Context, kinds []report.Kind) (map[ledger.Account]report.MonthSides, error) {
	if !slices.Contains(kinds, report.MonthKind) {
		return nil, nil
	}
	out := make(map[ledger.Account]report.MonthSides)
	for _, a := range b.Set.Accounts {
		if len(b.Verdicts.WithholdingCodes(a.Number, report.MonthKind)) > 0 {
			continue
		}
		now, err := b.measureCoverage(ctx, a, b.Set.Period)
		if err != nil {
			return nil, err
		}
		before := ledger.Period{From: (b.Set.Period.From - 1).MonthStart(), To: b.Set.Period.From - 1}
		last, err := b.measureCoverage(ctx, a, before)
		if err != nil {
			return nil, err
		}
		days := func(side string) (d report.MonthDays) {
			d = report.MonthDays{Incomplete: b.Verdicts.isIncomplete(a.Number, []string{side}, now), Compared: true}
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
