package source

import (
	"context"
	"slices"

	"concilia/export/report"
	"concilia/store/bank"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
	"concilia/store/reports"
)

// toConcludedQuery asks for the bank accounts whose home is the account of a query.
func toConcludedQuery(q reports.Query) bank.Concluded {
	return bank.Concluded{Home: q.Account, Run: q.AsOfRun, Period: q.Period}
}

// bankReader reads what came to the bank accounts of a set: it is a report.BankSource.
type bankReader struct{ *Set }

// Deposits and BankDays are methods of report.BankSource.
func (r bankReader) Deposits(ctx context.Context, yield func(*banking.Deposit) error) error {
	return r.forEachAccount(func(q reports.Query) error { return r.Ledger.Deposits(ctx, toConcludedQuery(q), yield) })
}

func (r bankReader) BankDays(ctx context.Context, yield func(*banking.SeenDay) error) error {
	return r.forEachAccount(func(q reports.Query) error { return r.Ledger.SeenBankDays(ctx, toConcludedQuery(q), yield) })
}

// BankAccounts and BankCredits are methods of report.BankSource.
func (r bankReader) BankAccounts(ctx context.Context, side banking.CreditSide) (map[ledger.Account]report.BankAccount, error) {
	out := map[ledger.Account]report.BankAccount{}
	err := r.eachPaid(ctx, side, func(q reports.Query, p bank.PaidAt) error {
		out[q.Account] = report.BankAccount{ID: p.Bank, Days: p.Days}
		return nil
	})
	return out, err
}

func (r bankReader) BankCredits(ctx context.Context, side banking.CreditSide, yield func(*banking.Credit) error) error {
	return r.eachPaid(ctx, side, func(q reports.Query, p bank.PaidAt) error {
		return r.Ledger.BankCredits(ctx, creditsAsked(q, p), yield)
	})
}

// eachPaid calls fn for the accounts of which a side is paid into a bank account.
func (r bankReader) eachPaid(ctx context.Context, side banking.CreditSide, fn func(reports.Query, bank.PaidAt) error) error {
	return r.forEachAccount(func(q reports.Query) error {
		all, err := r.Ledger.PaidInto(ctx, q.Account, q.AsOfRun)
		if at := slices.IndexFunc(all, func(p bank.PaidAt) bool { return p.Side == side }); err == nil && at >= 0 {
			err = fn(q, all[at])
		}
		return err
	})
}

// creditsAsked asks for what came of the rows of a query on the days that a bank account answers for.
func creditsAsked(q reports.Query, p bank.PaidAt) bank.CreditsAsked {
	return bank.CreditsAsked{
		Account: q.Account, Side: p.Side, Run: q.AsOfRun, Brands: q.Brands, Classes: q.Classes,
		Period: ledger.Period{From: max(q.Period.From, p.Days.From), To: min(q.Period.To, p.Days.To)},
	}
}
