package ledger

import (
	"slices"
	"strconv"
)

// Account is the number of an account at the payment service, positive.
type Account int64

// String is the plain digits.
func (a Account) String() string { return strconv.FormatInt(int64(a), 10) }

// Class is our classification of an installment or a slip; the service's own text is kept as well.
type Class string

// The classes, each with what it applies to.
const (
	Open       Class = "open"       // cards and slips
	Received   Class = "received"   // cards
	Blocked    Class = "blocked"    // cards
	Cancelled  Class = "cancelled"  // cards and slips
	Chargeback Class = "chargeback" // cards
	Paid       Class = "paid"       // slips
	Failed     Class = "failed"     // slips
)

// IsReversal reports whether the class takes a sale back: cancelled or charged back.
func (c Class) IsReversal() bool { return c == Cancelled || c == Chargeback }

// IsLive reports whether money is still owed or was paid: open, blocked or received.
func (c Class) IsLive() bool { return c == Open || c == Blocked || c == Received }

// Product is the kind of card used in a sale. An unmapped one keeps the service's text.
type Product string

// The products. Adjustment marks the lines of changes to closed periods.
const (
	Credit     Product = "credit"
	Debit      Product = "debit"
	Voucher    Product = "voucher"
	Adjustment Product = "adjustment"
)

// ReceivedType is how an installment was, or will be, received.
type ReceivedType string

// The received types.
const (
	Normal      ReceivedType = "normal"
	Anticipated ReceivedType = "anticipated"
)

// Severity is how serious a finding of a rule is.
type Severity string

// The severities, most serious first.
const (
	Critical Severity = "C" // every figure of the account and source is in doubt
	Error    Severity = "E" // money or a promise is broken: act
	Warning  Severity = "W" // suspicious, or soon a break
	Info     Severity = "I"
)

// Rank orders severities; 0 is the most serious.
func (s Severity) Rank() int {
	for i, v := range []Severity{Critical, Error, Warning, Info} {
		if s == v {
			return i
		}
	}
	return 4
}

// State is the state of a case.
type State string

// The states of a case. Opened and Reopened count in the exit code; the others do not.
const (
	Pending      State = "pending"
	Opened       State = "open"
	Acknowledged State = "acknowledged"
	Disputed     State = "disputed"
	Waived       State = "waived"
	Shadow       State = "shadow"
	Resolved     State = "resolved"
	Closed       State = "closed"
	Reopened     State = "reopened"
)

// CountsInVerdict reports whether a case in this state counts in verdict and exit code.
func (s State) CountsInVerdict() bool { return s == Opened || s == Reopened }

// IsUnresolved reports whether the case is neither resolved nor closed.
func (s State) IsUnresolved() bool { return s != Resolved && s != Closed && s != "" }

// Source is one list of the service, named as in subjects and units.
type Source string

// The sources. SlipDetail and Simulator are single answers, not lists.
const (
	Cards        Source = "cards"
	SlipsDue     Source = "slips.due"
	SlipsPayment Source = "slips.payment"
	SlipsCredit  Source = "slips.credit"
	SlipDetail   Source = "slips.detail"
	Simulator    Source = "simulator" // what a sale of a brand would cost
)

// SlipLists returns the three lists of slips, in order of precedence for views seen at the same instant.
func SlipLists() []Source { return []Source{SlipsCredit, SlipsPayment, SlipsDue} }

// Side is the half of the service that a figure belongs to: cards, or slips for any list of slips.
func (s Source) Side() string {
	if s == Cards || s == Simulator {
		return "cards"
	}
	return "slips"
}

// Verdict is the result of a nightly run for an account, or of the rules for a row.
type Verdict string

// The verdicts of an account, best first, and of a row.
const (
	Reconciled             Verdict = "reconciled"
	ReconciledWithPending  Verdict = "reconciled_with_pending"
	ReconciledWithWarnings Verdict = "reconciled_with_warnings"
	Breaks                 Verdict = "breaks"
	Incomplete             Verdict = "incomplete"

	RowOK      Verdict = "ok"
	RowPending Verdict = "pending"
	RowBreak   Verdict = "break"
)

// Worse is the worse of two verdicts of accounts; the empty verdict is the best.
func (v Verdict) Worse(w Verdict) Verdict {
	order := []Verdict{"", Reconciled, ReconciledWithPending, ReconciledWithWarnings, Breaks, Incomplete}
	rank := func(x Verdict) int {
		for i, o := range order {
			if x == o {
				return i
			}
		}
		return len(order)
	}
	if rank(w) > rank(v) {
		return w
	}
	return v
}

// States are the states a case can be in, as people meet them.
func States() []State {
	return []State{Pending, Opened, Acknowledged, Disputed, Waived, Shadow, Resolved, Closed, Reopened}
}

// UnresolvedStates are those of cases neither resolved nor closed.
func UnresolvedStates() []State {
	return slices.DeleteFunc(States(), func(s State) bool { return !s.IsUnresolved() })
}
