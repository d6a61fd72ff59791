package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"concilia/store"
	"concilia/store/ledger"
)

// places tells where each row stands: per sale its occurrence, and the rows as number~occurrence=gross in cents.
func (n *night) places() string {
	var b strings.Builder
	for _, s := range n.sales() {
		if b.Len() > 0 {
			b.WriteString(" | ")
		}
		fmt.Fprintf(&b, "%d:", s.Key.Occurrence)
		for _, h := range s.Rows {
			k := h.Current().Key()
			fmt.Fprintf(&b, " %d~%d=%d", k.Number, k.Occurrence, h.Current().Gross/ledger.Cent)
		}
	}
	return b.String()
}

// terminal sells the row at another terminal, which makes it another sale where numbers repeat.
func terminal(i ledger.Installment, name string, gross ledger.Amount) ledger.Installment {
	i.Terminal, i.Gross = name, gross*ledger.Cent
	return i
}

func occurrences(t *testing.T, open func(*testing.T) *store.Ledger) {
	one, two := row(day(1), "7", 1, 2), row(day(1), "7", 2, 2)
	a1, a2 := terminal(one, "A", 11), terminal(two, "A", 12)
	b1, b2 := terminal(one, "B", 21), terminal(two, "B", 22)
	paid := func(i ledger.Installment) ledger.Installment { return received(i, 1) }
	for _, c := range []struct {
		name   string
		nights [][]ledger.Installment
		want   string
	}{
		{
			"two terminals with the same numbers are two sales",
			[][]ledger.Installment{{b2, a1, b1, a2}},
			"1: 1~1=11 2~1=12 | 2: 1~2=21 2~2=22",
		},
		{
			"different terminals without a repeated number are one sale",
			[][]ledger.Installment{{a1, b2}},
			"1: 1~1=11 2~1=22",
		},
		{
			"identical twins both live, in one sale",
			[][]ledger.Installment{{a1, a1}, {a1, a1}},
			"1: 1~1=11 1~2=11",
		},
		{"one of identical twins goes", [][]ledger.Installment{{a1, a1}, {a1}}, "1: 1~1=11"},
		{
			"a twin that is paid does not change places",
			[][]ledger.Installment{{a1, b1}, {paid(a1), b1}},
			"1: 1~1=11 | 2: 1~2=21",
		},
		{
			"nor do both when both are paid, whatever the order",
			[][]ledger.Installment{{a1, b1}, {paid(b1), paid(a1)}},
			"1: 1~1=11 | 2: 1~2=21",
		},
		{
			"the second twin stays the second when the first is gone",
			[][]ledger.Installment{{a1, b1}, {paid(b1)}},
			"2: 1~2=21",
		},
		{
			"a twin that comes later takes the next number even if it sorts first",
			[][]ledger.Installment{{b1, b2}, {a1, b1, a2, b2}},
			"1: 1~1=21 2~1=22 | 2: 1~2=11 2~2=12",
		},
		{
			"a repeated number nothing tells apart stays in its sale",
			[][]ledger.Installment{{a1, a2, terminal(one, "A", 13)}},
			"1: 1~1=11 1~2=13 2~1=12",
		},
		{
			"and keeps clear of a second sale",
			[][]ledger.Installment{{a1, a2, terminal(one, "A", 13), b1, b2}},
			"1: 1~1=11 1~3=13 2~1=12 | 2: 1~2=21 2~2=22",
		},
		{"and keeps its place when it is paid", [][]ledger.Installment{
			{a1, a2, terminal(one, "A", 13), b1, b2}, {a1, a2, paid(terminal(one, "A", 13)), b1, b2},
		}, "1: 1~1=11 1~3=13 2~1=12 | 2: 1~2=21 2~2=22"},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := begin(t, open(t))
			for _, rows := range c.nights {
				n.merge(day(1), day(1), rows...)
			}
			equal(t, "places", n.places(), c.want)
			last := slices.Clone(c.nights[len(c.nights)-1])
			slices.Reverse(last)
			equal(t, "again, in another order", counts(n.merge(day(1), day(1), last...)), count{same: int64(len(last))})
			equal(t, "places", n.places(), c.want)
		})
	}
}
