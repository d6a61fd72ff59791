package othersides

import (
	"context"
	"slices"

	"concilia/export/words"
	jobsbank "concilia/jobs/bank"
	"concilia/jobs/bank/match"
	"concilia/jobs/calendar"
	"concilia/jobs/caselife"
	"concilia/store"
	"concilia/store/bank"
	"concilia/store/caselog"
	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
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
) (*jobsbank.Matched, error) {
	return conciliateBank(ctx, l, a, t, asOf, false)
}

// ConciliateForActs is ConciliateBank for a person who may match lines of no payer, too.
func ConciliateForActs(
	ctx context.Context, l *store.Ledger, a *jobsbank.Account, t jobsbank.Terms, asOf ledger.Date,
) (*jobsbank.Matched, error) {
	return conciliateBank(ctx, l, a, t, asOf, true)
}

func conciliateBank(
	ctx context.Context, l *store.Ledger, a *jobsbank.Account, t jobsbank.Terms, asOf ledger.Date, keepsForeign bool,
) (*jobsbank.Matched, error) {
	home, _, err := l.HomeOf(ctx, a.ID, a.Accounts[0])
	if err != nil {
		return nil, err
	}
	c, err := beginConciliation(ctx, l, a, home, t)
	if err != nil {
		return nil, err
	}
	c.KeepsForeign = keepsForeign
	p := c.Period()
	if p.From == 0 {
		return &jobsbank.Matched{Conciliation: c}, nil
	}
	r := &sidesReader{l, c, asOf}
	if err := r.readLines(ctx, []ledger.Period{p}); err != nil {
		return nil, err
	}
	if err := r.readCredited(ctx, nil); err != nil {
		return nil, err
	}
	matched := c.Match(asOf)
	_, err = r.readTitles(ctx, matched)
	return matched, err
}

// beginConciliation has the days of a bank account, and what people decided about its matches.
func beginConciliation(ctx context.Context, l *store.Ledger, a *jobsbank.Account, home ledger.Account, t jobsbank.Terms) (*jobsbank.Conciliation, error) {
	days, err := l.BankDays(ctx, bank.Account{Home: home, ID: a.ID})
	if err != nil {
		return nil, err
	}
	c := jobsbank.NewConciliation(a, home, days, t)
	if p := c.Period(); p.From != 0 {
		if err := calendar.CheckDate(p.From); err != nil {
			return nil, words.NewFault("publish_fault.bank_account", "", "bank", a.ID, "cause", err)
		}
	}
	return c, readDecisions(ctx, l, c)
}

// sidesReader reads both sides of a bank account.
type sidesReader struct {
	ledger *store.Ledger
	c      *jobsbank.Conciliation
	asOf   ledger.Date
}

// paidPeriod is when the service may have credited what is held against the lines.
func (r *sidesReader) paidPeriod() ledger.Period {
	p := r.c.Period()
	return ledger.Period{From: p.From, To: max(p.To, r.asOf)}
}

