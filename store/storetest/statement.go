package storetest

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/reports"
	"concilia/store/results"
)

// statements: what SQL says of a statement's entries is what the rows say, and rows come by credit date.
func statements(t *testing.T, open func(*testing.T) *store.Ledger) {
	standingBefore(t, open(t))
	l, try := open(t), account
	property(t, func(r *rapid.T) {
		try++
		n := beginOn(t, l, try)
		n.merge(day(1), day(4), drawMoney(r)...)
		for range rapid.IntRange(1, 5).Draw(r, "windows") {
			drawSlipWindow(r, n)
		}
		n.reconcile("a", func(work *results.ReconcileTx) {
			for _, s := range n.sales() {
				for _, h := range s.Rows {
					e := drawBelief(r, h.Current())
					ok(t, work.ReplaceExpectation(&e))
				}
			}
			for _, s := range n.allSlips() {
				e := drawSlipBelief(r, &s)
				ok(t, work.ReplaceSlipExpectation(&e))
			}
		})
		q := november("operation") // which is not asked: a statement goes by credit date
		q.Account, q.Period.To = try, day(rapid.IntRange(1, 30).Draw(r, "to"))
		if rapid.Bool().Draw(r, "of a class") {
			q.Classes = []ledger.Class{ledger.Paid, ledger.Received}
		}
		gross, net := entries{}, entries{}
		var last ledger.Date
		ok(t, n.l.Credited(t.Context(), q, func(v *ledger.InstallmentVersion, _ *ledger.Expectation) error {
			if v.Effective < last || !q.Period.Contains(v.Effective) {
				r.Errorf("%s after %s", v.Effective, last)
			}
			last = v.Effective
			gross.add(rd(v.Received.Or(0)))
			net.add(rd(v.Received.Or(0)))
			return nil
		}))
		q.Basis = "credit"
		ok(t, n.l.SlipRows(t.Context(), q, func(s *ledger.Slip, e *ledger.SlipExpectation) error {
			gross.add(rd(s.PaidValue.Or(0)))
			gross.add(-rd(e.Tariff.Or(0)))
			net.add(rd(s.PaidValue.Or(0)) - rd(e.Tariff.Or(0)))
			return nil
		}))
		for table, want := range map[string]entries{"statement": gross, "statement-net": net} {
			got, err := n.l.Sums(t.Context(), q, table, ledger.Percent)
			ok(t, err)
			if (entries{got.Rows, got.Columns["credits"], got.Columns["debits"]}) != want {
				r.Errorf("%s: SQL %+v, the rows %+v", table, got, want)
			}
		}
	})
}

type entries struct{ rows, credits, debits int64 }

func (e *entries) add(amount int64) {
	if amount != 0 {
		e.rows++
	}
	e.credits += max(amount, 0)
	e.debits += max(-amount, 0)
}

// standingBefore: the standing revisions of what was published for earlier days.
func standingBefore(t *testing.T, l *store.Ledger) {
	keep := func(from, to, revision int, basis, filter string) {
		ok(t, l.KeepSet(t.Context(), &reports.Set{
			Account: "1001", Basis: basis, Period: ledger.Period{From: day(from), To: day(to)}, Filter: filter, Revision: revision,
			Run: fmt.Sprint("r", revision), AsOf: day(20), Digest: "d", Tables: map[string]string{"mark": fmt.Sprint(from, to, revision)},
		}))
	}
	keep(6, 10, 0, "credit", "")
	keep(1, 5, 0, "credit", "")
	keep(1, 5, 1, "credit", "")
	keep(1, 11, 0, "credit", "")
	keep(1, 5, 0, "operation", "")
	keep(1, 5, 0, "credit", "brand=visa")
	for _, c := range []struct {
		why    string
		filter string
		before int
		run    string
		want   string
	}{
		{"none yet", "", 5, "r9", ""},
		{"the latest revision of each, by last day", "", 11, "r9", "1 5 1;6 10 0;"},
		{"as of a run", "", 11, "r0", "1 5 0;6 10 0;"},
		{"of the filter alone", "brand=visa", 30, "r9", "1 5 0;"},
	} {
		got, err := l.StandingBefore(t.Context(), "1001", "credit", c.filter, day(c.before), c.run)
		ok(t, err)
		list := ""
		for i := range got {
			list += got[i].Tables["mark"] + ";"
			equal(t, c.why+", revision", fmt.Sprint(got[i].Revision), list[len(list)-2:len(list)-1])
		}
		equal(t, c.why, list, c.want)
	}
}
