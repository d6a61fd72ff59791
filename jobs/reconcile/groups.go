package reconcile

import (
	"cmp"

	"concilia/store/ledger"
)

type popSum struct {
	members       int64
	amount, other ledger.Amount
}

func (p *popSum) add(members int64, amount, other ledger.Amount) error {
	var err1, err2 error
	p.members += members
	p.amount, err1 = p.amount.Add(amount)
	p.other, err2 = p.other.Add(other)
	return cmp.Or(err1, err2)
}

func addCount(sums map[popKey]popSum, k popKey, members int64, amount, other ledger.Amount) error {
	p := sums[k]
	err := p.add(members, amount, other)
	sums[k] = p
	return err
}

// groups are counts by key. Rows that follow each other are mostly of one group, so the last one is kept at hand.
type groups[K comparable] struct {
	all  map[K]*popSum
	last K
	at   *popSum // the group of last, or nil
}

func (g *groups[K]) add(k K, members int64, amount, other ledger.Amount) error {
	if g.at == nil || g.last != k {
		if g.all == nil {
			g.all = map[K]*popSum{}
		}
		if g.at = g.all[k]; g.at == nil {
			g.at = &popSum{}
			g.all[k] = g.at
		}
		g.last = k
	}
	return g.at.add(members, amount, other)
}
