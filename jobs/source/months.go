package source

import (
	"context"
	"strings"

	"concilia/export/report"
	"concilia/jobs/reconcile"
	"concilia/store/ledger"
	"concilia/store/reports"
	"concilia/store/reportsums"
)

// monthBefore is the calendar month before that of a period.
func monthBefore(p ledger.Period) ledger.Period {
	last := p.From.MonthStart() - 1
	return ledger.Period{From: last.MonthStart(), To: last}
}

// monthReader reads a month and the one before it: it is a report.MonthSource.
type monthReader struct{ *Set }

// Months is the method of report.MonthSource.
func (r monthReader) Months(ctx context.Context, yield func(*report.AccountMonth) error) error {
	return r.forEachMonth(func(q reports.Query) error {
		before := monthBefore(q.Period)
		lines, err := r.Ledger.MonthLines(ctx, q.Account, q.AsOfRun, ledger.Period{From: before.From, To: q.Period.From})
		if err != nil {
			return err
		}
		m := &report.AccountMonth{Account: q.Account}
		for i := range lines {
			switch {
			case lines[i].Basis != q.Basis:
			case lines[i].Month == q.Period.From:
				m.Now = append(m.Now, lines[i])
			default:
				m.Before = append(m.Before, lines[i])
			}
		}
		if m.Adjusted, err = r.readAdjustments(ctx, q, q.Period); err != nil {
			return err
		}
		if m.AdjustedBefore, err = r.readAdjustments(ctx, q, before); err != nil {
			return err
		}
		if m.Verdicts, err = r.readMonthVerdicts(ctx, q); err != nil {
			return err
		}
		return yield(m)
	})
}

// readAdjustments reads the changes of closed periods that were first seen in a period.
func (r monthReader) readAdjustments(ctx context.Context, q reports.Query, p ledger.Period) (out []report.MonthAdjustment, err error) {
	q.Period = p
	return out, r.Ledger.Adjustments(ctx, q, func(_ ledger.Date, printed, exact ledger.RestatedSums) error {
		out = append(out, report.MonthAdjustment{Printed: printed, Exact: exact})
		return nil
	})
}

// forEachMonth runs fn with the query of each account that a month has rows of.
func (set *Set) forEachMonth(fn func(reports.Query) error) error {
	return set.forEachAccount(func(q reports.Query) error {
		if _, has := set.MonthSides[q.Account]; !has {
			return nil
		}
		return fn(q)
	})
}

// readMonthVerdicts reads what the cases and rows of an account's month leave to the verdicts of its lines: the cases on its rows, and
// on the basis of the sale those of cards whose own day is in it.
func (r monthReader) readMonthVerdicts(ctx context.Context, q reports.Query) (report.MonthVerdicts, error) {
	out := report.MonthVerdicts{Items: make(map[report.MonthItem]ledger.Verdict), Sides: make(map[string]ledger.Verdict)}
	worsen := func(side, brand string, v ledger.Verdict) {
		item := report.MonthItem{Side: side, Brand: brand}
		out.Items[item] = out.Items[item].Worse(v)
	}
	err := r.Ledger.UnresolvedCases(ctx, r.rootQuery(q.Account), func(c *reports.UnresolvedCase) error {
		side := reconcile.SideOf(c.Subject)
		byDay := side == report.CardSide && q.Basis == string(report.ByOperation) && q.Period.Contains(c.Day)
		if !c.OnRow && !byDay {
			return nil
		}
		if side == report.CardSide && !c.OnRow && c.Brand == "" {
			out.Sides[side] = out.Sides[side].Worse(c.Verdict)
			return nil
		}
		worsen(side, c.Brand, c.Verdict)
		return nil
	})
	if err != nil {
		return out, err
	}
	cards, slips, err := r.sumMonthParts(ctx, q)
	if err != nil {
		return out, err
	}
	for column := range cards.Columns {
		if brand, ok := strings.CutPrefix(column, reportsums.MonthUnattributed); ok {
			worsen(report.CardSide, brand, ledger.ReconciledWithWarnings)
		}
	}
	if slips.Columns[reportsums.MonthUnattributed] > 0 {
		worsen(report.SlipSide, "", ledger.ReconciledWithWarnings)
	}
	return out, nil
}

// sumMonthParts are the ledger's sums of a month that no other table has.
func (r monthReader) sumMonthParts(ctx context.Context, q reports.Query) (cards, slips reports.Sums, err error) {
	if cards, err = r.Known.Sum(ctx, r.Ledger, q, reportsums.MonthCards, r.Unit); err == nil {
		slips, err = r.Known.Sum(ctx, r.Ledger, q, reportsums.MonthSlips, r.Unit)
	}
	return cards, slips, err
}
