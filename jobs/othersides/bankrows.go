package othersides

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	jobsbank "concilia/jobs/bank"
	"concilia/jobs/bank/match"
	"concilia/store"
	"concilia/store/bank"
	"concilia/store/caselog"
	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
)

// BankRows is what became of both sides of a bank account.
type BankRows struct {
	Account *jobsbank.Account
	Home    ledger.Account
	// Frontier is the last day up to which every day is settled; 0: none is.
	Frontier ledger.Date
	Rows     []bank.StandingDeposit
	// Voided are the matches of people that no longer hold.
	Voided []string

	terms jobsbank.Terms
}

// ReadBankRows reads what the last run concluded of a bank account. Only if a person matched or unmatched since then are both sides held
// against each other again, as of a day: on the days that the next night would look at.
func (k *Keeper) ReadBankRows(ctx context.Context, a *jobsbank.Account, asOf ledger.Date) (*BankRows, error) {
	home, _, err := k.Ledger.HomeOf(ctx, a.ID, a.Accounts[0])
	if err != nil {
		return nil, err
	}
	at := bank.Account{Home: home, ID: a.ID}
	out := &BankRows{Account: a, Home: home, terms: k.BankTerms()}
	if out.Rows, err = k.Ledger.StandingDeposits(ctx, at); err != nil {
		return nil, err
	}
	standing, err := k.Ledger.BankStanding(ctx, at)
	if err != nil {
		return nil, err
	}
	out.Frontier = standing.Frontier
	isKnown, err := k.knowsDecisions(ctx, out, standing.Voided > 0)
	if err != nil || isKnown {
		return out, err
	}
	n, err := k.conciliateNight(ctx, &ledger.Run{AsOf: asOf}, a)
	if err != nil {
		return nil, err
	}
	now := BankRowsOf(n.matched)
	for i := range out.Rows {
		if day := out.Rows[i].Closed; day != 0 && n.scope != nil && !n.scope.Contains(day) {
			now.Rows = append(now.Rows, out.Rows[i])
		}
	}
	return now, nil
}

// knowsDecisions reports whether rows show all that people decided, and adds what no longer holds. hasVoided is set where the last run
// found that something does not.
func (k *Keeper) knowsDecisions(ctx context.Context, rows *BankRows, hasVoided bool) (bool, error) {
	decisions, err := listDecisions(ctx, k.Ledger, rows.Home, rows.Account.ID)
	if err != nil || len(decisions) == 0 {
		return true, err
	}
	run, err := k.Ledger.LastReconcilingRun(ctx, rows.Home)
	if err != nil {
		return false, err
	}
	for i := range decisions {
		d := &decisions[i]
		switch holds := rows.findMatch(d.Match) != nil; {
		case holds == d.Joined:
		case d.Joined && d.Run < run && hasVoided:
			rows.Voided = append(rows.Voided, d.Match)
		default:
			return false, nil
		}
	}
	return true, nil
}

// BankRowsOf is what became of both sides as they are held against each other now.
func BankRowsOf(m *jobsbank.Matched) *BankRows {
	out := &BankRows{Account: m.Account, Home: m.Home, Frontier: banking.Frontier(m.Days, m.Account.Since), Voided: m.Voided, terms: m.Terms}
	for i := range m.Results {
		for n := range m.Results[i].Rows {
			d, parts := m.DepositOf(&m.Results[i], &m.Results[i].Rows[n])
			out.Rows = append(out.Rows, bank.StandingDeposit{Deposit: d, Parts: parts})
		}
	}
	return out
}

// Proven is how much of the groups up to the frontier came to the cent.
func (b *BankRows) Proven() (proven, received ledger.Amount) {
	for i := range b.Rows {
		for _, p := range b.Rows[i].Parts {
			if p.Kind != banking.GroupPart || p.BankDay > b.Frontier {
				continue
			}
			received += p.Amount
			if b.Rows[i].Status == string(match.Credited) {
				proven += p.Amount
			}
		}
	}
	return proven, received
}

func (b *BankRows) findMatch(name string) *bank.StandingDeposit {
	for i := range b.Rows {
		if b.Rows[i].Match == name {
			return &b.Rows[i]
		}
	}
	return nil
}

