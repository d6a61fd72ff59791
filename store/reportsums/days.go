package reportsums

import (
	"context"

	"concilia/store/ledger"
	"concilia/store/reports"
	"concilia/store/totals"
)

// addUpDays is sumCardRows by the sums of sale days that reconciles kept. A reconcile computes them of what it wrote; nothing that renders
// a report has a part in it.
func (s *cardSums) addUpDays(ctx context.Context) (reports.Sums, error) {
	mdrRates, anticipationRates := "mdr_rates", "anticipation_rates"
	if s.unit == ledger.Fraction {
		mdrRates, anticipationRates = "mdr_fractions", "anticipation_fractions"
	}
	columns := []sumColumn{
		{"installment", "numbers"},
		{"installments", "counts"},
		{"sale_total", "sale_totals"},
		{"gross", "gross_sent"},
		{"mdr", "mdr"},
		{"mdr_rate", mdrRates},
		{"contract_mdr_rate", "contract_mdr_rates"},
		{"transaction_fee", "fees"},
		{"transaction_fee_sale", "sale_fees"},
		{"antifraud_fee", "antifraud"},
		{"antifraud_fee_sale", "sale_antifraud"},
		{"anticipation", "anticipation"},
		{"anticipation_rate", anticipationRates},
		{"anticipation_days", "days_anticipated"},
		{"splits", "splits"},
		{"net_expected", "net"},
		{"net_contract", "net_contract"},
		{"received", "received"},
		{"days_late", "days_late"},
		{"impact", "impacts"},
		{"version", "versions"},
		{"gross_cents", "gross_cents / 100"},
		{CardDifference, "differences"},
		{summaryPrefix + "rows", "summary_lines"},
		{summaryPrefix + "sales", "live_sales_of_lines"},
		{summaryPrefix + SalesOfTheSet, "live_sales"},
	}
	for _, c := range daySummaryColumns() {
		columns = append(columns, sumColumn{summaryPrefix + c[0], c[1]})
	}
	from, args := s.keptDays()
	return s.sumColumns(ctx, columns, "", "CAST(COALESCE(SUM(installments), 0) AS BIGINT)", from, args)
}

// keptDays are the kept sums of the sale days of a query that chooses whole days.
func (s *cardSums) keptDays() (from string, args []any) {
	return totals.DaySumTable.Name + `
		WHERE account = $1 AND sale_day BETWEEN $2 AND $3 AND run <= $4 AND (ended_run IS NULL OR ended_run > $4)`,
		[]any{int64(s.q.Account), int64(s.q.Period.From), int64(s.q.Period.To), s.q.AsOfRun}
}

// daySummaryColumns are the sums of the summary over kept days.
func daySummaryColumns() []sumColumn {
	return []sumColumn{
		{"installments", "live_rows"},
		{"gross", "live_gross"},
		{"mdr", "live_mdr"},
		{"transaction_fee", "live_fees"},
		{"antifraud_fee", "live_antifraud"},
		{"anticipation_cost", "live_anticipation"},
		{"splits", "live_splits"},
		{"net_expected", "live_net"},
		{"net_kept", "live_kept"},
		{"splits_received", "live_passed_on"},
		{"net_contract", "live_net_contract"},
		{"received", "live_received"},
		{"not_due", "live_not_due"},
		{"overdue", "live_overdue"},
		{"blocked", "live_blocked"},
		{"short", "live_short"},
		{"over", "live_over"},
		{"overcharge", "live_net_contract - live_net"},
		{"difference", "live_net_contract - live_net + live_short - live_over"},
		{"cancelled_installments", "gone_rows"},
		{"cancelled_gross", "gone_gross"},
		{"cancelled_received", "gone_received"},
	}
}