// readLines reads the lines of days that are answered for.
func (r *sidesReader) readLines(ctx context.Context, periods []ledger.Period) error {
	for _, p := range periods {
		err := r.ledger.BankLines(ctx, bank.Account{Home: r.c.Home, ID: r.c.Account.ID}, p, func(x *banking.Line) error {
			r.c.AddLine(x)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// readCredited reads what the service says it credited on the days of a scope, nil being all that are answered for, and by which
// terminals was sold.
func (r *sidesReader) readCredited(ctx context.Context, scope *jobsbank.Scope) error {
	a, periods := r.c.Account, []ledger.Period{r.paidPeriod()}
	if scope != nil {
		periods = scope.Periods()
	}
	for _, account := range a.Accounts {
		if len(a.Payers) == 0 {
			break
		}
		err := r.ledger.CreditedInstallments(ctx, facts.Credited{Account: account, Periods: periods, Splits: a.NetOfSplits()}, func(x *banking.CreditedInstallment) error {
			r.c.AddInstallment(x)
			return nil
		})
		if err != nil {
			return err
		}
		if err := r.readCreditedSlips(ctx, account, scope, periods); err != nil {
			return err
		}
	}
	return readTerminals(ctx, r.ledger, r.c)
}

// readCreditedSlips reads what was credited of slips. Those of a few days are looked up; for more, all slips are read once.
func (r *sidesReader) readCreditedSlips(ctx context.Context, account ledger.Account, scope *jobsbank.Scope, periods []ledger.Period) error {
	if slices.ContainsFunc(periods, func(p ledger.Period) bool { return !facts.AreFewDays(p) }) {
		periods = []ledger.Period{r.paidPeriod()}
	}
	for _, p := range periods {
		err := r.ledger.CreditedSlips(ctx, account, p, func(x *banking.CreditedSlip) error {
			if scope.Contains(x.Day) {
				r.c.AddSlip(x)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// readTitles reads the installments and slips that are looked at one by one.
func (r *sidesReader) readTitles(ctx context.Context, matched *jobsbank.Matched) (*jobsbank.Titles, error) {
	titles := matched.NewTitles()
	days := titles.Days()
	if len(days) == 0 {
		return titles, nil
	}
	a := r.c.Account
	for _, account := range a.Accounts {
		q := facts.Credited{Account: account, Periods: days, Splits: a.NetOfSplits()}
		err := r.ledger.CreditedInstallments(ctx, q, func(x *banking.CreditedInstallment) error {
			titles.AddInstallment(x)
			return nil
		})
		for i := 0; err == nil && i < len(days); i++ {
			err = r.ledger.CreditedSlips(ctx, account, days[i], func(x *banking.CreditedSlip) error {
				titles.AddSlip(x)
				return nil
			})
		}
		if err != nil {
			return nil, err
		}
	}
	return titles, nil
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
	decisions, err := listDecisions(ctx, l, c.Home, c.Account.ID)
	if err == nil && len(decisions) > 0 {
		c.AddDecisions(decisions)
	}
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
			return words.NewFault("publish_fault.bank_account", "", "bank", a.ID, "cause", err)
		}
	}
	return nil
}

func (k *Keeper) evaluateBank(ctx context.Context, run *ledger.Run, a *jobsbank.Account, complete bool, out *Evaluation) error {
	night, err := k.conciliateNight(ctx, run, a)
	if err != nil {
		return err
	}
	c, matched := night.Conciliation, night.matched
	if matched.HasUnexpected() {
		if err := k.readOverdue(ctx, c); err != nil {
			return err
		}
	}
	if err := k.countLeftOut(ctx, night); err != nil {
		return err
	}
	known := jobsbank.Known{Complete: complete, Regrouped: night.last.Run != "" && night.last.Terms != night.now.Terms}
	if k.inboxes != nil {
		known.Refused = k.inboxes.refused[a.ID]
	}
	evaluation, err := matched.Evaluate(run, known)
	if err != nil {
		return err
	}
	prior, err := k.listBankCases(ctx, c)
	if err != nil {
		return err
	}
	cases := caselife.Follow(run, prior, evaluation.Findings, evaluation.Leaves, evaluation.Closes)
	kept := night.concludeMatches(evaluation, cases.Verdict)
	if err := k.Ledger.KeepConclusion(ctx, run, bank.Account{Home: c.Home, ID: a.ID}, kept, cases.Changes); err != nil {
		return err
	}
	out.add(cases)
	one := summarizeBank(matched, cases.Verdict)
	if k.inboxes != nil {
		one.FilesNew, one.LinesNew = k.inboxes.files[a.ID], k.inboxes.newLines[a.ID]
	}
	out.Banks = append(out.Banks, one)
	return nil
}

// countLeftOut counts what takes no part in the matching.
func (k *Keeper) countLeftOut(ctx context.Context, n *bankNight) error {
	c, at := n.Conciliation, bank.Account{Home: n.Home, ID: n.Account.ID}
	from := c.Period().From
	stands, err := k.Ledger.BankStanding(ctx, at)
	if err != nil {
		return err
	}
	// What came before all that is answered for is counted anew where something of it moved: it may be years.
	anew := n.scope == nil || n.earlyMoved
	if c.LeftOut.Scheduled, err = k.Ledger.CountScheduledLines(ctx, at); err != nil {
		return err
	}
	if !anew {
		c.LeftOut.Early = stands.Early
	}
	for _, a := range c.Account.Accounts {
		if len(c.Account.Payers) == 0 || from == 0 {
			break
		}
		undated, err := k.Ledger.CountPaidUndated(ctx, a)
		if err != nil {
			return err
		}
		c.LeftOut.Undated += undated
		if anew {
			early, err := k.Ledger.CountCreditedBefore(ctx, a, from)
			if err != nil {
				return err
			}
			c.LeftOut.Early += early
		}
	}
	return nil
}

// readOverdue reads what the service should have credited with the accounts of a bank account and says it did not.
func (k *Keeper) readOverdue(ctx context.Context, c *jobsbank.Conciliation) error {
	const ofSlip = "SLIP_CREDIT_OVERDUE"
	filter := caselog.FindingFilter{Accounts: c.Account.Accounts, Codes: []string{"RECEIVED_OVERDUE", ofSlip}}
	return k.Ledger.Findings(ctx, filter, func(f *ledger.Finding) error {
		if f.State.IsUnresolved() {
			c.AddOverdue(f, f.Code == ofSlip)
		}
		return nil
	})
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

func summarizeBank(m *jobsbank.Matched, v ledger.Verdict) BankSummary {
	out := BankSummary{Bank: m.Account.ID, Verdict: v, SettledTo: banking.Frontier(m.Days, m.Account.Since)}
	for _, month := range m.Bridge() {
		out.Residual += Cents(month.Residual())
	}
	proven, received := m.Proven(out.SettledTo)
	out.Proven, out.Received = Cents(proven), Cents(received)
	for i := range m.Results {
		r := &m.Results[i]
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
