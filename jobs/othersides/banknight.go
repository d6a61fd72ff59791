package othersides

import (
	"context"
	"slices"

	jobsbank "concilia/jobs/bank"
	"concilia/store/bank"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
)

// bankNight is a bank account as a night matches it.
type bankNight struct {
	*jobsbank.Conciliation
	matched *jobsbank.Matched
	titles  *jobsbank.Titles
	last    banking.Basis // of the current conclusion
	now     banking.Basis
	files   []ledger.FileHash
	scope   *jobsbank.Scope // nil: every day
	// earlyMoved is set where something credited before all that is answered for may be another than at the last conclusion.
	earlyMoved bool
}

// conciliateNight holds what the service says it credited into a bank account against what came. It looks at the days that moved since
// the last conclusion, and at those where something is open; at all days where another configuration or document, an earlier morning or
// Keeper.Full asks for it. Both come to the same.
func (k *Keeper) conciliateNight(ctx context.Context, run *ledger.Run, a *jobsbank.Account) (*bankNight, error) {
	home, _, err := k.Ledger.HomeOf(ctx, a.ID, a.Accounts[0])
	if err != nil {
		return nil, err
	}
	at := bank.Account{Home: home, ID: a.ID}
	n := &bankNight{}
	if n.last, err = k.Ledger.BankBasis(ctx, at); err != nil {
		return nil, err
	}
	var moved []ledger.Date
	// Statements taken in from here on are the next night's.
	if n.files, moved, err = k.Ledger.NewBankStatements(ctx, at); err != nil {
		return nil, err
	}
	if n.Conciliation, err = beginConciliation(ctx, k.Ledger, a, home, k.BankTerms()); err != nil {
		return nil, err
	}
	p := n.Period()
	r := &sidesReader{k.Ledger, n.Conciliation, run.AsOf}
	n.now = banking.Basis{Run: run.ID, AsOf: run.AsOf, From: p.From, To: r.paidPeriod().To, Terms: n.DescribeTerms()}
	if p.From == 0 {
		n.matched = &jobsbank.Matched{Conciliation: n.Conciliation}
		n.titles = n.matched.NewTitles()
		return n, nil
	}
	if !k.Full {
		if err := n.findScope(ctx, k, at, moved); err != nil {
			return nil, err
		}
	}
	if err := n.readSides(ctx, r, at); err != nil {
		return nil, err
	}
	n.matched = n.Match(run.AsOf)
	n.titles, err = r.readTitles(ctx, n.matched)
	return n, err
}

// findScope finds the days to be matched, if the matches of the other days may be kept.
func (n *bankNight) findScope(ctx context.Context, k *Keeper, at bank.Account, moved []ledger.Date) (err error) {
	if n.last.Run == "" {
		return nil
	}
	m := jobsbank.Moved{Days: moved}
	if m.Open, err = k.Ledger.OpenDepositParts(ctx, at); err != nil {
		return err
	}
	if m.Vanished, err = k.Ledger.VanishedLineDays(ctx, at); err != nil {
		return err
	}
	for _, account := range n.Account.Accounts {
		days, err := k.Ledger.MovedCreditDays(ctx, account, n.last.Run)
		if err != nil {
			return err
		}
		m.Days = append(m.Days, days...)
	}
	n.earlyMoved = slices.ContainsFunc(m.Days, func(d ledger.Date) bool { return d < n.now.From })
	n.scope = n.NewScope(n.last, n.now, m)
	return nil
}

// readSides reads both sides of the days in scope, and what was concluded of the others.
func (n *bankNight) readSides(ctx context.Context, r *sidesReader, at bank.Account) error {
	if n.scope == nil {
		if err := r.readLines(ctx, []ledger.Period{n.Period()}); err != nil {
			return err
		}
		return r.readCredited(ctx, nil)
	}
	if err := r.readLines(ctx, n.scope.Periods()); err != nil {
		return err
	}
	// A debit line may take back a credit of a day on which all came: that day is not as it was.
	var days []ledger.Date
	for _, s := range n.ReturnSearches() {
		found, err := r.ledger.DaysWithAmount(ctx, at, s.Amount, s.Period)
		if err != nil {
			return err
		}
		days = append(days, found...)
	}
	if err := r.readLines(ctx, n.Widen(n.scope, days, n.now)); err != nil {
		return err
	}
	if err := r.readCredited(ctx, n.scope); err != nil {
		return err
	}
	var takenBack []banking.TakenBack
	err := r.ledger.TakenBackAtBank(ctx, at, func(x *banking.TakenBack) error {
		takenBack = append(takenBack, *x)
		return nil
	})
	if err != nil {
		return err
	}
	closed, err := r.ledger.ClosedBankDays(ctx, at)
	if err != nil {
		return err
	}
	others, err := r.ledger.OtherBankLines(ctx, at)
	if err != nil {
		return err
	}
	n.AddStanding(n.scope, takenBack, closed, others)
	return nil
}

// concludeMatches is what the night keeps.
func (n *bankNight) concludeMatches(evaluation *jobsbank.Evaluation, v ledger.Verdict) *banking.Conclusion {
	out := n.matched.Conclude(n.titles, evaluation, v)
	out.Basis, out.Files, out.Whole = n.now, n.files, n.scope == nil
	if n.scope != nil {
		out.Matched, out.After = n.scope.Periods(), n.last.Run
	}
	return out
}
