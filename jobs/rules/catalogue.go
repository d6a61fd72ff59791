package rules

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"concilia/store/ledger"
)

// All returns the catalogue: every rule, in the order of evaluation and printing. The caller may change the slice.
func All() []Rule {
	return slices.Concat(
		runRules(), interpretationRules(), recordRules(), saleRules(), contractFeeRules(), feeRules(), simulatorRules(), anticipationRules(), receiptRules(),
		receiptDateRules(), splitRules(), slipRules(), slipDateRules(), slipListRules(), slipCodeRules(),
		webhookRules(),
	)
}

// Ownership is a line of a bridge and the rules that may own a bracket on it: the first of them that fired is the
// root, its impact the whole bracket; the others that fired are explained by it.
type Ownership struct {
	Line   ledger.BridgeLine
	Owners []string
}

// CardOwners returns the lines of the bridge of cards that have owners.
func CardOwners() []Ownership {
	return []Ownership{
		{ledger.LineMDR, []string{"MDR_CHARGED_ZERO", "MDR_RATE_MISMATCH", "MDR_AMOUNT_MISMATCH"}},
		{ledger.LineFee, []string{"FEE_UNEXPECTED", "TRN_FEE_MISMATCH"}},
		{ledger.LineAntifraud, []string{"FEE_UNEXPECTED", "ANTIFRAUD_FEE_MISMATCH"}},
		{ledger.LineAnticipation, []string{
			"ANTICIPATION_NOT_ORDERED", "ANTICIPATION_WITHOUT_EARLY_DATE", "ANTICIPATION_RATE_MISMATCH", "ANTICIPATION_AMOUNT_MISMATCH",
		}},
		{ledger.LineSplit, []string{
			"SPLIT_MISSING", "SPLIT_CONTRACT_PCT_MISMATCH", "SPLIT_AMOUNT_MISMATCH", "SPLIT_BASE_MISMATCH",
		}},
		{ledger.LineReversed, []string{"RECEIVED_NEGATIVE", "CANCELLED_BUT_RECEIVED"}},
		{ledger.LineReceived, []string{
			"RECEIVED_REVERSED", "RECEIVED_NEGATIVE", "RECEIVED_DATE_WITHOUT_VALUE", "RECEIVED_PARTIAL", "RECEIVED_VALUE_MISMATCH",
		}},
		{ledger.LineBlocked, []string{"BLOCKED_AGEING"}},
		{ledger.LineOverdue, []string{"RECEIVED_OVERDUE"}},
	}
}

// SlipOwners returns the lines of the bridge of slips that have owners.
func SlipOwners() []Ownership {
	return []Ownership{
		{ledger.LinePenalty, []string{"SLIP_LATE_PENALTY_MISMATCH"}},
		{ledger.LineInterest, []string{"SLIP_LATE_INTEREST_MISMATCH"}},
		{ledger.LineChargeNotDue, []string{"SLIP_CHARGE_NOT_DUE"}},
		{ledger.LinePaid, []string{"SLIP_PAID_INCOMPLETE", "SLIP_SHORT_PAID", "SLIP_OVERPAID", "SLIP_PAYMENT_COMPOSITION_MISMATCH"}},
		{ledger.LineCancelledPaid, []string{"SLIP_CANCELLED_BUT_PAID"}},
		{ledger.LineCreditOverdue, []string{"SLIP_CREDIT_OVERDUE"}},
		{ledger.LineNotRegistered, []string{"SLIP_INTEGRATION_FAILED", "SLIP_INTEGRATION_STUCK"}},
	}
}

// byCode is the catalogue once more, for those who ask by code; nobody changes it.
var byCode = sync.OnceValue(func() map[string]Rule {
	all := map[string]Rule{}
	for _, r := range All() {
		all[r.Code] = r
	}
	return all
})

// Find returns the rule of a code.
func Find(code string) (Rule, bool) {
	r, ok := byCode()[code]
	return r, ok
}

// Versions lists every rule with its version, one a line, then the rules that rest on a reading: what an expectation
// rests on besides the documents.
func Versions() string {
	var b strings.Builder
	for _, r := range All() {
		fmt.Fprintf(&b, "%s %d\n", r.Code, r.Version)
	}
	b.WriteString(VersionText())
	return b.String()
}
