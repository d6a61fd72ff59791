package storetest

import (
	"strings"
	"testing"
	"time"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/results"
)

// scoped is the scope of a run that keeps nothing else, as text: days in brackets where whole, sales by NSU with + where
// they moved, then the slips.
func (n *night) scoped(run string, days []ledger.Date, sales []ledger.SaleKey, slips ...string) (text string) {
	n.t.Helper()
	n.reconcile(run, func(r *results.ReconcileTx) {
		s, err := r.Scope(days, sales, slips)
		ok(n.t, err)
		var parts []string
		for _, d := range s.Days {
			part := d.Day.String()[8:]
			if d.Whole {
				part = "[" + part + "]"
			}
			for _, sale := range d.Sales {
				part += " " + sale.NSU
				if sale.Changed {
					part += "+"
				}
			}
			parts = append(parts, part)
		}
		text = strings.Join(append(parts, s.Slips...), ", ")
	})
	return text
}

// chargedAt is a sale of its own at a minute of the day, of a card and total that others may share.
func chargedAt(d ledger.Date, nsu, card string, minute int) ledger.Installment {
	i := row(d, nsu, 1, 1)
	i.SoldAt, i.Card = ledger.LocalTimeOf(d.Time().Add(time.Duration(minute)*time.Minute), time.UTC), card
	return i
}

// scopes: what a reconcile looks at, each night for one reason.
func scopes(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	const last = 24*60 - 1
	first := []ledger.Installment{
		chargedAt(day(1), "1", "a", 600), chargedAt(day(1), "2", "b", 600), chargedAt(day(1), "3", "a", 900),
		chargedAt(day(2), "4", "c", last), chargedAt(day(2), "5", "c", 600), chargedAt(day(2), "6", "d", 600),
	}
	n.merge(day(1), day(3), first...)
	n.slips(ledger.SlipsDue, day(5), day(6), slip(ledger.SlipsDue, "ab", day(5)), slip(ledger.SlipsDue, "cd", day(6)))
	equal(t, "what no reconcile knows", n.scoped("a", nil, nil), "01 1+ 2+ 3+, 02 4+ 5+ 6+, ab, cd")
	equal(t, "the same run again", n.scoped("a", nil, nil), "01 1+ 2+ 3+, 02 4+ 5+ 6+, ab, cd")
	equal(t, "nothing moved", n.scoped("b", nil, nil), "")
	n.merge(day(1), day(3), first...)
	equal(t, "a pull that showed the same", n.scoped("c", nil, nil), "")
	equal(t, "what is named", n.scoped("d", []ledger.Date{day(2)}, []ledger.SaleKey{{Account: account, Day: day(1), NSU: "2", Auth: "A2"}}, "cd"),
		"01 2, [02], cd")

	first[1].Status = "Canceled"
	n.merge(day(1), day(3), first...)
	equal(t, "a new version, which nobody doubles", n.scoped("e", nil, nil), "01 2+")
	first[0].Status = "Canceled"
	n.merge(day(1), day(3), first...)
	equal(t, "a new version, and the sale of its card and total", n.scoped("f", nil, nil), "01 1+ 3+")
	n.merge(day(1), day(3), append(first, chargedAt(day(3), "7", "c", 1))...)
	equal(t, "a new sale just after midnight, and those it may double", n.scoped("g", nil, nil), "02 4+ 5+, 03 7+")
	n.merge(day(1), day(3), first...)
	equal(t, "a sale that vanished, and those it may have doubled", n.scoped("h", nil, nil), "02 4+ 5+, 03 7+")

	n.reconcile("i", func(r *results.ReconcileTx) {
		for _, s := range n.sales() {
			e := believe(s.Rows[0].Current(), ledger.Open, ledger.LineNotDue)
			switch s.Key.NSU {
			case "2":
				e.NextOn = n.asOf
			case "6":
				e.NextOn = n.asOf + 1
			}
			ok(t, r.ReplaceExpectation(&e))
		}
		ok(t, r.ReplaceSlipExpectation(&ledger.SlipExpectation{Account: account, ID: "ab", NextOn: n.asOf}))
		ok(t, r.ReplaceSlipExpectation(&ledger.SlipExpectation{Account: account, ID: "cd", NextOn: n.asOf + 1}))
	})
	equal(t, "what time turns today", n.scoped("j", nil, nil), "01 2, ab")
	n.asOf++
	equal(t, "what time has turned", n.scoped("k", nil, nil), "01 2, 02 6, ab, cd")
	n.asOf--

	notifiedScope(t, n)
	n.slips(ledger.SlipsDue, day(6), day(6), slip(ledger.SlipsDue, "cd", day(6)))
	equal(t, "a list that shows the same slip, because of its day", n.scoped("n", nil, nil), "01 2, ab, cd")
	n.slips(ledger.SlipsDue, day(6), day(6))
	equal(t, "a slip that vanished", n.scoped("o", nil, nil), "01 2, ab, cd")
	equal(t, "a slip that is gone is looked at every night", n.scoped("p", nil, nil), "01 2, ab, cd")
}

// notifiedScope: a notification is looked at once it has a link, and once only.
func notifiedScope(t *testing.T, n *night) {
	t.Helper()
	told := notice(account, 1, "5", 1, day(2), "Canceled")
	receive(t, n.l, 1, told)
	equal(t, "a notification of nothing yet", n.scoped("l", nil, nil), "01 2, ab")
	var linked []ledger.LinkedNotification
	ok(t, n.l.UnlinkedNotifications(t.Context(), account, func(x *ledger.LinkedNotification, fits []ledger.InstallmentKey) error {
		x.Target, x.LinkedOn = &fits[0], n.asOf
		linked = append(linked, *x)
		return nil
	}))
	ok(t, n.l.LinkNotifications(t.Context(), &ledger.Run{ID: n.run}, account, linked))
	equal(t, "a notification that was linked", n.scoped("m", nil, nil), "01 2, 02 5, ab")
	equal(t, "a notification that is known", n.scoped("ma", nil, nil), "01 2, ab")
}
