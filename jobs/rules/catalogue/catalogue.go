package catalogue

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"concilia/jobs/rules"
	"concilia/jobs/rules/assumptions"
	"concilia/jobs/rules/cards"
	"concilia/jobs/rules/deposits"
	"concilia/jobs/rules/notifications"
	"concilia/jobs/rules/runs"
	"concilia/jobs/rules/shops"
	"concilia/jobs/rules/slips"
	"concilia/store/ledger"
)

// All returns the rules that are evaluated for each account by itself, in the order of evaluation and printing. The caller
// may change the slice.
func All() []rules.Rule {
	return slices.Concat(
		runs.Rules(), assumptions.Rules(), cards.RecordRules(), cards.SaleRules(), cards.ContractFeeRules(), cards.FeeRules(), cards.SimulatorRules(), cards.AnticipationRules(), cards.ReceiptRules(),
		cards.ReceiptDateRules(), cards.SplitRules(), slips.PaymentRules(), slips.DateRules(), slips.ListRules(), slips.CodeRules(),
		notifications.Rules(),
	)
}

// Whole returns the catalogue: All, and the rules on bank accounts and on stores, which are evaluated after all accounts.
func Whole() []rules.Rule { return slices.Concat(All(), deposits.Rules(), shops.Rules()) }

// IsOnBank reports whether a code is of a rule on bank accounts.
func IsOnBank(code string) bool {
	r, ok := Find(code)
	return ok && r.Family == rules.FamilyBank
}

// IsOnStores reports whether a code is of a rule on what stores say they sold.
func IsOnStores(code string) bool { return strings.HasPrefix(code, ledger.OwnSaleCodes) }

// CardOwners returns the lines of the bridge of cards that have owners.
func CardOwners() []rules.Ownership {
	return []rules.Ownership{
		{Line: ledger.LineMDR, Owners: []string{"MDR_CHARGED_ZERO", "MDR_RATE_MISMATCH", "MDR_AMOUNT_MISMATCH"}},
		{Line: ledger.LineFee, Owners: []string{"FEE_UNEXPECTED", "TRN_FEE_MISMATCH"}},
		{Line: ledger.LineAntifraud, Owners: []string{"FEE_UNEXPECTED", "ANTIFRAUD_FEE_MISMATCH"}},
		{Line: ledger.LineAnticipation, Owners: []string{
			"ANTICIPATION_NOT_ORDERED", "ANTICIPATION_WITHOUT_EARLY_DATE", "ANTICIPATION_RATE_MISMATCH", "ANTICIPATION_AMOUNT_MISMATCH",
		}},
		{Line: ledger.LineSplit, Owners: []string{
			"SPLIT_MISSING", "SPLIT_CONTRACT_PCT_MISMATCH", "SPLIT_AMOUNT_MISMATCH", "SPLIT_BASE_MISMATCH",
		}},
		{Line: ledger.LineReversed, Owners: []string{"RECEIVED_NEGATIVE", "CANCELLED_BUT_RECEIVED"}},
		{Line: ledger.LineReceived, Owners: []string{
			"RECEIVED_REVERSED", "RECEIVED_NEGATIVE", "RECEIVED_DATE_WITHOUT_VALUE", "RECEIVED_PARTIAL", "RECEIVED_VALUE_MISMATCH",
		}},
		{Line: ledger.LineBlocked, Owners: []string{"BLOCKED_AGEING"}},
		{Line: ledger.LineOverdue, Owners: []string{"RECEIVED_OVERDUE"}},
	}
}

// SlipOwners returns the lines of the bridge of slips that have owners.
func SlipOwners() []rules.Ownership {
	return []rules.Ownership{
		{Line: ledger.LinePenalty, Owners: []string{"SLIP_LATE_PENALTY_MISMATCH"}},
		{Line: ledger.LineInterest, Owners: []string{"SLIP_LATE_INTEREST_MISMATCH"}},
		{Line: ledger.LineChargeNotDue, Owners: []string{"SLIP_CHARGE_NOT_DUE"}},
		{Line: ledger.LinePaid, Owners: []string{"SLIP_PAID_INCOMPLETE", "SLIP_SHORT_PAID", "SLIP_OVERPAID", "SLIP_PAYMENT_COMPOSITION_MISMATCH"}},
		{Line: ledger.LineCancelledPaid, Owners: []string{"SLIP_CANCELLED_BUT_PAID"}},
		{Line: ledger.LineCreditOverdue, Owners: []string{"SLIP_CREDIT_OVERDUE"}},
		{Line: ledger.LineNotRegistered, Owners: []string{"SLIP_INTEGRATION_FAILED", "SLIP_INTEGRATION_STUCK"}},
	}
}

// byCode is the catalogue by code; it must not be changed.
var byCode = sync.OnceValue(func() map[string]rules.Rule {
	all := map[string]rules.Rule{}
	for _, r := range Whole() {
		all[r.Code] = r
	}
	return all
})

// Find returns the rule of a code.
func Find(code string) (rules.Rule, bool) {
	r, ok := byCode()[code]
	return r, ok
}

// Versions lists every rule of All with its version, one a line, then the rules that rest on a reading: what an expectation
// rests on besides the documents.
func Versions() string {
	var b strings.Builder
	for _, r := range All() {
		fmt.Fprintf(&b, "%s %d\n", r.Code, r.Version)
	}
	b.WriteString(assumptions.VersionText())
	return b.String()
}
