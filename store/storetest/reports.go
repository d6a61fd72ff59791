package storetest

import (
	"testing"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/reports"
	"concilia/store/results"
)

func reportRows(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	early, late := row(day(1), "9", 1, 1), row(day(1), "1", 1, 1)
	early.SoldAt = at(day(1), 8)
	visa := received(row(day(2), "5", 1, 1), 1)
	visa.Effective = day(9)
	gone := row(day(3), "6", 1, 1)
	n.merge(day(1), day(3), late, early, visa, gone)
	n.merge(day(1), day(3), late, early, visa)
	n.slips(ledger.SlipsDue, day(1), day(30), slip(ledger.SlipsDue, "b", day(5)), slip(ledger.SlipsDue, "a", day(6)), slip(ledger.SlipsDue, "c", day(5)))
	n.reconcile("a", func(r *results.ReconcileTx) {
		for _, s := range n.sales() {
			e := believe(s.Rows[0].Current(), ledger.Open, ledger.LineNotDue)
			if s.Key.NSU == "5" {
				e.Class, e.Brand = ledger.Received, "elo"
			}
			ok(t, r.ReplaceExpectation(&e))
		}
		ok(t, r.ReplaceSlipExpectation(&ledger.SlipExpectation{Account: account, ID: "a", Version: 1, Class: ledger.Open, DueAdjusted: day(7)}))
	})
	cards := func(q reports.Query) (list string) {
		ok(t, n.l.Installments(t.Context(), q, func(v *ledger.InstallmentVersion, e *ledger.Expectation) error {
			list += v.NSU
			equal(t, "key", e.Key, v.Key())
			return nil
		}))
		return list
	}
	slips := func(q reports.Query) (list string) {
		ok(t, n.l.SlipRows(t.Context(), q, func(s *ledger.Slip, e *ledger.SlipExpectation) error {
			list += s.ID
			equal(t, "judged", e != nil, s.ID == "a")
			return nil
		}))
		return list
	}
	with := func(basis string, change func(*reports.Query)) reports.Query {
		q := november(basis)
		change(&q)
		return q
	}
	none := func(*reports.Query) {}
	for _, c := range []struct {
		name string
		q    reports.Query
		want string
	}{
		{"by instant of sale, without what vanished", with("operation", none), "915"},
		{"by credit", with("credit", none), "5"},
		{"by credit, the day before", with("credit", func(q *reports.Query) { q.Period.To = day(8) }), ""},
		{"of a brand", with("operation", func(q *reports.Query) { q.Brands = []string{"elo", "x"} }), "5"},
		{"of a class", with("operation", func(q *reports.Query) { q.Classes = []ledger.Class{ledger.Open} }), "91"},
	} {
		equal(t, c.name, cards(c.q), c.want)
	}
	equal(t, "slips by due date and id", slips(with("forecast", none)), "bca")
	equal(t, "slips by issue", slips(with("operation", none)), "abc")
	equal(t, "slips of a class", slips(with("forecast", func(q *reports.Query) { q.Classes = []ledger.Class{ledger.Open} })), "a")
	equal(t, "slips of a brand", slips(with("forecast", func(q *reports.Query) { q.Brands = []string{"visa"} })), "")
	if err := n.l.Installments(t.Context(), november("payment"), nil); err == nil {
		t.Error("cards have no payment basis")
	}
	for basis, want := range map[string][2]int64{"operation": {0, 0}, "credit": {2, 3}, "payment": {0, 3}} {
		c, s, err := n.l.LeftOut(t.Context(), november(basis))
		ok(t, err)
		equal(t, "left out of "+basis, [2]int64{c, s}, want)
	}
}
