package export

import (
	"maps"
	"slices"

	"concilia/export/report"
)

// listAccounts lists, for a set over all accounts, what each says and has, and that they add up to the set's totals.
func (p *setProof) listAccounts(c *controlWriter) {
	for _, a := range p.accountFacts {
		item := "account " + a.Account.String()
		c.addText(item, "verdict", string(a.Verdict))
		for _, w := range a.Withheld {
			c.addText(item, "withheld", w.String())
		}
	}
	if p.job.Account != AllAccounts || p.accountTotals == nil || p.result.Totals.Cards == nil {
		return
	}
	var sum report.Totals
	for _, account := range slices.Sorted(maps.Keys(p.accountTotals)) {
		sum.Add(report.Totals{Cards: p.accountTotals[account]})
		for _, m := range p.accountTotals[account].Measures() {
			c.addMoney("account "+account.String(), m.Column, m.Sum, note{})
		}
	}
	if sum.Cards == nil {
		return
	}
	whole := p.result.Totals.Cards.Measures()
	for i, m := range sum.Cards.Measures() {
		c.addResidual("accounts", m.Column, m.Sum, m.Sum-whole[i].Sum, note{})
	}
}
