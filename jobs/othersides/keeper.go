package othersides

import (
	"context"
	"time"

	"concilia/jobs/agreements"
	jobsbank "concilia/jobs/bank"
	"concilia/jobs/calendar"
	"concilia/jobs/caselife"
	"concilia/jobs/reconcile"
	"concilia/jobs/rules"
	jobssales "concilia/jobs/sales"
	"concilia/store"
	"concilia/store/ledger"
)

// Keeper takes in what bank accounts and stores say in one run, and holds it against what the service says.
type Keeper struct {
	Ledger *store.Ledger
	// Banks are the bank accounts, BankSettings what is changed of their rules, and BankCalendar the days on which banks settle. Without
	// Banks the others are not needed.
	Banks        []jobsbank.Account
	BankSettings rules.Settings
	BankCalendar *calendar.Calendar
	// Stores are those that say what they sold, SalesSettings what is changed of their rules.
	Stores        []jobssales.Store
	SalesSettings rules.Settings
	Mapping       *agreements.Mapping
	Contracts     *agreements.Contracts
	// Full has every day of the bank accounts matched anew, not only those that moved.
	Full  bool
	Today func() ledger.Date
	Wall  func() time.Time

	inboxes      *inboxReading                      // of the bank accounts; nil: the run does not read them
	refusedSales map[string][]jobssales.RefusedFile // of the inboxes of stores; nil: the run does not read them
}

// salesKeeper is the part of a Keeper that the stores are kept by.
type salesKeeper struct{ *Keeper }

// Reconciled are the results of the accounts that a run has reconciled.
type Reconciled map[ledger.Account]reconcile.Result

// isWhole reports whether an account was reconciled, and its sums stayed in the range of an amount.
func (r Reconciled) isWhole(a ledger.Account) bool {
	result, ok := r[a]
	return ok && result.Overflow == ""
}

// Evaluation is what a run found of the other sides.
type Evaluation struct {
	Counts   map[string]int // cases pending, open or reopened, by code
	NewCases map[string]int // those first seen in this run
	Verdict  ledger.Verdict
	Banks    []BankSummary
	Sales    []SalesSummary
}

func (e *Evaluation) add(cases *caselife.Followed) {
	for code, n := range cases.Counts {
		e.Counts[code] += n
	}
	for code, n := range cases.NewCases {
		e.NewCases[code] += n
	}
	e.Verdict = e.Verdict.Worse(cases.Verdict)
}

// TakeIn takes in what the inboxes of bank accounts and stores hold. A file that is refused hinders no other: Evaluate makes a case of
// it, and the next run looks at it again.
func (k *Keeper) TakeIn(ctx context.Context) (err error) {
	if k.inboxes, err = k.takeInInboxes(ctx); err != nil {
		return err
	}
	k.refusedSales, err = (&salesKeeper{k}).takeInSales(ctx)
	return err
}

// Evaluate applies the rules to every bank account and store whose accounts the run has reconciled all, and stores what it concludes.
func (k *Keeper) Evaluate(ctx context.Context, run *ledger.Run, reconciled Reconciled) (*Evaluation, error) {
	out := &Evaluation{Counts: map[string]int{}, NewCases: map[string]int{}}
	if err := k.evaluateBanks(ctx, run, reconciled, out); err != nil {
		return nil, err
	}
	return out, (&salesKeeper{k}).evaluateSales(ctx, run, reconciled, out)
}
