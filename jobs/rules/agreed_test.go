package rules_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/jobs/rules"
	"concilia/jobs/rules/catalogue"
)

// declared is a rule as it is agreed: what it evaluates, how grave it is (the gravest first), what it needs, when it is on,
// what it lets pass, and the line it owns.
type declared struct{ code, subject, severities, needs, tier, tolerance, line string }

// agreed is the whole catalogue in its order, written down apart from the rules: a rule that is added, dropped or made milder does
// not pass unnoticed.
func agreed() []declared {
	return []declared{
		{"RUN_COVERAGE_GAP", "day", "C", "run log", "1", "", ""},
		{"SRC_SCHEMA_INVALID", "row", "E", "raw", "1", "", ""},
		{"ENUM_UNMAPPED", "value", "W", "MAP", "1", "", ""},
		{"LEDGER_BRIDGE_RESIDUAL", "month", "C", "all", "1", "", ""},
		{"RUN_TRUNCATION_SUSPECTED", "day", "CI", "pulls", "1", "", ""},
		{"RUN_WINDOW_LEAK", "source", "W", "I, B", "1", "", ""},
		{"RUN_CLOCK_SKEW", "account", "W", "auth result", "1", "grace 2", ""},
		{"SRC_FIELD_UNKNOWN", "member", "I", "raw", "1", "", ""},
		{"SRC_VANISHED", "card, slip", "E", "I, B, H", "1", "", ""},
		{"SRC_RESTATED", "card, slip", "EW", "H", "1", "", ""},
		{"SRC_CHANGED_AFTER_CLOSE", "card, slip", "W", "H, CLS", "1", "", ""},
		{"RUN_VOLUME_ANOMALY", "day", "WI", "I, B, CAL", "1", "grace 5", ""},
		{"RATE_TABLE_DRIFT", "month", "W", "I, H", "1", "0.0200 point", ""},
		{"TOLERANCE_BUDGET_EXCEEDED", "month", "E", "rounding ledger", "1", "R$ 5.00, or 0.01 %", ""},
		{"LEDGER_CONTINUITY_BROKEN", "month", "C", "H", "1", "", ""},
		{"REPORT_TIE_FAILED", "file", "C", "report", "1", "", ""},
		{"PROFILE_UNCALIBRATED", "rule", "I", "I, B", "1", "", ""},
		{"REC_DUPLICATE_ROW", "card", "W", "I", "1", "", ""},
		{"REC_DUPLICATE_KEY", "card", "E", "I", "1", "", ""},
		{"REC_INSTALLMENT_RANGE", "card", "E", "I", "1", "", ""},
		{"REC_INSTALLMENTS_OVER_LIMIT", "card", "W", "I", "1", "", ""},
		{"REC_NEGATIVE_AMOUNT", "card", "E", "I", "1", "", ""},
		{"REC_DATE_ORDER", "card", "E", "I", "1", "", ""},
		{"REC_CARD_NOT_MASKED", "card", "E", "I", "1", "", ""},
		{"TXN_INSTALLMENTS_MISSING", "sale", "E", "I", "1", "", ""},
		{"TXN_INSTALLMENTS_EXTRA", "sale", "E", "I", "1", "", ""},
		{"TXN_COUNT_CONFLICT", "sale", "E", "I", "1", "", ""},
		{"TXN_TOTAL_CONFLICT", "sale", "E", "I", "1", "", ""},
		{"TXN_TOTAL_MISMATCH", "sale", "EI", "I", "1", "R$ 0.01", ""},
		{"TXN_INSTALLMENT_UNEVEN", "sale", "W", "I", "1", "R$ 0.01", ""},
		{"TXN_ATTR_CONFLICT", "sale", "W", "I", "1", "", ""},
		{"TXN_TRN_FEE_ALLOCATION_MISMATCH", "sale", "W", "I", "1", "R$ 0.01", ""},
		{"TXN_ANTIFRAUD_FEE_ALLOCATION_MISMATCH", "sale", "W", "I", "1", "R$ 0.01", ""},
		{"TXN_POSSIBLE_DOUBLE_CHARGE", "sale", "I", "I", "1", "", ""},
		{"MDR_RATE_MISMATCH", "card", "E", "I, K", "1x", "R$ 0.01, 0.0050 point", "mdr"},
		{"MDR_CHARGED_ZERO", "card", "W", "I, K", "1x", "", "mdr"},
		{"MDR_CONTRACT_MISSING", "month", "WI", "I, K", "1x", "", ""},
		{"FEE_UNEXPECTED", "card", "E", "I, K", "1x", "", "transaction_fee"},
		{"TRN_FEE_MISMATCH", "card", "E", "I, K", "1x", "R$ 0.01", "transaction_fee"},
		{"ANTIFRAUD_FEE_MISMATCH", "card", "E", "I, K", "1x", "R$ 0.01", "antifraud"},
		{"MDR_AMOUNT_MISMATCH", "card", "E", "I", "1", "R$ 0.01", "mdr"},
		{"MDR_TXN_TOTAL_MISMATCH", "sale", "W", "I", "1", "R$ 0.01", ""},
		{"MDR_RATE_INCONSISTENT", "sale", "W", "I", "1", "0.0001 point", ""},
		{"FEE_EXCEEDS_GROSS", "card", "E", "I", "1", "", ""},
		{"SIMULATOR_DRIFT", "option", "W", "SIM, K, I", "1x", "0.0500 point", ""},
		{"ANTICIPATION_NOT_ORDERED", "card", "E", "I, MAP, ORD", "1x", "", "anticipation"},
		{"ANTICIPATION_WITHOUT_EARLY_DATE", "card", "E", "I", "1", "", "anticipation"},
		{"ANTICIPATION_RATE_MISMATCH", "card", "E", "I, K", "1x", "0.0100 point", "anticipation"},
		{"ANTICIPATION_AMOUNT_MISMATCH", "card", "E", "I", "1", "R$ 0.02, or 0.10 %", "anticipation"},
		{"EARLY_PAYMENT_WITHOUT_COST", "card", "I", "I, CAL", "1", "grace 1", ""},
		{"ANTICIPATION_ORDER_UNFILLED", "order", "W", "I, ORD, CAL", "1x", "grace 1", ""},
		{"RECEIVED_REVERSED", "card", "E", "H", "1", "", "received_short_or_over"},
		{"RECEIVED_NEGATIVE", "card", "E", "I, H", "1", "", "received_short_or_over"},
		{"CANCELLED_BUT_RECEIVED", "card", "E", "I, H, MAP", "1", "", "cancelled_but_received"},
		{"RECEIVED_DATE_WITHOUT_VALUE", "card", "E", "I", "1", "", "received_short_or_over"},
		{"RECEIVED_PARTIAL", "card", "EW", "I, MAP", "1", "R$ 0.01", "received_short_or_over"},
		{"RECEIVED_VALUE_MISMATCH", "card", "E", "I", "1", "R$ 0.01", "received_short_or_over"},
		{"RECEIVED_OVERDUE", "card", "E", "I, CAL", "1", "grace 1", "overdue"},
		{"BLOCKED_AGEING", "card", "W", "I, H, MAP", "1", "grace 10", "blocked"},
		{"RECEIVED_VALUE_WITHOUT_DATE", "card", "E", "I", "1", "", ""},
		{"FORECAST_MOVED", "card", "EW", "H", "1", "", ""},
		{"STATUS_REGRESSION", "card", "E", "H, MAP", "1", "", ""},
		{"SPLIT_CHANGED_AFTER_RECEIPT", "card", "E", "X, H", "1", "", ""},
		{"RECEIVED_LATE", "card", "W", "I, CAL", "1", "", ""},
		{"RECEIVED_IN_FUTURE", "card", "E", "I", "1", "", ""},
		{"RECEIVED_NON_BUSINESS_DAY", "card", "W", "I, CAL", "1", "", ""},
		{"FORECAST_MISSING", "card", "W", "I", "1", "", ""},
		{"FORECAST_DATE_MISMATCH", "card", "EW", "I, K, CAL", "1x", "", ""},
		{"FORECAST_NON_BUSINESS_DAY", "card", "I", "I, CAL", "1", "", ""},
		{"STATUS_FIELD_CONFLICT", "card", "E", "I, MAP", "1", "", ""},
		{"CANCELLED_STILL_FORECAST", "card", "W", "I, MAP", "1", "", ""},
		{"SPLIT_MISSING", "split", "E", "X, K", "1x", "", "split"},
		{"SPLIT_CONTRACT_PCT_MISMATCH", "split", "E", "X, K", "1x", "0.0001 point", "split"},
		{"SPLIT_AMOUNT_MISMATCH", "split", "E", "X", "1", "R$ 0.01", "split"},
		{"SPLIT_BASE_MISMATCH", "split", "E", "X, I", "1", "R$ 0.01", "split"},
		{"SPLIT_BENEFICIARY_UNKNOWN", "split", "W", "X, REG", "1x", "", ""},
		{"SPLIT_BASE_INCONSISTENT", "card", "W", "X", "1", "", ""},
		{"SPLIT_SUM_MISMATCH", "card", "E", "X", "1", "R$ 0.01", ""},
		{"SPLIT_PCT_SUM", "card", "EW", "X", "1", "0.0001 point", ""},
		{"SPLIT_EXCEEDS_NET", "card", "E", "X, I", "1", "R$ 0.01", ""},
		{"SPLIT_DUPLICATE_BENEFICIARY", "card", "W", "X", "1", "", ""},
		{"SPLIT_UNEVEN_ACROSS_INSTALLMENTS", "sale", "W", "X", "1", "0.0001 point", ""},
		{"SLIP_PAID_INCOMPLETE", "slip", "E", "B", "1", "", "paid_short_or_over"},
		{"SLIP_PAYMENT_WITHOUT_STATUS", "slip", "E", "B", "1", "", ""},
		{"SLIP_SHORT_PAID", "slip", "EW", "B, CAL", "1", "", "paid_short_or_over"},
		{"SLIP_OVERPAID", "slip", "W", "B, CAL", "1", "", "paid_short_or_over"},
		{"SLIP_PAYMENT_COMPOSITION_MISMATCH", "slip", "E", "B", "1", "R$ 0.01", "paid_short_or_over"},
		{"SLIP_LATE_PENALTY_MISMATCH", "slip", "E", "B, CAL", "1", "R$ 0.01", "penalty"},
		{"SLIP_LATE_INTEREST_MISMATCH", "slip", "E", "B, CAL", "1", "R$ 0.02, or 0.50 %", "interest"},
		{"SLIP_CHARGE_NOT_DUE", "slip", "W", "B, CAL", "1", "", "charge_not_due"},
		{"SLIP_PAID_NOT_ALLOWED", "slip", "E", "B, CAL", "1", "", ""},
		{"SLIP_CANCELLED_BUT_PAID", "slip", "E", "B", "1", "", "cancelled_but_paid"},
		{"SLIP_CANCEL_INCOMPLETE", "slip", "I", "B", "1", "", ""},
		{"SLIP_STATUS_REGRESSION", "slip", "E", "H", "1", "", ""},
		{"SLIP_CREDIT_OVERDUE", "slip", "EW", "B, CAL", "1", "", "credit_overdue"},
		{"SLIP_CREDIT_BEFORE_PAYMENT", "slip", "E", "B", "1", "", ""},
		{"SLIP_CREDIT_NON_BUSINESS_DAY", "slip", "W", "B, CAL", "1", "", ""},
		{"SLIP_STATUS_LAG", "slip", "I", "B, CAL", "1", "grace 1", ""},
		{"SLIP_INTEGRATION_STUCK", "slip", "EW", "B, H", "1", "grace 1", "not_registered"},
		{"SLIP_INTEGRATION_FAILED", "slip", "E", "B", "1", "", "not_registered"},
		{"SLIP_DUPLICATE_ID", "slip", "E", "B", "1", "", ""},
		{"SLIP_OUT_OF_WINDOW", "slip", "W", "B", "1", "", ""},
		{"SLIP_DETAIL_UNAVAILABLE", "slip", "W", "BD", "1", "", ""},
		{"SLIP_PAYMENT_LIST_NOT_PAID", "slip", "E", "B", "1", "", ""},
		{"SLIP_LIST_FIELD_CONFLICT", "slip", "E", "B, BD", "1", "", ""},
		{"SLIP_DETAIL_CONFLICT", "slip", "E", "B, BD", "1", "", ""},
		{"SLIP_MISSING_IN_DUE_LIST", "slip", "E", "B", "1", "", ""},
		{"SLIP_MISSING_IN_PAYMENT_LIST", "slip", "E", "B", "1", "", ""},
		{"SLIP_MISSING_IN_CREDIT_LIST", "slip", "E", "B", "1", "", ""},
		{"SLIP_CODE_INVALID", "slip", "E", "B", "1", "", ""},
		{"SLIP_CODE_AMOUNT_MISMATCH", "slip", "EI", "B", "1", "", ""},
		{"SLIP_CODE_DUE_MISMATCH", "slip", "W", "B", "1", "", ""},
		{"SLIP_DOCUMENT_INVALID", "slip", "WI", "B", "1", "", ""},
		{"WEBHOOK_NOT_IN_PULL", "webhook", "E", "WH, I", "1x", "grace 7", ""},
		{"WEBHOOK_AMBIGUOUS", "webhook", "W", "WH, I", "1x", "", ""},
		{"WEBHOOK_CHAIN_BROKEN", "webhook", "W", "WH", "1x", "", ""},
		{"WEBHOOK_OUT_OF_ORDER", "webhook", "I", "WH", "1x", "", ""},
		{"WEBHOOK_DUPLICATE", "webhook", "I", "WH", "1x", "", ""},
		{"WEBHOOK_ID_REUSED", "webhook", "E", "WH", "1x", "", ""},
		{"WEBHOOK_LATE", "webhook", "EI", "WH", "1x", "grace 4", ""},
		{"WEBHOOK_STATE_CONFLICT", "card", "E", "WH, I, MAP", "1x", "grace 1", ""},
		{"PULL_CHANGE_WITHOUT_WEBHOOK", "card", "EW", "WH, H, MAP", "1x", "grace 1", ""},
		{"WEBHOOK_SILENCE", "source", "W", "WH, H, CAL", "1x", "grace 6", ""},
		{"WEBHOOK_SUBSCRIPTION_DRIFT", "account", "E", "subscription", "1x", "", ""},
	}
}

