package desk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"concilia/cmd/concilia/console"
	"concilia/cmd/concilia/view/bankview"
	"concilia/cmd/concilia/view/caseview"
	"concilia/cmd/concilia/wire"
	"concilia/jobs"
	"concilia/jobs/bank"
	"concilia/jobs/bank/match"
	"concilia/jobs/casework"
	"concilia/jobs/othersides"
	"concilia/store"
	storebank "concilia/store/bank"
	"concilia/store/caselog"
	"concilia/store/facts"
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
		if id != "" && a.ID != id || !settlesOnly(a, seen) {
			continue
		}
		c, results, err := othersides.ConciliateBank(ctx, w.Ledger, a, w.OtherSides().BankTerms(), night.AsOf)
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

// ProvenAtBanks are the bank accounts with how much of what came is proven, as the last night left it.
func (s *Source) ProvenAtBanks(ctx context.Context, accounts []ledger.Account) (out bankview.BankConciliations, err error) {
	return out, s.ask(ctx, func(w *jobs.Worker) error {
		night, err := FindLastNight(ctx, w)
		if err != nil || night == nil {
			return err
		}
		seen := s.numbers(w, accounts)
		for i := range w.Banks {
			a := &w.Banks[i]
			if !settlesOnly(a, seen) {
				continue
			}
			one := bankview.BankConciliation{Bank: a.ID}
			home, _, err := w.Ledger.HomeOf(ctx, a.ID, a.Accounts[0])
			if err != nil {
				return err
			}
			q := storebank.Concluded{Home: home, Run: night.ID}
			standings, err := w.Ledger.BankStandings(ctx, q)
			if err != nil {
				return err
			}
			if at := slices.IndexFunc(standings, func(b ledger.BankStanding) bool { return b.Bank == a.ID }); at >= 0 {
				one.Frontier, q.Period.To = standings[at].Frontier, standings[at].Frontier
				if one.Proven, one.Received, err = w.Ledger.ProvenAtBank(ctx, q, a.ID); err != nil {
					return err
				}
			}
			out = append(out, one)
		}
		return nil
	})
}

// BankItem is the row of a bank account with that match or subject, and what it should have paid.
func (s *Source) BankItem(ctx context.Context, accounts []ledger.Account, id, name string) (out *console.BankItem, err error) {
	return out, s.ask(ctx, func(w *jobs.Worker) error {
		err := s.conciliateBanks(ctx, w, accounts, id, func(c *bank.Conciliation, results []bank.PayerResult) error {
			found := FindBankItems(c, results, name)
			i := slices.IndexFunc(found, func(f BankItem) bool { return f.IsNamed(name) })
			if i < 0 {
				return nil
			}
			detail, err := found[i].Detail(ctx, w.Ledger)
			if err != nil {
				return err
			}
			out = &console.BankItem{BankDetail: detail, Partners: found[i].listPartners()}
			var subjects []string
			for i := range detail.Titles {
				subjects = append(subjects, detail.Titles[i].Subject)
			}
			out.SlipNames, err = namesOfSlips(ctx, w, subjects)
			return err
		})
		if err == nil && out == nil {
			err = console.ErrNotFound
		}
		return err
	})
}

// BankCases are the cases about rows of bank accounts that are not over, by their subjects; of several on one the largest.
func (s *Source) BankCases(ctx context.Context, accounts []ledger.Account, lang string) (map[string]caseview.CaseRow, error) {
	out := map[string]caseview.CaseRow{}
	return out, s.ask(ctx, func(w *jobs.Worker) error {
		night, err := FindLastNight(ctx, w)
		if err != nil || night == nil {
			return err
		}
		return w.Ledger.Findings(ctx, caselog.UnresolvedCases("", s.numbers(w, accounts)...), func(f *ledger.Finding) error {
			if kind, _, _ := strings.Cut(f.Subject, ":"); kind != "group" && kind != "bank" || f.State == ledger.Shadow {
				return nil
			}
			if before, ok := out[f.Subject]; !ok || before.Impact.V.Abs() < f.Impact.V.Abs() {
				out[f.Subject] = caseview.CaseRowOf(f, wire.VoiceOf(w, lang), night.AsOf)
			}
			return nil
		})
	})
}

