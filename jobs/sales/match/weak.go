package match

import (
	"slices"

	"concilia/store/ledger"
)

// known is which members of a payment its store has, of those that may be left out.
type known struct{ brand, installments bool }

var everyKnown = []known{{true, true}, {true, false}, {false, true}, {false, false}}

// trait is what a payment and a sale have in common when nothing names them.
type trait struct {
	known
	amount       ledger.Amount
	day          ledger.Date
	product      string
	brand        string
	installments int
}

// rows are how many rows have a trait, and one of them.
type rows struct{ count, place int }

func traitOf(k known, amount ledger.Amount, day ledger.Date, product, brand string, installments int) trait {
	t := trait{known: k, amount: amount, day: day, product: product}
	if k.brand {
		t.brand = brand
	}
	if k.installments {
		t.installments = installments
	}
	return t
}

func (o *Own) newTrait(day ledger.Date) trait {
	k := known{o.Brand != "", o.Installments > 0}
	return traitOf(k, o.Amount, day, string(o.Method), o.Brand, o.Installments)
}

func (s *Sale) newTrait(k known, day ledger.Date) trait {
	return traitOf(k, s.Total, day, string(s.Product), s.Brand, s.Installments)
}

// byAmount pairs what is left by amount, product, brand, installments and a day that differs by one at most. Both rows must be the only
// ones that could be meant, whatever the others leave out.
func (m *matching) byAmount() {
	own, sales := map[trait]rows{}, map[trait]rows{}
	for _, i := range m.ownFree {
		if m.own[i].IsSlip() {
			continue // a slip has an id or a number, or it is not known which it is
		}
		addRow(own, m.own[i].newTrait(m.own[i].Day()), i)
	}
	for _, i := range m.saleFree {
		for _, k := range everyKnown {
			addRow(sales, m.sales[i].newTrait(k, m.sales[i].SoldAt.Date()), i)
		}
	}
	for _, i := range m.ownFree {
		o := &m.own[i]
		if o.IsSlip() {
			continue
		}
		at := rows{}
		for d := o.Day() - 1; d <= o.Day()+1; d++ {
			at = at.joinRows(sales[o.newTrait(d)])
		}
		if at.count != 1 || m.usedSale[at.place] {
			continue
		}
		s := &m.sales[at.place]
		meant := rows{}
		for _, k := range everyKnown {
			for d := s.SoldAt.Date() - 1; d <= s.SoldAt.Date()+1; d++ {
				meant = meant.joinRows(own[s.newTrait(k, d)])
			}
		}
		if meant.count != 1 || !o.mayBeIn(s.Key.Account) || contradictEachOther(o, s, true) {
			continue
		}
		m.usedOwn[i], m.usedSale[at.place] = true, true
		m.pairs = append(m.pairs, Pair{Own: i, Sale: at.place, Level: Weak})
	}
	m.ownFree = slices.DeleteFunc(m.ownFree, func(i int) bool { return m.usedOwn[i] })
	m.saleFree = slices.DeleteFunc(m.saleFree, func(i int) bool { return m.usedSale[i] })
}

func addRow(all map[trait]rows, t trait, place int) {
	all[t] = all[t].joinRows(rows{count: 1, place: place})
}

// joinRows are the rows of both.
func (r rows) joinRows(other rows) rows {
	if r.count == 0 {
		return other
	}
	r.count += other.count
	return r
}
