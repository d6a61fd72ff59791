package desk

import (
	"context"
	"slices"
	"strings"

	"concilia/cmd/concilia/console"
	"concilia/cmd/concilia/view/bankview"
	"concilia/jobs"
	"concilia/jobs/bank"
	"concilia/jobs/bank/match"
	"concilia/store"
	"concilia/store/ledger"
)

// conciliateBanks holds both sides of every bank account that a person may see against each other, as of the last night. One that
// settles an account which the person does not see is left out. id narrows them to one; empty: all.
func (s *Source) conciliateBanks(
	ctx context.Context, w *jobs.Worker, accounts []ledger.Account, id string, fn func(*bank.Conciliation, []bank.PayerResult) error,
) error {
	night, err := FindLastNight(ctx, w)
	if err != nil || night == nil {
		return err
	}
	seen := s.numbers(w, accounts)
	for i := range w.Banks {
		a := &w.Banks[i]
		if id != "" && a.ID != id || slices.ContainsFunc(a.Accounts, func(n ledger.Account) bool { return !slices.Contains(seen, n) }) {
			continue
		}
		c, results, err := jobs.ConciliateBank(ctx, w.Ledger, a, w.BankTerms(), night.AsOf)
		if err == nil {
			err = fn(c, results)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Banks are the bank accounts with their rows, or the one with that id.
func (s *Source) Banks(ctx context.Context, accounts []ledger.Account, id string) (out bankview.BankConciliations, err error) {
	return out, s.ask(ctx, func(w *jobs.Worker) error {
		err := s.conciliateBanks(ctx, w, accounts, id, func(c *bank.Conciliation, results []bank.PayerResult) error {
			out = append(out, bankview.BankConciliationOf(c, results))
			return nil
		})
		if err == nil && id != "" && len(out) == 0 {
			err = console.ErrNotFound
		}
		return err
	})
}

// BankItem is the row of a bank account with that match or subject, and what it should have paid.
func (s *Source) BankItem(ctx context.Context, accounts []ledger.Account, id, name string) (out *bankview.BankDetail, err error) {
	return out, s.ask(ctx, func(w *jobs.Worker) error {
		err := s.conciliateBanks(ctx, w, accounts, id, func(c *bank.Conciliation, results []bank.PayerResult) error {
			found := FindBankItems(c, results, name)
			i := slices.IndexFunc(found, func(f BankItem) bool { return f.IsNamed(name) })
			if i < 0 {
				return nil
			}
			out, err = found[i].Detail(ctx, w.Ledger)
			return err
		})
		if err == nil && out == nil {
			err = console.ErrNotFound
		}
		return err
	})
}

// BankItem is a row of what the service says it paid held against what came, with both of its sides.
type BankItem struct {
	bankview.BankRow
	bank   *bank.Conciliation
	result *bank.PayerResult
	row    *match.Row
}

// FindBankItems returns the rows with a piece of a subject or match.
func FindBankItems(c *bank.Conciliation, results []bank.PayerResult, piece string) (found []BankItem) {
	for i := range results {
		r := &results[i]
		for n := range r.Rows {
			f := BankItem{bankview.BankRowOf(c, r, &r.Rows[n]), c, r, &r.Rows[n]}
			if strings.Contains(f.Match, piece) || slices.ContainsFunc(f.Subjects, func(s string) bool { return strings.Contains(s, piece) }) {
				found = append(found, f)
			}
		}
	}
	return found
}

// IsNamed reports whether a person named the row whole.
func (f *BankItem) IsNamed(whole string) bool {
	return f.Match == whole || slices.Contains(f.Subjects, whole)
}

// Detail is the row with the sales and slips that it should have paid.
func (f *BankItem) Detail(ctx context.Context, l *store.Ledger) (*bankview.BankDetail, error) {
	out := bankview.BankDetailOf(f.BankRow)
	return out, f.addTitles(ctx, l, out)
}

// addTitles adds the sales and slips of the row's groups.
func (f *BankItem) addTitles(ctx context.Context, l *store.Ledger, detail *bankview.BankDetail) error {
	for _, i := range f.row.Groups {
		group := &f.result.Groups[i]
		day := ledger.Period{From: group.Day, To: group.Day}
		for _, a := range f.bank.Account.Accounts {
			err := l.CreditedInstallments(ctx, a, day, func(x *ledger.CreditedInstallment) error {
				if t, ok := f.bank.InstallmentOf(f.result.Payer, group, x); ok {
					detail.Add(t)
				}
				return nil
			})
			if err != nil {
				return err
			}
			err = l.CreditedSlips(ctx, a, day, func(x *ledger.CreditedSlip) error {
				if t, ok := f.bank.SlipOf(f.result.Payer, group, x); ok {
					detail.Add(t)
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
