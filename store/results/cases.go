package results

import (
	"concilia/store/ledger"
)

// CurrentCases returns every case of the account, in any state, as it was evaluated last, in order of case.
func (r *ReconcileTx) CurrentCases() ([]ledger.Finding, error) { return r.cases.CurrentCases() }

// WriteCase keeps the case as it is seen now, and with event set an event that holds all its numbers. The same event of
// the same run is kept once. f.Case may be empty: it follows from account, subject and code.
func (r *ReconcileTx) WriteCase(f ledger.Finding, event bool) error {
	if event {
		r.noteCase(f.Subject)
	}
	return r.cases.WriteCase(f, event)
}

// WriteUnchangedCase is WriteCase without an event for a case that has not changed: only LastRun and LastSeen are written.
func (r *ReconcileTx) WriteUnchangedCase(f *ledger.Finding) error {
	return r.cases.WriteUnchangedCase(f)
}

// noteCase notes that a case got an event: it counts in the months of the sale at hand, or in those that its subject names.
func (r *ReconcileTx) noteCase(subject string) {
	r.caseEvents++
	if r.sale != nil {
		r.noteMoved()
		return
	}
	r.moved.addCase(subject)
}
