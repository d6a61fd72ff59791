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
	"concilia/jobs/casework"
	"concilia/jobs/othersides"
	"concilia/store"
	storebank "concilia/store/bank"
	"concilia/store/caselog"
	"concilia/store/ledger"
)

// bankAnswers answer about bank accounts.
type bankAnswers struct{ *access }

// readBanks reads what became of both sides of every bank account that a person may see, as the last run left it and people since. One
// that settles an account which the person does not see is left out. id narrows them to one; empty: all.
func (s bankAnswers) readBanks(ctx context.Context, w *jobs.Worker, accounts []ledger.Account, id string, fn func(*othersides.BankRows) error) error {
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
		rows, err := w.OtherSides().ReadBankRows(ctx, a, night.AsOf)
		if err == nil {
			err = fn(rows)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Banks are the bank accounts with their rows, or the one with that id.
func (s bankAnswers) Banks(ctx context.Context, accounts []ledger.Account, id string) (out bankview.BankConciliations, err error) {
	return out, s.ask(ctx, func(w *jobs.Worker) error {
		err := s.readBanks(ctx, w, accounts, id, func(b *othersides.BankRows) error {
			out = append(out, bankview.KeptBankConciliation(b))
			return nil
		})
		if err == nil && id != "" && len(out) == 0 {
			err = console.ErrNotFound
		}
		return err
	})
}

// ProvenAtBanks are the bank accounts with how much of what came is proven, as the last run left it.
func (s bankAnswers) ProvenAtBanks(ctx context.Context, accounts []ledger.Account) (out bankview.BankConciliations, err error) {
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
			home, _, err := w.Ledger.HomeOf(ctx, a.ID, a.Accounts[0])
			if err != nil {
				return err
			}
			standing, err := w.Ledger.BankStanding(ctx, storebank.Account{Home: home, ID: a.ID})
			if err != nil {
				return err
			}
			one := bankview.BankConciliation{Bank: a.ID, Frontier: standing.Frontier}
			if one.Proven, one.Received, err = w.Ledger.StandingProven(ctx, storebank.Account{Home: home, ID: a.ID}, standing.Frontier); err != nil {
				return err
			}
			out = append(out, one)
		}
		return nil
	})
}

// BankDays are the days of a bank account within a period, as its statements show them; a period without a last day has no end.
func (s bankAnswers) BankDays(ctx context.Context, accounts []ledger.Account, id string, days ledger.Period) (out []bankview.BankDay, err error) {
	return out, s.ask(ctx, func(w *jobs.Worker) error {
		seen := s.numbers(w, accounts)
		at := slices.IndexFunc(w.Banks, func(a bank.Account) bool { return a.ID == id && settlesOnly(&a, seen) })
		if at < 0 {
			return console.ErrNotFound
		}
		a := &w.Banks[at]
		if days.To == 0 {
			days.To = ledger.NewDate(9999, 12, 31)
		}
		home, _, err := w.Ledger.HomeOf(ctx, id, a.Accounts[0])
		if err != nil {
			return err
		}
		all, err := w.Ledger.BankDays(ctx, storebank.Account{Home: home, ID: id})
		out = bankview.BankCoverage{bankview.BankCoverageOf(id, a.Since, all, days)}.Days()
		return err
	})
}

// BankItem is the row of a bank account with that match or subject, and what it should have paid.
func (s bankAnswers) BankItem(ctx context.Context, accounts []ledger.Account, id, name string) (out *console.BankItem, err error) {
	return out, s.ask(ctx, func(w *jobs.Worker) error {
		err := s.readBanks(ctx, w, accounts, id, func(b *othersides.BankRows) error {
			found := FindBankItems(b, name)
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
func (s bankAnswers) BankCases(ctx context.Context, accounts []ledger.Account, lang string) (map[string]caseview.CaseRow, error) {
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
func (s bankAnswers) ActOnDeposit(ctx context.Context, accounts []ledger.Account, act *console.DepositAct) (out *bankview.BankAct, err error) {
	return out, s.ask(ctx, func(w *jobs.Worker) error {
		err := s.readBanks(ctx, w, accounts, act.Bank, func(b *othersides.BankRows) error {
			sides, err := chooseSides(b, act)
			if err != nil {
				return fmt.Errorf("%w: %w", console.ErrConflict, err)
			}
			req := &casework.DepositRequest{
				Verb: act.Verb, Home: b.Home, Bank: b.Account.ID, Sides: *sides, Voided: b.Voided, Accept: act.Accept, Actor: act.Actor, Reason: act.Reason,
				Via: "console", DryRun: act.DryRun, ProposeOnly: act.ProposeOnly,
			}
			if act.DryRun && !req.Accept.OK {
				req.Accept = ledger.Some(sides.Difference())
			}
			handler := &casework.Handler{Ledger: w.Ledger, FourEyes: s.config.FourEyes, Wall: s.proc.Wall, Person: act.Actor}
			handler.Host, _ = os.Hostname() // a machine without a name acts, too
			done, err := handler.ActOnDeposit(ctx, req)
			var refused *casework.RequestError
			if errors.As(err, &refused) {
				return fmt.Errorf("%w: %w", console.ErrConflict, refused)
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

func chooseSides(b *othersides.BankRows, act *console.DepositAct) (*bank.Sides, error) {
	if act.Verb == ledger.UnmatchDeposit {
		return b.FindMatch(act.Match)
	}
	return b.FindSides(act.Lines, act.Groups)
}

// BankItem is a row of what the service says it paid held against what came, with both of its sides.
type BankItem struct {
	bankview.BankRow
	of *othersides.BankRows
}

// FindBankItems returns the rows with a piece of a subject or match.
func FindBankItems(b *othersides.BankRows, piece string) (found []BankItem) {
	for i := range b.Rows {
		f := BankItem{bankview.BankRowOf(&b.Rows[i]), b}
		if strings.Contains(f.Match, piece) || slices.ContainsFunc(f.Subjects, func(s string) bool { return strings.Contains(s, piece) }) {
			found = append(found, f)
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
	if f.Match != "" || f.Debits != 0 {
		return nil
	}
	amount := f.Expected.V + f.Credited.V
	for i := range f.of.Rows {
		d := &f.of.Rows[i]
		if d.Match == "" && d.Payer == f.Payer && d.Expected.V+d.Credited.V > 0 && d.Expected.OK != f.Expected.OK {
			out = append(out, bankview.BankRowOf(d))
		}
	}
	far := func(r *bankview.BankRow) ledger.Amount { return (r.Expected.V + r.Credited.V - amount).Abs() }
	slices.SortStableFunc(out, func(a, b bankview.BankRow) int {
		return cmp.Or(cmp.Compare(far(&a), far(&b)), cmp.Compare(a.BankDate, b.BankDate), cmp.Compare(a.Name(), b.Name()))
	})
	return out[:min(len(out), maxPartners)]
}

// Detail is the row with the sales and slips that it should have paid.
func (f *BankItem) Detail(ctx context.Context, l *store.Ledger) (*bankview.BankDetail, error) {
	out := bankview.BankDetailOf(f.BankRow)
	for _, subject := range f.Subjects {
		hasRoom, err := f.of.EachTitle(ctx, l, subject, out.Add)
		if err != nil {
			return nil, err
		}
		if !hasRoom {
			break
		}
	}
	out.CountMore()
	return out, nil
}

// settlesOnly reports whether a bank account settles no account but those that are seen.
func settlesOnly(a *bank.Account, seen []ledger.Account) bool {
	return !slices.ContainsFunc(a.Accounts, func(n ledger.Account) bool { return !slices.Contains(seen, n) })
}
