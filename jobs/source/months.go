package source

import (
	"context"
	"strings"

	"concilia/export/report"
	"concilia/jobs/reconcile"
	"concilia/store/ledger"
	"concilia/store/reports"
)

// monthBefore is the calendar month before that of a period.
func monthBefore(p ledger.Period) ledger.Period {
	last := p.From.MonthStart() - 1
	return ledger.Period{From: last.MonthStart(), To: last}
}

// Months is the part of report.RowSource that only a month asks for.
func (f *ReportSource) Months(ctx context.Context, yield func(*report.AccountMonth) error) error {
	return f.forEachMonth(func(q reports.Query) error {
		before := monthBefore(q.Period)
		lines, err := f.Ledger.MonthLines(ctx, q.Account, q.AsOfRun, ledger.Period{From: before.From, To: q.Period.From})
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
		if m.Adjusted, err = f.readAdjustments(ctx, q, q.Period); err != nil {
			return err
		}
		if m.AdjustedBefore, err = f.readAdjustments(ctx, q, before); err != nil {
			return err
		}
		if m.Verdicts, err = f.readMonthVerdicts(ctx, q); err != nil {
			return err
		}
		return yield(m)
	})
}

// readAdjustments reads the changes of closed periods that were first seen in a period.
func (f *ReportSource) readAdjustments(ctx context.Context, q reports.Query, p ledger.Period) (out []report.MonthAdjustment, err error) {
	q.Period = p
	return out, f.Ledger.Adjustments(ctx, q, func(_ ledger.Date, printed, exact ledger.RestatedSums) error {
		out = append(out, report.MonthAdjustment{Printed: printed, Exact: exact})
		return nil
	})
}

// forEachMonth runs fn with the query of each account that a month has rows of.
func (f *ReportSource) forEachMonth(fn func(reports.Query) error) error {
	return f.forEachAccount(func(q reports.Query) error {
		if _, has := f.MonthSides[q.Account]; !has {
			return nil
		}
		return fn(q)
	})
}

// readMonthVerdicts reads what the cases and rows of an account's month leave to the verdicts of its lines: the cases on its rows, and
// on the basis of the sale those of cards whose own day is in it.
func (f *ReportSource) readMonthVerdicts(ctx context.Context, q reports.Query) (report.MonthVerdicts, error) {
	out := report.MonthVerdicts{Items: make(map[report.MonthItem]ledger.Verdict), Sides: make(map[string]ledger.Verdict)}
	worsen := func(side, brand string, v ledger.Verdict) {
		item := report.MonthItem{Side: side, Brand: brand}
		out.Items[item] = out.Items[item].Worse(v)
	}
	err := f.Ledger.UnresolvedCases(ctx, f.rootQuery(q.Account), func(c *reports.UnresolvedCase) error {
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
	cards, slips, err := f.sumMonthParts(ctx, q)
	if err != nil {
		return out, err
	}
	for column := range cards.Columns {
		if brand, ok := strings.CutPrefix(column, reports.MonthUnattributed); ok {
			worsen(report.CardSide, brand, ledger.ReconciledWithWarnings)
		}
	}
	if slips.Columns[reports.MonthUnattributed] > 0 {
		worsen(report.SlipSide, "", ledger.ReconciledWithWarnings)
	}
	return out, nil
}

// sumMonthParts are the ledger's sums of a month that no other table has.
func (f *ReportSource) sumMonthParts(ctx context.Context, q reports.Query) (cards, slips reports.Sums, err error) {
	if cards, err = f.Known.Sum(ctx, f.Ledger, q, reports.MonthCards, f.Unit); err == nil {
		slips, err = f.Known.Sum(ctx, f.Ledger, q, reports.MonthSlips, f.Unit)
	}
	return cards, slips, err
}

// monthOfSummary are the columns of a month that are those of a summary.
var monthOfSummary = map[string][]string{
	"installments": {"installments"}, "gross": {"gross"}, "mdr": {"mdr"}, "fees": {"transaction_fee", "antifraud_fee"},
	"anticipation": {"anticipation_cost"}, "adjustments": {"other_adjustments"}, "net_expected": {"net_expected"}, "splits": {"splits"},
	"received": {"received"}, "not_due": {"not_due"}, "overdue": {"overdue"}, "blocked": {"blocked"}, "short": {"short"}, "over": {"over"},
	"difference": {"difference"}, "cancelled_gross": {"cancelled_gross"},
}

// sumMonth are the ledger's own sums of a month, over rows and not over what was kept: of cards those of the summary.
func (f *ReportSource) sumMonth(ctx context.Context) (report.Sums, error) {
	out := report.Sums{Columns: map[string]int64{"sales": 0}}
	lasts := []string{"gross", "net_expected", "received", "difference"}
	for column := range monthOfSummary {
		out.Columns[column] = 0
	}
	for _, column := range lasts {
		out.Columns["last_"+column] = 0
	}
	err := f.forEachMonth(func(q reports.Query) error {
		lines := make(map[report.MonthItem]bool)
		now, err := f.sumMonthSides(ctx, q, report.MonthSides{Cards: report.MonthDays{Compared: true}, Slips: report.MonthDays{Compared: true}}, lines)
		if err != nil {
			return err
		}
		for column, v := range now {
			out.Columns[column] += v
		}
		q.Period = monthBefore(q.Period)
		last, err := f.sumMonthSides(ctx, q, f.MonthSides[q.Account], lines)
		for _, column := range lasts {
			out.Columns["last_"+column] += last[column]
		}
		out.Rows += int64(len(lines))
		return err
	})
	return out, err
}

// sumMonthSides sums a month of an account, of the sides that are compared, and notes the lines that have rows in it.
func (f *ReportSource) sumMonthSides(ctx context.Context, q reports.Query, of report.MonthSides, lines map[report.MonthItem]bool) (map[string]int64, error) {
	out := make(map[string]int64)
	cards, slips, err := f.sumMonthParts(ctx, q)
	if err != nil {
		return nil, err
	}
	if of.Slips.Compared {
		for column, v := range slips.Columns {
			if column != reports.MonthUnattributed {
				out[column] += v
			}
		}
		if slips.Columns["sales"] != 0 || slips.Columns["cancelled_gross"] != 0 {
			lines[report.MonthItem{Side: report.SlipSide}] = true
		}
	}
	if !of.Cards.Compared {
		return out, nil
	}
	summary, err := f.Known.Sum(ctx, f.Ledger, q, string(report.SummaryKind), f.Unit)
	if err != nil {
		return nil, err
	}
	out["sales"] += cards.Columns["sales"]
	for column, parts := range monthOfSummary {
		for _, part := range parts {
			out[column] += summary.Columns[part]
		}
	}
	adjusted, err := f.readAdjustments(ctx, q, q.Period)
	if len(adjusted) > 0 {
		lines[report.MonthItem{Side: report.CardSide}] = true
	}
	for column := range cards.Columns {
		if brand, ok := strings.CutPrefix(column, reports.MonthBrand); ok {
			lines[report.MonthItem{Side: report.CardSide, Brand: brand}] = true
		}
	}
	return out, err
}
