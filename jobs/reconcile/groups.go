package reconcile

import (
	"cmp"

	"concilia/store/ledger"
)

type populationSum struct {
	members       int64
	amount, other ledger.Amount
}

func (p *populationSum) addMembers(members int64, amount, other ledger.Amount) error {
	var err1, err2 error
	p.members += members
	p.amount, err1 = p.amount.Add(amount)
	p.other, err2 = p.other.Add(other)
	return cmp.Or(err1, err2)
}

func addToPopulation(sums map[populationKey]populationSum, k populationKey, members int64, amount, other ledger.Amount) error {
	p := sums[k]
	err := p.addMembers(members, amount, other)
	sums[k] = p
	return err
}

// groupSums are counts by key. Rows that follow each other are mostly of one group, so the last one is kept at hand.
type groupSums[K comparable] struct {
	all  map[K]*populationSum
	last K
	at   *populationSum // the group of last, or nil
}

func (g *groupSums[K]) addMembers(k K, members int64, amount, other ledger.Amount) error {
	if g.at == nil || g.last != k {
		if g.all == nil {
			g.all = map[K]*populationSum{}
		}
		if g.at = g.all[k]; g.at == nil {
			g.at = &populationSum{}
			g.all[k] = g.at
		}
		g.last = k
	}
	return g.at.addMembers(members, amount, other)
}