// ActOnDeposit joins both sides of a match or takes them apart, or shows what that would come to.
func (s *Source) ActOnDeposit(ctx context.Context, accounts []ledger.Account, act *console.DepositAct) (out *bankview.BankAct, err error) {
	return out, s.ask(ctx, func(w *jobs.Worker) error {
		err := s.conciliateBanks(ctx, w, accounts, act.Bank, func(c *bank.Conciliation, results []bank.PayerResult) error {
			sides, err := chooseSides(c, results, act)
			if err != nil {
				return fmt.Errorf("%w: %w", console.ErrConflict, err)
			}
			req := &casework.DepositRequest{
				Verb: act.Verb, Home: c.Home, Bank: c.Account.ID, Sides: *sides, Voided: c.Voided, Accept: act.Accept, Actor: act.Actor, Reason: act.Reason,
				Via: "console", DryRun: act.DryRun, ProposeOnly: act.ProposeOnly,
			}
			if act.DryRun && !req.Accept.OK {
				req.Accept = ledger.Some(sides.Difference())
			}
			handler := &casework.Handler{Ledger: w.Ledger, FourEyes: s.config.FourEyes, Wall: s.proc.Wall, Person: act.Actor}
			handler.Host, _ = os.Hostname() // a machine without a name acts, too
			done, err := handler.ActOnDeposit(ctx, req)
			var told *casework.RequestError
			if errors.As(err, &told) {
				return fmt.Errorf("%w: %s", console.ErrConflict, told.Text)
			}
			if err == nil {
				out = bankview.BankActOf(req, done)
			}
			return err
		})
		if err == nil && out == nil {
			err = console.ErrNotFound
		}
		return err
	})
}

func chooseSides(c *bank.Conciliation, results []bank.PayerResult, act *console.DepositAct) (*bank.Sides, error) {
	if act.Verb == ledger.UnmatchDeposit {
		return c.FindMatch(results, act.Match)
	}
	return c.FindSides(results, bank.Named{Lines: act.Lines, Groups: act.Groups})
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

// maxPartners is how many rows of the other side are offered for a row that is left.
const maxPartners = 20

// listPartners are the rows left of the other side that a person may hold a row to be, those nearest in amount first.
func (f *BankItem) listPartners() (out []bankview.BankRow) {
	if f.row.Matched || f.Debits != 0 {
		return nil
	}
	amount := f.row.Expected + f.row.Credited
	for n := range f.result.Rows {
		x := &f.result.Rows[n]
		if !x.Matched && x.Expected+x.Credited > 0 && (len(x.Groups) > 0) != (len(f.row.Groups) > 0) {
			out = append(out, bankview.BankRowOf(f.bank, f.result, x))
		}
	}
	far := func(r *bankview.BankRow) ledger.Amount { return (r.Expected.V + r.Credited.V - amount).Abs() }
	slices.SortStableFunc(out, func(a, b bankview.BankRow) int { return cmp.Compare(far(&a), far(&b)) })
	return out[:min(len(out), maxPartners)]
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
			err := l.CreditedInstallments(ctx, facts.Credited{Account: a, Periods: []ledger.Period{day}, Splits: f.bank.Account.NetOfSplits()}, func(x *ledger.CreditedInstallment) error {
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

// settlesOnly reports whether a bank account settles no account but those that are seen.
func settlesOnly(a *bank.Account, seen []ledger.Account) bool {
	return !slices.ContainsFunc(a.Accounts, func(n ledger.Account) bool { return !slices.Contains(seen, n) })
}
