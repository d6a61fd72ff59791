package othersides

import (
	"context"
	"fmt"
	"slices"

	jobsbank "concilia/jobs/bank"
	"concilia/jobs/bank/match"
	"concilia/jobs/calendar"
	"concilia/jobs/reconcile"
	"concilia/store"
	"concilia/store/bank"
	"concilia/store/caselog"
	"concilia/store/facts"
	"concilia/store/ledger"
)

// BankSummary is what a run found of a bank account. Amounts are in reais with two decimals.
type BankSummary struct {
	Bank    string         `json:"bank"`
	Verdict ledger.Verdict `json:"verdict"`
	// SettledTo is the last day up to which statements have every day whole; 0 when there is none.
	SettledTo ledger.Date `json:"settled_to"`
	// Proven of Received came to the cent up to that day.
	Received   Cents `json:"received"`
	Proven     Cents `json:"proven"`
	Waiting    Cents `json:"waiting"`
	Missing    Cents `json:"missing"`
	Unexpected Cents `json:"unexpected"`
	Differs    Cents `json:"differs"`
	// Residual is what the bridge from received to booked leaves, over all months.
	Residual Cents `json:"residual"`
	// FilesNew and LinesNew are what the inbox brought.
	FilesNew int   `json:"files_new"`
	LinesNew int64 `json:"lines_new"`
}

// Cents is an amount whose JSON is a string with two decimals.
type Cents ledger.Amount

// MarshalText is the amount with two decimals.
func (c Cents) MarshalText() ([]byte, error) { return []byte(ledger.Amount(c).Fixed(2)), nil }

// ConciliateBank holds what the service says it credited into a bank account against what came, as of a day.
func ConciliateBank(
	ctx context.Context, l *store.Ledger, a *jobsbank.Account, t jobsbank.Terms, asOf ledger.Date,
) (*jobsbank.Conciliation, []jobsbank.PayerResult, error) {
	return conciliateBank(ctx, l, a, t, asOf, false)
}

// ConciliateForActs is ConciliateBank for a person who may match lines of no payer, too.
func ConciliateForActs(
	ctx context.Context, l *store.Ledger, a *jobsbank.Account, t jobsbank.Terms, asOf ledger.Date,
) (*jobsbank.Conciliation, []jobsbank.PayerResult, error) {
	return conciliateBank(ctx, l, a, t, asOf, true)
}

func conciliateBank(
	ctx context.Context, l *store.Ledger, a *jobsbank.Account, t jobsbank.Terms, asOf ledger.Date, keepsForeign bool,
) (*jobsbank.Conciliation, []jobsbank.PayerResult, error) {
	home, _, err := l.HomeOf(ctx, a.ID, a.Accounts[0])
	if err != nil {
		return nil, nil, err
	}
	kept := bank.Account{Home: home, ID: a.ID}
	days, err := l.BankDays(ctx, kept)
	if err != nil {
		return nil, nil, err
	}
	c := jobsbank.NewConciliation(a, home, days, t)
	c.KeepsForeign = keepsForeign
	if err := readDecisions(ctx, l, c); err != nil {
		return nil, nil, err
	}
	p := c.Period()
	if p.From == 0 {
		return c, nil, nil
	}
	if err := calendar.CheckDate(p.From); err != nil {
		return nil, nil, fmt.Errorf("bank account %s: %w", a.ID, err)
	}
	err = l.BankLines(ctx, kept, p, func(x *ledger.BankLine) error {
		c.AddLine(x)
		return nil
	})
	paid := ledger.Period{From: p.From, To: max(p.To, asOf)}
	for _, account := range a.Accounts {
		if err == nil && len(a.Payers) > 0 {
			err = l.CreditedInstallments(ctx, facts.Credited{Account: account, Period: paid, Splits: a.NetOfSplits()}, func(x *ledger.CreditedInstallment) error {
				c.AddInstallment(x)
				return nil
			})
		}
		if err == nil && len(a.Payers) > 0 {
			err = l.CreditedSlips(ctx, account, paid, func(x *ledger.CreditedSlip) error {
				c.AddSlip(x)
				return nil
			})
		}
	}
	if err != nil {
		return nil, nil, err
	}
	if err := readTerminals(ctx, l, c); err != nil {
		return nil, nil, err
	}
	return c, c.Match(asOf), nil
}

// readTerminals reads by which terminals was sold in the months before those in which they are rented.
func readTerminals(ctx context.Context, l *store.Ledger, c *jobsbank.Conciliation) error {
	for _, a := range c.Account.Accounts {
		for _, month := range c.RentedMonths(a) {
			before := month - 1
			statuses := map[string][]string{}
			err := l.Terminals(ctx, a, ledger.Period{From: before.MonthStart(), To: before}, func(terminal, status string) error {
				statuses[terminal] = append(statuses[terminal], status)
				return nil
			})
			if err != nil {
				return err
			}
			c.AddTerminals(a, month, statuses)
		}
	}
	return nil
}

