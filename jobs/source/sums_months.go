package source

import (
	"context"
	"strings"

	"concilia/export/report"
	"concilia/store/reports"
	"concilia/store/reportsums"
)

// monthOfSummary are the columns of a month that are those of a summary.
var monthOfSummary = map[string][]string{
	"installments": {"installments"}, "gross": {"gross"}, "mdr": {"mdr"}, "fees": {"transaction_fee", "antifraud_fee"},
	"anticipation": {"anticipation_cost"}, "adjustments": {"other_adjustments"}, "net_expected": {"net_expected"}, "splits": {"splits"},
	"received": {"received"}, "not_due": {"not_due"}, "overdue": {"overdue"}, "blocked": {"blocked"}, "short": {"short"}, "over": {"over"},
	"difference": {"difference"}, "cancelled_gross": {"cancelled_gross"},
}

// sumMonth are the ledger's own sums of a month, over rows and not over what was kept: of cards those of the summary.
func (set tableSums) sumMonth(ctx context.Context) (report.Sums, error) {
	out := report.Sums{Columns: map[string]int64{"sales": 0}}
	lasts := []string{"gross", "net_expected", "received", "difference"}
	for column := range monthOfSummary {
		out.Columns[column] = 0
	}
	for _, column := range lasts {
		out.Columns["last_"+column] = 0
	}
	err := set.forEachMonth(func(q reports.Query) error {
		lines := make(map[report.MonthItem]bool)
		now, err := set.sumMonthSides(ctx, q, report.MonthSides{Cards: report.MonthDays{Compared: true}, Slips: report.MonthDays{Compared: true}}, lines)
		if err != nil {
			return err
		}
		for column, v := range now {
			out.Columns[column] += v
		}
		q.Period = monthBefore(q.Period)
		last, err := set.sumMonthSides(ctx, q, set.MonthSides[q.Account], lines)
		for _, column := range lasts {
			out.Columns["last_"+column] += last[column]
		}
		out.Rows += int64(len(lines))
		return err
	})
	return out, err
}

// sumMonthSides sums a month of an account, of the sides that are compared, and notes the lines that have rows in it.
func (set tableSums) sumMonthSides(ctx context.Context, q reports.Query, of report.MonthSides, lines map[report.MonthItem]bool) (map[string]int64, error) {
	out := make(map[string]int64)
	cards, slips, err := monthReader(set).sumMonthParts(ctx, q)
	if err != nil {
		return nil, err
	}
	if of.Slips.Compared {
		for column, v := range slips.Columns {
			if column != reportsums.MonthUnattributed {
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
	summary, err := set.Known.Sum(ctx, set.Ledger, q, string(report.SummaryKind), set.Unit)
	if err != nil {
		return nil, err
	}
	out["sales"] += cards.Columns["sales"]
	for column, parts := range monthOfSummary {
		for _, part := range parts {
			out[column] += summary.Columns[part]
		}
	}
	adjusted, err := monthReader(set).readAdjustments(ctx, q, q.Period)
	if len(adjusted) > 0 {
		lines[report.MonthItem{Side: report.CardSide}] = true
	}
	for column := range cards.Columns {
		if brand, ok := strings.CutPrefix(column, reportsums.MonthBrand); ok {
			lines[report.MonthItem{Side: report.CardSide, Brand: brand}] = true
		}
	}
	return out, err
}
