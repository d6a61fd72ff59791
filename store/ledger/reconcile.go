package ledger

import (
	"encoding/json"
)

// LastReconcile is what the previous reconcile of an account was based on. The zero value means that there was none.
type LastReconcile struct {
	Run    string
	AsOf   Date
	Inputs string   // hash of documents, settings and rules
	Shadow []string // codes of the rules that were suppressed, sorted
}

// Scope is what a reconcile evaluates: everything, or the sales of some days and some slips. Days are in order, and so are
// the sales of a day and the slips. A nil Scope is everything.
type Scope struct {
	Whole bool
	Days  []ScopeDay
	Slips []string // ids
}

// ScopeDay is a sale day of a scope: all its sales, or those named.
type ScopeDay struct {
	Day   Date
	Whole bool
	Sales []ScopeSale
}

// ScopeSale identifies the sales of one day, NSU and authorization. Changed: their rows changed, or those of a sale that
// one of them may duplicate. The others are evaluated because time passed, or because they have a case.
type ScopeSale struct {
	NSU, Auth string
	Changed   bool
}

// IsUnrestricted reports whether the scope is unrestricted.
func (s *Scope) IsUnrestricted() bool { return s == nil || s.Whole }

// StoredExpectation is the part of the current expectation of an installment or a slip that a run needs to replace it.
type StoredExpectation struct {
	Content        Hash // of every value
	Version        int
	Class          Class
	Day            Date // of a slip's bridge; an installment's is its sale's
	Brand          string
	Product        Product
	Band           string
	Lines          string // brackets, as JSON
	AggregateDelta string
}

// Brackets returns the brackets that are not zero; none for nil.
func (b *StoredExpectation) Brackets() ([]Bracket, error) {
	if b == nil || b.Lines == "" || b.Lines == "null" || b.Lines == "[]" {
		return nil, nil
	}
	var all []Bracket
	err := json.Unmarshal([]byte(b.Lines), &all)
	return all, err
}

// VanishedInstallment is an installment that the last complete pull of its day no longer shows, with its stored expectation.
type VanishedInstallment struct {
	History InstallmentHistory
	Stored  *StoredExpectation
}

// Population is a count over many rows of an account: Kind is what is counted, Item the group. Amount and Other are sums
// of money if the kind has any.
type Population struct {
	Kind, Item string
	Members    int64
	Amount     Amount
	Other      Amount
}

// ToleratedAmount is the sum of the differences that a rule tolerated in a month, without their signs.
type ToleratedAmount struct {
	Code   string
	Month  Date // its first day
	Amount Amount
}

// DaySum is the sums of one sale day, brand and product, or of one due date of slips.
type DaySum struct {
	Day        Date
	Brand      string
	Product    Product
	Difference Amount // Σ(N* − R), of slips Σ(V* − credited)
	Open       Amount // Σ G of the rows of class open
}

// Movement is a reason why the gross of open installments changed between two reconciles.
type Movement int

// The movements, in the order in which they are reported.
const (
	Started Movement = iota // open at the first reconcile of the account
	Added                   // new
	Unblocked
	Undone // was received, cancelled or charged back
	Reappeared
	Restated // another gross, brand or product
	Reclassified
	ReceivedNormally
	ReceivedEarly
	WasCancelled
	ChargedBack
	WasBlocked
	HasVanished
	MovementCount // the number of movements
)

// Continuity is the gross of the open installments of one sale day, brand and product: Opening as the previous reconcile
// left it, the signed movements since, and Closing as summed now.
type Continuity struct {
	Day     Date
	Brand   string
	Product Product
	Opening Amount
	Changes [MovementCount]Amount
	Closing Amount
}

// AgendaItem is an installment that is still to be received: open and not overdue, or blocked.
type AgendaItem struct {
	Forecast   Date // zero: not sent
	Brand      string
	Product    Product
	Blocked    bool
	GrossCents int64 // gross as allocated to cents within its sale
	Gross      Amount
	Net        Amount // N − R
	// Charged are the fees and, if the profile deducts them from what is received, the splits; ChargedCents is the same with
	// each of them rounded to cents.
	Charged, ChargedCents Amount
	// Anticipating: it has an anticipation cost. ReceivedType, as sent, may mark it as anticipated too.
	Anticipating bool
	ReceivedType string
}

// AgendaSpan is the range of reconciles that a movement of the agenda covers: those after one run, up to and including
// another.
type AgendaSpan struct {
	Since Date   // the as-of that After answers for; none: nothing was shown before
	After string // run whose closing is the opening; empty: nothing was open before
	Until string // run whose closing is shown
}

// Residual is Closing less Opening and all movements: 0 if the movements are complete.
func (c *Continuity) Residual() (Amount, error) {
	rest := c.Opening
	for _, m := range c.Changes {
		var err error
		if rest, err = rest.Add(m); err != nil {
			return 0, err
		}
	}
	return rest.Add(-c.Closing)
}