// readDecisions reads what people decided about the matches of a bank account.
func readDecisions(ctx context.Context, l *store.Ledger, c *jobsbank.Conciliation) error {
	acts, err := l.Acts(ctx, caselog.ActFilter{
		Accounts: []ledger.Account{c.Home}, Verbs: []ledger.Verb{ledger.MatchDeposit, ledger.UnmatchDeposit},
	})
	if err != nil || len(acts) == 0 {
		return err
	}
	decisions, err := jobsbank.Decisions(c.Home, c.Account.ID, acts)
	c.AddDecisions(decisions)
	return err
}

// evaluateBanks applies the rules to every bank account whose accounts the run has reconciled all.
func (k *Keeper) evaluateBanks(ctx context.Context, run *ledger.Run, reconciled Reconciled, out *Evaluation) error {
	for i := range k.Banks {
		a := &k.Banks[i]
		complete := true
		all := !slices.ContainsFunc(a.Accounts, func(n ledger.Account) bool {
			complete = complete && len(reconciled[n].Critical) == 0
			return !reconciled.isWhole(n)
		})
		if !all {
			continue
		}
		if err := k.evaluateBank(ctx, run, a, complete, out); err != nil {
			return fmt.Errorf("bank account %s: %w", a.ID, err)
		}
	}
	return nil
}

func (k *Keeper) evaluateBank(ctx context.Context, run *ledger.Run, a *jobsbank.Account, complete bool, out *Evaluation) error {
	c, paid, err := ConciliateBank(ctx, k.Ledger, a, k.BankTerms(), run.AsOf)
	if err != nil {
		return err
	}
	known := jobsbank.Known{Complete: complete}
	if k.inboxes != nil {
		known.Refused = k.inboxes.refused[a.ID]
	}
	judgement, err := c.Judge(run, paid, known)
	if err != nil {
		return err
	}
	prior, err := k.listBankCases(ctx, c)
	if err != nil {
		return err
	}
	cases := reconcile.FollowCases(run, prior, judgement.Findings, judgement.Leaves)
	kept := c.Conclude(paid, judgement, cases.Verdict)
	if err := k.Ledger.KeepConclusion(ctx, run, bank.Account{Home: c.Home, ID: a.ID}, kept, cases.Changes); err != nil {
		return err
	}
	out.add(cases)
	one := summarizeBank(c, paid, cases.Verdict)
	if k.inboxes != nil {
		one.FilesNew, one.LinesNew = k.inboxes.files[a.ID], k.inboxes.newLines[a.ID]
	}
	out.Banks = append(out.Banks, one)
	return nil
}

// BankTerms are the documents by which bank accounts are read.
func (k *Keeper) BankTerms() jobsbank.Terms {
	return jobsbank.Terms{Mapping: k.Mapping, Contracts: k.Contracts, Calendar: k.BankCalendar, Settings: k.BankSettings}
}

// listBankCases returns the cases of a bank account: its home may be that of others too.
func (k *Keeper) listBankCases(ctx context.Context, c *jobsbank.Conciliation) (out []ledger.Finding, err error) {
	var codes []string
	for _, r := range jobsbank.Rules() {
		codes = append(codes, r.Code)
	}
	err = k.Ledger.Findings(ctx, caselog.FindingFilter{Accounts: []ledger.Account{c.Home}, Codes: codes}, func(f *ledger.Finding) error {
		if jobsbank.OfSubject(f.Subject) == c.Account.ID {
			out = append(out, *f)
		}
		return nil
	})
	return out, err
}

func summarizeBank(c *jobsbank.Conciliation, all []jobsbank.PayerResult, v ledger.Verdict) BankSummary {
	out := BankSummary{Bank: c.Account.ID, Verdict: v, SettledTo: ledger.BankFrontier(c.Days, c.Account.Since)}
	for _, m := range jobsbank.Bridge(all) {
		out.Residual += Cents(m.Residual())
	}
	for i := range all {
		r := &all[i]
		proven, received := r.Proven(out.SettledTo, r.Rows)
		out.Proven += Cents(proven)
		out.Received += Cents(received)
		for n := range r.Rows {
			switch row := &r.Rows[n]; row.Status {
			case match.Waiting:
				out.Waiting += Cents(row.Expected)
			case match.Missing:
				out.Missing += Cents(row.Expected)
			case match.Unexpected:
				out.Unexpected += Cents(row.Credited)
			case match.Differs:
				out.Differs += Cents(row.Difference())
			}
		}
	}
	return out
}
