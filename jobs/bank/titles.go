package bank

import (
	"concilia/jobs/bank/match"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
)

// Titles are the installments and slips that are looked at one by one: those of deposits that came with another amount, among which the
// difference is spread, and those of groups some of whose titles may come to a credit that was left, or that differs.
type Titles struct {
	c      *Conciliation
	of     map[groupKey]*wantedGroup
	shares []*share // in the order of their deposits
}

// groupKey names a group of a payer, by the payer's place.
type groupKey struct {
	payer int
	group string
}

// wantedGroup is a group whose titles are looked at.
type wantedGroup struct {
	*match.Group
	share    *share // that it is part of; nil: none
	explains bool   // its titles may explain a credit
}

// NewTitles finds the groups whose titles are looked at. They have to be added before Evaluate and Conclude.
func (m *Matched) NewTitles() *Titles {
	t := &Titles{c: m.Conciliation, of: map[groupKey]*wantedGroup{}}
	for i := range m.Results {
		r := &m.Results[i]
		want := func(group int) *wantedGroup {
			g := &r.Groups[group]
			key := groupKey{i, g.Key}
			if t.of[key] == nil {
				t.of[key] = &wantedGroup{Group: g}
			}
			return t.of[key]
		}
		for n := range r.Rows {
			row := &r.Rows[n]
			if group := r.AsksTitles(row); group >= 0 {
				want(group).explains = true
			}
			if !row.Matched || len(row.Groups) == 0 || row.Difference() == 0 || row.Difference() == row.Expected {
				continue
			}
			one := &share{difference: row.Difference()}
			t.shares = append(t.shares, one)
			for _, g := range row.Groups {
				want(g).share = one
			}
		}
	}
	return t
}

// Days are those whose titles are to be added, in order and apart.
func (t *Titles) Days() []ledger.Period {
	scope := &Scope{days: map[ledger.Date]bool{}}
	for _, g := range t.of {
		scope.days[g.Day] = true
	}
	return scope.Periods()
}

// AddInstallment takes an installment of those days.
func (t *Titles) AddInstallment(x *banking.CreditedInstallment) {
	for i := range t.c.Account.Payers {
		if p := &t.c.Account.Payers[i]; p.Cards && p.cardAmount(x) > 0 {
			item := t.c.itemOf(x)
			item.Title, item.Amount = x.Key, p.cardAmount(x)
			t.add(i, &item, t.c.creditOfInstallment(p, x))
		}
	}
}

// AddSlip takes a slip of those days.
func (t *Titles) AddSlip(x *banking.CreditedSlip) {
	for i := range t.c.Account.Payers {
		if p := &t.c.Account.Payers[i]; p.Slips {
			item := p.slipItem(x)
			item.Title, item.Amount = ledger.SlipSubject(x.Account, x.ID), t.c.slipAmount(p, x)
			t.add(i, &item, t.c.creditOfSlip(p, x))
		}
	}
}

func (t *Titles) add(payer int, item *match.Item, line creditLine) {
	g := t.of[groupKey{payer, line.group}]
	if g == nil {
		return
	}
	item.Count = 1
	if g.explains {
		g.Titles = append(g.Titles, *item)
	}
	if g.share != nil {
		g.share.items = append(g.share.items, sharedItem{line: line, key: item.Title, amount: item.Amount})
	}
}
