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
