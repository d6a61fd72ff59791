package ledger

import "encoding/json"

// LastReconcile is what the reconcile of an account before this one rested on. The zero value: there was none.
type LastReconcile struct {
	Run    string
	AsOf   Date
	Inputs string   // hash of documents, settings and rules
	Shadow []string // codes of the rules that were not believed, sorted
}

// Scope is what a reconcile looks at: everything, or the sales of some days and some slips. Days are in order, and so
// are a day's sales and the slips. A nil Scope is everything.
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

// ScopeSale names the sales of one day, NSU and authorization. Moved: their rows changed, or those of a sale that one
// of them may double; the others are looked at because time passed, or a case stands.
type ScopeSale struct {
	NSU, Auth string
	Moved     bool
}

// Everything says whether the scope leaves nothing out.
func (s *Scope) Everything() bool { return s == nil || s.Whole }

// Belief is the expectation that stands of an installment or a slip before a run, as far as the run needs it to put
// another in its place.
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

// Brackets are those of the belief that are not zero. None of nil.
func (b *Belief) Brackets() ([]Bracket, error) {
	if b == nil || b.Lines == "" || b.Lines == "null" || b.Lines == "[]" {
		return nil, nil
	}
	var all []Bracket
	err := json.Unmarshal([]byte(b.Lines), &all)
	return all, err
}

// Gone is an installment that the last complete pull of its day no longer shows, and what was believed of it.
type Gone struct {
	History InstallmentHistory
	Before  *Belief
}

// Population is a count over many rows of an account: Kind says what is counted, Item of what. Amount and Other are
// money where the kind has any.
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

// DaySum is what the ledger holds of one sale day, brand and product, or of one due date of slips.
type DaySum struct {
	Day        Date
	Brand      string
	Product    Product
	Difference Amount // Σ(N* − R), of slips Σ(V* − credited)
	Open       Amount // Σ G of the rows of class open
}

// Movement is why the gross of open installments changed between two reconciles.
type Movement int

// The movements, in the order in which they are told.
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
	Movements // how many there are
)

// Continuity is the gross of the open installments of one sale day, brand and product: Opening as the reconcile before
// left it, what moved it, with its sign, and Closing as the ledger holds it now.
type Continuity struct {
	Day     Date
	Brand   string
	Product Product
	Opening Amount
	Moved   [Movements]Amount
	Closing Amount
}
