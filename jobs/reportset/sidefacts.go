package reportset

import (
	"context"
	"fmt"
	"hash"
	"slices"

	"concilia/export"
	"concilia/export/report"
	"concilia/store/bank"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
)

// addBankFacts adds what the run concluded of the bank accounts whose home is the account. A state set has the month of the last
// settled day and the one before, and of what was proven ever since.
func (b *factCollector) addBankFacts(ctx context.Context, home ledger.Account, f *export.Facts) error {
	if b.Set.Basis != report.ByCredit && b.Set.Basis != report.ByAsOf {
		return nil
	}
	q := bank.Concluded{Home: home, Run: b.Run.ID, Period: b.Set.Period}
	standings, err := b.Ledger.BankStandings(ctx, q)
	if err != nil {
		return err
	}
	for _, standing := range standings {
		if b.Set.Basis == report.ByAsOf {
			q.Period = ledger.Period{From: (standing.Frontier.MonthStart() - 1).MonthStart(), To: standing.Frontier.MonthEnd()}
		}
		one, err := b.readBankFacts(ctx, q, standing)
		if err != nil {
			return err
		}
		f.Banks = append(f.Banks, one)
	}
	return nil
}

func (b *factCollector) readBankFacts(ctx context.Context, q bank.Concluded, standing banking.Outcome) (export.BankFacts, error) {
	out := export.BankFacts{Outcome: standing, States: map[banking.DayState]int64{}}
	whole := q
	whole.Period.From = q.Period.From.MonthStart() // a bridge is of whole months
	bridge, err := b.Ledger.BankBridge(ctx, whole)
	if err != nil {
		return out, err
	}
	for _, l := range bridge {
		if l.Bank == standing.Bank {
			out.Bridge = append(out.Bridge, l)
		}
	}
	err = b.Ledger.SeenBankDays(ctx, q, func(d *banking.SeenDay) error {
		if d.Bank == standing.Bank {
			out.States[d.State]++
			out.Other += d.Other
		}
		return nil
	})
	if err != nil {
		return out, err
	}
	if out.Passes, err = b.Ledger.BankPasses(ctx, q, standing.Bank); err != nil {
		return out, err
	}
	if out.Read, err = b.Ledger.BankFilesRead(ctx, q, standing.Bank); err != nil {
		return out, err
	}
	q.Period.To = min(q.Period.To, standing.Frontier)
	if b.Set.Basis == report.ByAsOf {
		q.Period.From = 0 // of all that came so far, as everywhere else
	}
	out.Proven, out.Received, err = b.Ledger.ProvenAtBank(ctx, q, standing.Bank)
	return out, err
}

// dropBankWithoutOne leaves the kind of bank accounts out of a set whose accounts are the home of none.
func (b *Builder) dropBankWithoutOne(ctx context.Context, kinds []report.Kind) ([]report.Kind, error) {
	at := slices.Index(kinds, report.BankKind)
	if at < 0 {
		return kinds, nil
	}
	for _, a := range b.Set.Accounts {
		standings, err := b.Ledger.BankStandings(ctx, bank.Concluded{Home: a.Number, Run: b.Run.ID})
		if err != nil || len(standings) > 0 {
			return kinds, err
		}
	}
	return slices.Delete(slices.Clone(kinds), at, at+1), nil
}

// isPaidIntoBank reports whether tables of the set have columns of bank accounts: its basis is one whose tables do, and one of its accounts is paid
// into one.
func (b *Builder) isPaidIntoBank(ctx context.Context, kinds []report.Kind) (bool, error) {
	bankKinds := map[report.Basis][]report.Kind{report.ByCredit: {report.SummaryKind, report.SlipsKind}, report.ByAsOf: {report.AgendaKind}}[b.Set.Basis]
	if !slices.ContainsFunc(kinds, func(k report.Kind) bool { return slices.Contains(bankKinds, k) }) {
		return false, nil
	}
	for _, a := range b.Set.Accounts {
		paid, err := b.Ledger.PaidInto(ctx, a.Number, b.Run.ID)
		if err != nil || len(paid) > 0 {
			return err == nil, err
		}
	}
	return false, nil
}

// addBankState adds what tables of the set show of the bank accounts into which an account is paid.
func (b *Builder) addBankState(ctx context.Context, to hash.Hash, a ledger.Account) error {
	paid, err := b.Ledger.PaidInto(ctx, a, b.Run.ID)
	if err != nil {
		return err
	}
	for _, p := range paid {
		fmt.Fprintf(to, "%s paid into %s\n", p.Side, p.Bank)
		if b.Set.Basis != report.ByCredit {
			continue
		}
		fmt.Fprintf(to, "on %s\n", p.Days)
		q := bank.CreditsAsked{Account: a, Side: p.Side, Run: b.Run.ID, Period: b.Set.Period}
		err := b.Ledger.BankCredits(ctx, q, func(c *banking.Credit) error {
			fmt.Fprintf(to, "%v\n", *c)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// dropSalesWithoutStore leaves the kinds of stores out of a set whose accounts are the home of none.
func (b *Builder) dropSalesWithoutStore(ctx context.Context, kinds []report.Kind) ([]report.Kind, error) {
	isOfStores := func(k report.Kind) bool { return k == report.SalesKind || k == report.EFDKind }
	if !slices.ContainsFunc(kinds, isOfStores) {
		return kinds, nil
	}
	for _, a := range b.Set.Accounts {
		has, err := b.Ledger.HasConcludedStores(ctx, a.Number, b.Run.ID)
		if err != nil || has {
			return kinds, err
		}
	}
	return slices.DeleteFunc(slices.Clone(kinds), isOfStores), nil
}
