package rules_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"concilia/jobs/rules"
	"concilia/jobs/rules/catalogue"
	"concilia/jobs/rules/deposits"
	"concilia/jobs/rules/shops"
	"concilia/store/ledger"
)

func TestCatalogue(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range catalogue.Whole() {
		if seen[r.Code] {
			t.Errorf("%s is declared twice", r.Code)
		}
		seen[r.Code] = true
		if r.Version < 1 || r.Family == "" || r.Subject == "" || r.Tier == "" {
			t.Errorf("%s is not declared whole", r.Code)
		}
		for _, s := range append([]ledger.Severity{r.Severity}, r.Grades...) {
			if s.Rank() > ledger.Info.Rank() {
				t.Errorf("%s: severity %q", r.Code, s)
			}
		}
		page := catalogue.Show(r.Code)
		for _, want := range []string{r.Code, r.Family, catalogue.DescribeTrigger(r.Code)} {
			if !strings.Contains(page, want) {
				t.Errorf("the page of %s lacks %q", r.Code, want)
			}
		}
	}
	if catalogue.Show("NO_SUCH_RULE") != "" {
		t.Error("a page for a rule that does not exist")
	}
}

// Every owner of a line is a rule with an impact, and every rule with an impact owns a line.
func TestOwnersAreRulesWithAnImpact(t *testing.T) {
	t.Parallel()
	owns := map[string]bool{}
	for _, o := range slices.Concat(catalogue.CardOwners(), catalogue.SlipOwners(), deposits.Owners(), shops.Owners()) {
		for _, code := range o.Owners {
			owns[code] = true
			if r, ok := catalogue.Find(code); !ok || !r.HasImpact() {
				t.Errorf("%s owns %s and has no impact", code, o.Line)
			}
			if want := string(o.Line) + ": " + strings.Join(o.Owners, " > "); !strings.Contains(catalogue.Show(code), want) {
				t.Errorf("the page of %s does not say %q", code, want)
			}
		}
	}
	for _, r := range catalogue.Whole() {
		if r.HasImpact() != owns[r.Code] {
			t.Errorf("%s: impact %v, owner %v", r.Code, r.HasImpact(), owns[r.Code])
		}
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	tolerance := func(text string) rules.Setting {
		return rules.Setting{Tolerance: ledger.Some(decimal.RequireFromString(text))}
	}
	for _, c := range []struct {
		says string
		s    rules.Settings
		err  string
	}{
		{"money tolerance", rules.Settings{"MDR_AMOUNT_MISMATCH": tolerance("0.05")}, ""},
		{"four decimals of a real", rules.Settings{"MDR_AMOUNT_MISMATCH": tolerance("0.0001")}, ""},
		{"points tolerance", rules.Settings{"MDR_RATE_MISMATCH": tolerance("0.01")}, ""},
		{"six decimals of a point", rules.Settings{"MDR_RATE_MISMATCH": tolerance("0.000001")}, ""},
		{"no tolerance at all", rules.Settings{"MDR_RATE_MISMATCH": tolerance("0")}, ""},
		{"grace", rules.Settings{"RECEIVED_OVERDUE": {Grace: ledger.Some(3)}}, ""},
		{"severity", rules.Settings{"RECEIVED_LATE": {Severity: ledger.Error}}, ""},
		{"no such rule", rules.Settings{"RECEIVED_LAT": {}}, "rules.RECEIVED_LAT: no such rule; rules list names them"},
		{"no such severity", rules.Settings{"RECEIVED_LATE": {Severity: "X"}}, `rules.RECEIVED_LATE.severity "X": C, E, W or I`},
		{"negative grace", rules.Settings{"RECEIVED_OVERDUE": {Grace: ledger.Some(-1)}}, `rules.RECEIVED_OVERDUE.grace "-1": 0 to 90 days`},
		{
			"five decimals of a real",
			rules.Settings{"MDR_AMOUNT_MISMATCH": tolerance("0.00001")},
			`rules.MDR_AMOUNT_MISMATCH.tolerance "0.00001": more than 4 decimals: reais from 0, such as 0.01`,
		},
		{
			"seven decimals of a point",
			rules.Settings{"MDR_RATE_MISMATCH": tolerance("0.0000001")},
			`rules.MDR_RATE_MISMATCH.tolerance "0.0000001": more than 6 decimals: percentage points from 0, such as 0.005`,
		},
		{
			"below zero",
			rules.Settings{"MDR_AMOUNT_MISMATCH": tolerance("-1")},
			`rules.MDR_AMOUNT_MISMATCH.tolerance "-1": reais from 0, such as 0.01`,
		},
		{
			"more than there is",
			rules.Settings{"MDR_AMOUNT_MISMATCH": tolerance("1e13")},
			`rules.MDR_AMOUNT_MISMATCH.tolerance "10000000000000": beyond 1000000000000: reais from 0, such as 0.01`,
		},
	} {
		err := c.s.Check(catalogue.All())
		if (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
			t.Errorf("%s: %v, want %q", c.says, err, c.err)
		}
	}
	both := rules.Settings{"A": {}, "B": {}}.Check(catalogue.All())
	if both == nil || !strings.Contains(both.Error(), "A:") || !strings.Contains(both.Error(), "B:") {
		t.Errorf("not every problem is told: %v", both)
	}
	// How a tolerance is spelled is no matter: the hash of the settings stands in every manifest.
	if a, b := (rules.Settings{"X_Y": tolerance("0.050")}).Text(), (rules.Settings{"X_Y": tolerance("5e-2")}).Text(); a != b {
		t.Errorf("two texts of one tolerance: %q, %q", a, b)
	}
}

// specified are the codes of the specification, part by part: run, source and ledger control; record and sale; fees;
// anticipation; receipts; splits; bank slips; notifications.
const specified = `
RUN_COVERAGE_GAP RUN_TRUNCATION_SUSPECTED RUN_WINDOW_LEAK RUN_VOLUME_ANOMALY RUN_CLOCK_SKEW SRC_SCHEMA_INVALID SRC_FIELD_UNKNOWN
SRC_VANISHED SRC_RESTATED SRC_CHANGED_AFTER_CLOSE ENUM_UNMAPPED PROFILE_UNCALIBRATED LEDGER_CONTINUITY_BROKEN
LEDGER_BRIDGE_RESIDUAL TOLERANCE_BUDGET_EXCEEDED REPORT_TIE_FAILED

REC_DUPLICATE_ROW REC_DUPLICATE_KEY REC_INSTALLMENT_RANGE REC_INSTALLMENTS_OVER_LIMIT REC_NEGATIVE_AMOUNT REC_DATE_ORDER
REC_CARD_NOT_MASKED TXN_INSTALLMENTS_MISSING TXN_INSTALLMENTS_EXTRA TXN_COUNT_CONFLICT TXN_TOTAL_CONFLICT TXN_TOTAL_MISMATCH
TXN_INSTALLMENT_UNEVEN TXN_ATTR_CONFLICT TXN_TRN_FEE_ALLOCATION_MISMATCH TXN_ANTIFRAUD_FEE_ALLOCATION_MISMATCH
TXN_POSSIBLE_DOUBLE_CHARGE

MDR_AMOUNT_MISMATCH MDR_TXN_TOTAL_MISMATCH MDR_RATE_INCONSISTENT MDR_RATE_MISMATCH MDR_CHARGED_ZERO MDR_CONTRACT_MISSING
TRN_FEE_MISMATCH ANTIFRAUD_FEE_MISMATCH FEE_UNEXPECTED FEE_EXCEEDS_GROSS RATE_TABLE_DRIFT SIMULATOR_DRIFT

ANTICIPATION_AMOUNT_MISMATCH ANTICIPATION_RATE_MISMATCH ANTICIPATION_NOT_ORDERED ANTICIPATION_WITHOUT_EARLY_DATE
EARLY_PAYMENT_WITHOUT_COST ANTICIPATION_ORDER_UNFILLED

RECEIVED_VALUE_MISMATCH RECEIVED_OVERDUE RECEIVED_LATE RECEIVED_PARTIAL RECEIVED_DATE_WITHOUT_VALUE RECEIVED_VALUE_WITHOUT_DATE
RECEIVED_IN_FUTURE RECEIVED_NON_BUSINESS_DAY RECEIVED_REVERSED RECEIVED_NEGATIVE FORECAST_MISSING FORECAST_DATE_MISMATCH
FORECAST_MOVED FORECAST_NON_BUSINESS_DAY STATUS_FIELD_CONFLICT STATUS_REGRESSION CANCELLED_STILL_FORECAST CANCELLED_BUT_RECEIVED
BLOCKED_AGEING

SPLIT_AMOUNT_MISMATCH SPLIT_BASE_MISMATCH SPLIT_BASE_INCONSISTENT SPLIT_SUM_MISMATCH SPLIT_PCT_SUM SPLIT_EXCEEDS_NET
SPLIT_DUPLICATE_BENEFICIARY SPLIT_UNEVEN_ACROSS_INSTALLMENTS SPLIT_BENEFICIARY_UNKNOWN SPLIT_CONTRACT_PCT_MISMATCH SPLIT_MISSING
SPLIT_CHANGED_AFTER_RECEIPT

SLIP_DUPLICATE_ID SLIP_OUT_OF_WINDOW SLIP_PAYMENT_LIST_NOT_PAID SLIP_LIST_FIELD_CONFLICT SLIP_MISSING_IN_DUE_LIST
SLIP_MISSING_IN_PAYMENT_LIST SLIP_MISSING_IN_CREDIT_LIST SLIP_DETAIL_CONFLICT SLIP_DETAIL_UNAVAILABLE SLIP_PAID_INCOMPLETE
SLIP_PAYMENT_WITHOUT_STATUS SLIP_SHORT_PAID SLIP_OVERPAID SLIP_PAYMENT_COMPOSITION_MISMATCH SLIP_LATE_PENALTY_MISMATCH
SLIP_LATE_INTEREST_MISMATCH SLIP_CHARGE_NOT_DUE SLIP_PAID_NOT_ALLOWED SLIP_STATUS_LAG SLIP_STATUS_REGRESSION SLIP_CREDIT_OVERDUE
SLIP_CREDIT_BEFORE_PAYMENT SLIP_CREDIT_NON_BUSINESS_DAY SLIP_CANCELLED_BUT_PAID SLIP_CANCEL_INCOMPLETE SLIP_INTEGRATION_STUCK
SLIP_INTEGRATION_FAILED SLIP_CODE_INVALID SLIP_CODE_AMOUNT_MISMATCH SLIP_CODE_DUE_MISMATCH SLIP_DOCUMENT_INVALID

WEBHOOK_NOT_IN_PULL WEBHOOK_AMBIGUOUS WEBHOOK_STATE_CONFLICT PULL_CHANGE_WITHOUT_WEBHOOK WEBHOOK_CHAIN_BROKEN
WEBHOOK_OUT_OF_ORDER WEBHOOK_DUPLICATE WEBHOOK_ID_REUSED WEBHOOK_LATE WEBHOOK_SILENCE WEBHOOK_SUBSCRIPTION_DRIFT
`

// The catalogue has every rule that is specified, and no other.
func TestCatalogueIsWhatIsSpecified(t *testing.T) {
	t.Parallel()
	want := slices.Sorted(slices.Values(strings.Fields(specified)))
	var got []string
	for _, r := range catalogue.All() {
		got = append(got, r.Code)
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("specified (-) and in the catalogue (+):\n%s", diff)
	}
}