// FindMatch finds the sides of a match by its name. An error is a *jobsbank.NamingError.
func (b *BankRows) FindMatch(name string) (*jobsbank.Sides, error) {
	row := b.findMatch(name)
	if row == nil || name == "" {
		return nil, &jobsbank.NamingError{Problems: []string{fmt.Sprintf("there is no match %.40q", name)}}
	}
	s := &jobsbank.Sides{Sums: match.Sums{Expected: row.Expected.V, Debits: row.Debits, Credited: row.Credited.V}}
	for _, p := range row.Parts {
		switch p.Kind {
		case banking.GroupPart:
			s.Groups = append(s.Groups, p.Part)
		case banking.LinePart:
			s.Lines = append(s.Lines, p.Part)
		case banking.DebitPart:
			s.DebitKeys = append(s.DebitKeys, strings.TrimPrefix(p.Part, jobsbank.DebitPart(row.Payer, "")))
		}
	}
	slices.Sort(s.Groups)
	slices.Sort(s.Lines)
	slices.Sort(s.DebitKeys)
	return s, nil
}

// FindSides finds groups and lines by their subjects, with what they come to. An error is a *jobsbank.NamingError.
func (b *BankRows) FindSides(lines, groups []string) (*jobsbank.Sides, error) {
	s, wrong, payer := &jobsbank.Sides{}, &jobsbank.NamingError{}, ""
	type side struct {
		payer string
		part  *banking.DepositPart
	}
	known := map[string]side{}
	for i := range b.Rows {
		for n := range b.Rows[i].Parts {
			known[b.Rows[i].Parts[n].Part] = side{b.Rows[i].Payer, &b.Rows[i].Parts[n]}
		}
	}
	find := func(kind banking.DepositPartKind, subjects []string, sum *ledger.Amount) (found []string) {
		for _, subject := range subjects {
			x := known[subject]
			switch {
			case x.part == nil || x.part.Kind != kind:
				wrong.Problems = append(wrong.Problems, fmt.Sprintf("there is no %s %.80q", kind, subject))
			case slices.Contains(found, subject):
				wrong.Problems = append(wrong.Problems, fmt.Sprintf("%s %.80s is named twice", kind, subject))
			case kind == banking.GroupPart && payer != "" && x.payer != payer:
				wrong.Problems = append(wrong.Problems, "the groups are of several payers")
			default:
				found, *sum = append(found, subject), *sum+x.part.Amount
				if kind == banking.GroupPart {
					payer = x.payer
				}
			}
		}
		slices.Sort(found)
		return found
	}
	s.Groups = find(banking.GroupPart, groups, &s.Expected)
	s.Lines = find(banking.LinePart, lines, &s.Credited)
	if len(wrong.Problems) > 0 {
		return nil, wrong
	}
	return s, nil
}

// errEnoughTitles ends a reading of titles of which no more are wanted.
var errEnoughTitles = errors.New("enough titles")

// EachTitle calls fn for the installments and slips of a group until it returns false, which EachTitle then returns, too. Those that were
// credited on the day of the group are read.
func (b *BankRows) EachTitle(ctx context.Context, l *store.Ledger, group string, fn func(jobsbank.Title) bool) (wantsMore bool, err error) {
	subject, ok := ledger.ParseSubject(group)
	if !ok || subject.Kind != "group" || len(subject.Parts) < 2 {
		return true, nil // a line
	}
	on, err := ledger.ParseDate(subject.Parts[1])
	if err != nil {
		return true, nil
	}
	groups, day := jobsbank.NewGrouping(b.Account, b.Home, b.terms), ledger.Period{From: on, To: on}
	take := func(t jobsbank.Title, isOf bool) error {
		if isOf && !fn(t) {
			return errEnoughTitles
		}
		return nil
	}
	for _, a := range b.Account.Accounts {
		err := l.CreditedInstallments(ctx, facts.Credited{Account: a, Periods: []ledger.Period{day}, Splits: b.Account.NetOfSplits(), Page: titlesAtOnce}, func(x *banking.CreditedInstallment) error {
			return take(groups.InstallmentOf(group, x))
		})
		if err == nil {
			err = l.CreditedSlips(ctx, a, day, func(x *banking.CreditedSlip) error { return take(groups.SlipOf(group, x)) })
		}
		if errors.Is(err, errEnoughTitles) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

// titlesAtOnce is how many installments of a day are read at a time for the titles of a group, most of which are never asked for.
const titlesAtOnce = 500

// listDecisions are what people decided about the matches of a bank account.
func listDecisions(ctx context.Context, l *store.Ledger, home ledger.Account, id string) ([]jobsbank.Decision, error) {
	acts, err := l.Acts(ctx, caselog.ActFilter{Accounts: []ledger.Account{home}, Verbs: []ledger.Verb{ledger.MatchDeposit, ledger.UnmatchDeposit}})
	if err != nil || len(acts) == 0 {
		return nil, err
	}
	return jobsbank.Decisions(home, id, acts)
}
