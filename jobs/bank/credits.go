package bank

import (
	"cmp"
	"math/bits"
	"slices"

	"concilia/jobs/bank/match"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
)

// creditLine is what the items of one line of a summary have alike, and the group that they are expected in. An item that has left the
// summary of its day has account, day and side alone.
type creditLine struct {
	group  string // key within the payer
	credit banking.Credit
}

// creditSum is what items of a line come to.
type creditSum struct {
	items  int64
	amount ledger.Amount
}

func (b *payerBooks) addCredit(of creditLine, amount ledger.Amount) {
	sum := b.credits[of]
	b.credits[of] = creditSum{sum.items + 1, sum.amount + amount}
}

// creditOfInstallment returns the line of an installment.
func (g *Grouping) creditOfInstallment(p *Payer, x *banking.CreditedInstallment) creditLine {
	item := g.itemOf(x)
	line := creditLine{group: match.KeyOf(&item, p.Grain, p.PerAccount), credit: banking.Credit{Account: x.Account, Day: x.Day, Side: banking.CreditedCards}}
	if !x.Fallen || x.NowDay == x.Day {
		j := &x.Judged
		line.credit.Class, line.credit.Brand, line.credit.Product, line.credit.Band = j.Class, j.Brand, j.Product, j.Band
	}
	return line
}

// creditOfSlip returns the line of a slip.
func (g *Grouping) creditOfSlip(p *Payer, x *banking.CreditedSlip) creditLine {
	item := p.slipItem(x)
	return creditLine{
		group:  match.KeyOf(&item, p.Grain, p.PerAccount),
		credit: banking.Credit{Account: x.Account, Day: x.Day, Side: banking.CreditedSlips, Class: x.Class},
	}
}

// share is a deposit that came with another amount than its groups.
type share struct {
	difference ledger.Amount
	items      []sharedItem
}

// sharedItem is an item of such a deposit. What did not come of it is Short; negative where more came.
type sharedItem struct {
	line          creditLine
	key           string
	amount, short ledger.Amount
}

// spreadDifference parts the difference among the items in proportion: whole cents, what is left to the largest remainders, of equal ones to the
// lower key.
func (s *share) spreadDifference() {
	total, sign := ledger.Amount(0), ledger.Amount(1)
	for i := range s.items {
		total += s.items[i].amount
	}
	cents := uint64(max(0, s.difference) / ledger.Cent)
	if s.difference < 0 {
		sign, cents = -1, uint64(-s.difference/ledger.Cent)
	}
	if total <= 0 {
		return
	}
	rests, left := make([]uint64, len(s.items)), cents
	for i := range s.items {
		high, low := bits.Mul64(cents, uint64(max(0, s.items[i].amount)))
		share, rest := bits.Div64(high, low, uint64(total)) // no item is more than all
		s.items[i].short, rests[i] = sign*ledger.FromCents(int64(share)), rest
		left -= share
	}
	order := make([]int, len(s.items))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(rests[b], rests[a]), cmp.Compare(s.items[a].key, s.items[b].key))
	})
	for _, i := range order[:min(left, uint64(len(order)))] {
		s.items[i].short += sign * ledger.Cent
	}
}

// Credits are, for summaries, what came of what the service says it credited.
func (m *Matched) Credits(titles *Titles) (all []banking.Credit) {
	sums := map[banking.Credit]*banking.Credit{}
	add := func(of banking.Credit, items int64, expected, credited ledger.Amount) {
		if of.Class == "" {
			return // no summary has it on its day
		}
		sum := sums[of]
		if sum == nil {
			one := of
			sum = &one
			sums[of] = sum
		}
		sum.Items, sum.Expected, sum.Credited = sum.Items+items, sum.Expected+expected, sum.Credited+credited
	}
	for i := range m.Results {
		came := map[string]bool{}
		for n := range m.Results[i].Rows {
			row := &m.Results[i].Rows[n]
			for _, g := range row.Groups {
				came[m.Results[i].Groups[g].Key] = row.Matched && row.Difference() != row.Expected
			}
		}
		for of, sum := range m.payers[i].credits {
			credited := ledger.Amount(0)
			if came[of.group] {
				credited = sum.amount
			}
			add(of.credit, sum.items, sum.amount, credited)
		}
	}
	for _, one := range titles.shares {
		one.spreadDifference()
		for i := range one.items {
			add(one.items[i].line.credit, 0, 0, -one.items[i].short)
		}
	}
	for _, sum := range sums {
		all = append(all, *sum)
	}
	slices.SortFunc(all, func(a, b banking.Credit) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Day, b.Day), cmp.Compare(a.Side, b.Side), cmp.Compare(a.Brand, b.Brand),
			cmp.Compare(a.Product, b.Product), cmp.Compare(a.Band, b.Band), cmp.Compare(a.Class, b.Class))
	})
	return all
}

// listPaid lists the sides of accounts that are paid into the bank account.
func (c *Conciliation) listPaid() (all []banking.PaidSide) {
	pays := map[banking.CreditSide]bool{}
	for i := range c.Account.Payers {
		p := &c.Account.Payers[i]
		pays[banking.CreditedCards], pays[banking.CreditedSlips] = pays[banking.CreditedCards] || p.Cards, pays[banking.CreditedSlips] || p.Slips
	}
	for _, side := range []banking.CreditSide{banking.CreditedCards, banking.CreditedSlips} {
		if !pays[side] {
			continue
		}
		for _, a := range c.Account.Accounts {
			all = append(all, banking.PaidSide{Account: a, Side: side, Since: c.Period().From})
		}
	}
	return all
}