func TestCatalogueIsAsAgreed(t *testing.T) {
	t.Parallel()
	all := catalogue.All()
	declarations := make([]declared, len(all))
	for i := range all {
		declarations[i] = declarationOf(&all[i])
	}
	for _, d := range declarations {
		if !slices.ContainsFunc(agreed(), func(a declared) bool { return a.code == d.code }) {
			t.Errorf("agreed of jobs/rules/agreed_test.go lacks a rule, at its place in the order:\n{%q, %q, %q, %q, %q, %q, %q},",
				d.code, d.subject, d.severities, d.needs, d.tier, d.tolerance, d.line)
		}
	}
	if diff := cmp.Diff(agreed(), declarations, cmp.AllowUnexported(declared{})); diff != "" {
		t.Errorf("rules as agreed in this file (-) and as declared (+):\n%s", diff)
	}
}

func declarationOf(r *rules.Rule) declared {
	d := declared{
		code: r.Code, severities: string(r.Severity), needs: joinWords(r.Needs), subject: joinWords(r.Subjects()), tier: string(r.Tier),
		tolerance: r.Default.String(), line: string(r.Line),
	}
	for _, g := range r.Grades {
		d.severities += string(g)
	}
	return d
}

func joinWords[T ~string](all []T) string {
	var words []string
	for _, v := range all {
		words = append(words, string(v))
	}
	return strings.Join(words, ", ")
}
