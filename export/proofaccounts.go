package export

import (
	"maps"
	"slices"

	"concilia/export/report"
)

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
	var sum report.Totals
	for _, account := range slices.Sorted(maps.Keys(p.accounts)) {
		sum.Add(report.Totals{Cards: p.accounts[account]})
		for _, m := range p.accounts[account].Measures() {
			c.money("account "+account.String(), m.Column, m.Sum, note{})
		}
	}
	if sum.Cards == nil {
		return
	}
	whole := p.result.Totals.Cards.Measures()
	for i, m := range sum.Cards.Measures() {
		c.residual("accounts", m.Column, m.Sum, m.Sum-whole[i].Sum, note{})
	}
}
