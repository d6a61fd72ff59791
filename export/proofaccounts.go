package export

import (
	"maps"
	"slices"

	"concilia/store/ledger"
)

// accountTotals are the totals of cards of each account of the set, from the summary's lines.
func (s *summary) accountTotals() map[ledger.Account]*CardTotals {
	out := make(map[ledger.Account]*CardTotals)
	for k, line := range s.lines {
		if out[k.account] == nil {
			out[k.account] = &CardTotals{}
		}
		sum := Totals{Cards: out[k.account]}
		sum.Add(Totals{Cards: line.totals()})
	}
	return out
}

// accountsOf lists, for a set over all accounts, what each says and has, and that they add up to the set's totals.
func (p *proof) accountsOf(c *controlWriter) {
	for _, a := range p.accountFacts {
		item := "account " + a.Account.String()
		c.text(item, "verdict", string(a.Verdict))
		for _, w := range a.Withheld {
			c.text(item, "withheld", w.String())
		}
	}
	if p.job.Account != AllAccounts || p.accounts == nil || p.result.Totals.Cards == nil {
		return
	}
	var sum Totals
	for _, account := range slices.Sorted(maps.Keys(p.accounts)) {
		sum.Add(Totals{Cards: p.accounts[account]})
		for _, m := range p.accounts[account].measures() {
			c.money("account "+account.String(), m.name, m.sum, "")
		}
	}
	if sum.Cards == nil {
		return
	}
	whole := p.result.Totals.Cards.measures()
	for i, m := range sum.Cards.measures() {
		c.residual("accounts", m.name, m.sum, m.sum-whole[i].sum, "")
	}
}

type totalMeasure struct {
	name string
	sum  ledger.Amount
}

func (c *CardTotals) measures() []totalMeasure {
	return []totalMeasure{
		{"gross", c.Gross},
		{"net_expected", c.NetExpected},
		{"received", c.Received},
		{"difference", c.Difference},
	}
}
