package ledger

import "encoding/json"

// LastReconcile is what the previous reconcile of an account rested on. The zero value means that there was none.
type LastReconcile struct {
	Run    string
	AsOf   Date
	Inputs string   // hash of documents, settings and rules
	Shadow []string // codes of the rules that were not believed, sorted
}

// Scope is what a reconcile judges: everything, or the sales of some days and some slips. Days are in order, and so are
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

// ScopeSale identifies the sales of one day, NSU and authorization. Moved: their rows changed, or those of a sale that
// one of them may duplicate. The others are judged because time passed, or because they have a case.
type ScopeSale struct {
	NSU, Auth string
	Moved     bool
}

// Everything reports whether the scope is unrestricted.
func (s *Scope) Everything() bool { return s == nil || s.Whole }

// Belief is what a run needs to know of the current expectation of an installment or a slip in order to replace it.
type Belief struct {
	Content      Hash // of every value
	Version      int
	Class        Class
	Day          Date // of a slip's bridge; an installment's is its sale's
	Brand        string
	Product      Product
	Band         string
	Lines        string // brackets, as the ledger keeps them
	Contribution string
}

// Brackets returns the brackets of the belief that are not zero; none for nil.
func (b *Belief) Brackets() ([]Bracket, error) {
	if b == nil || b.Lines == "" || b.Lines == "null" || b.Lines == "[]" {
		return nil, nil
	}
	var all []Bracket
	err := json.Unmarshal([]byte(b.Lines), &all)
	return all, err
}

// Gone is an installment that the last complete pull of its day no longer shows, with what was believed of it.
type Gone struct {
	History InstallmentHistory
	Before  *Belief
}

// Population is a count over many rows of an account: Kind is what is counted, Item the group. Amount and Other are sums
// of money if the kind has any.
type Population struct {
	Kind, Item string
	Members    int64
	Amount     Amount
	Other      Amount
}

// Tolerated is what a rule lets pass in a month, in absolute cents.
type Tolerated struct {
	Code   string
	Month  Date // its first day
	Amount Amount
}

// DaySum is what the ledger counts for one sale day, brand and product, or for one due date of slips.
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
	Added                   // not known before
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
	Movements // their number
)

// Continuity is the gross of the open installments of one sale day, brand and product: Opening as the previous reconcile
// left it, the signed movements since, and Closing as the ledger counts it now.
type Continuity struct {
	Day     Date
	Brand   string
	Product Product
	Opening Amount
	Moved   [Movements]Amount
	Closing Amount
}
