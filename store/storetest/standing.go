package storetest

import (
	"fmt"
	"testing"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/results"
)

// standingBeliefs are more than are read at once: each row of a scope comes with its own, wherever a page of them ends.
func standingBeliefs(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	const count = 4200
	rows := make([]ledger.Installment, count)
	for i := range rows {
		rows[i] = row(day(2), fmt.Sprintf("%06d", i/2), 1+i%2, 2)
	}
	n.merge(day(1), day(1), row(day(1), "7", 1, 1))
	n.merge(day(2), day(2), rows...)
	n.merge(day(3), day(3), row(day(3), "7", 1, 1))
	believed := map[ledger.InstallmentKey]bool{}
	n.reconcile("a", func(r *results.ReconcileTx) {
		for _, s := range n.sales() {
			for k, h := range s.Rows {
				// Some rows no run has judged: what stands of the next one is not theirs.
				if s.Key.NSU == "000003" && k == 0 || s.Key.NSU == "001500" {
					continue
				}
				e := believe(h.Current(), ledger.Open, ledger.LineNotDue)
				e.Brand, believed[e.Key] = fmt.Sprint(e.Key.NSU, e.Key.Number), true
				_, err := r.WriteExpectation(&e, nil)
				ok(t, err)
			}
		}
	})
	for _, whole := range []struct {
		says  string
		scope *ledger.Scope
		rows  int
	}{
		{"everything", nil, count + 2},
		{"a day", &ledger.Scope{Days: []ledger.ScopeDay{{Day: day(2), Whole: true}}}, count},
		{"two days apart", &ledger.Scope{Days: []ledger.ScopeDay{{Day: day(1), Whole: true}, {Day: day(3), Whole: true}}}, 2},
	} {
		seen, wrong := 0, 0
		ok(t, n.l.SalesInScope(t.Context(), n.account, whole.scope, func(s *ledger.Sale) error {
			for _, h := range s.Rows {
				seen++
				v := h.Current()
				key := v.Key()
				if (v.Stored != nil) != believed[key] || v.Stored != nil && v.Stored.Brand != fmt.Sprint(key.NSU, key.Number) {
					wrong++
				}
			}
			return nil
		}))
		equal(t, whole.says+": rows", seen, whole.rows)
		equal(t, whole.says+": rows with what is believed of another", wrong, 0)
	}
}
