package storetest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/results"
)

// manySums: over more rows than are read at once, with earlier versions, vanished rows, rows judged as another version and
// rows not judged at all, a reconcile sums what one query over all rows does.
func manySums(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	const days, aDay = 3, 900
	merge := func(change func(i *ledger.Installment, at int) bool) {
		for d := 1; d <= days; d++ {
			rows := make([]ledger.Installment, 0, aDay)
			for k := range aDay {
				i := row(day(d), fmt.Sprintf("%04d", k), 1, 1)
				if k%5 == 0 {
					i = received(i, ledger.Amount(500+k))
				}
				if change(&i, k) {
					rows = append(rows, i)
				}
			}
			n.merge(day(d), day(d), rows...)
		}
	}
	var cards []ledger.DaySum
	judge := func(run string, step int, sum func(r *results.ReconcileTx) ([]ledger.DaySum, error)) {
		n.reconcile(run, func(r *results.ReconcileTx) {
			for k, s := range n.sales() {
				if step > 0 && k%step != 0 {
					ok(t, n.believed(r, s.Rows[0].Current(), k))
				}
			}
			var err error
			cards, err = sum(r)
			ok(t, err)
		})
		n.sumsAgree(run, cards)
	}
	merge(func(*ledger.Installment, int) bool { return true })
	merge(func(i *ledger.Installment, k int) bool {
		if k%15 == 0 {
			i.Received, i.Status = ledger.Some(ledger.Amount(-480)), "Canceled"
		}
		return k%11 != 0
	})
	judge("a", 13, func(r *results.ReconcileTx) ([]ledger.DaySum, error) {
		ok(t, r.SumCardsAhead([]ledger.Date{day(1), day(2)}))
		return r.CardSums(nil)
	})
	equal(t, "days by brand", len(cards), 2*days)
	merge(func(i *ledger.Installment, k int) bool {
		if k%7 == 0 {
			i.Received = ledger.Some(ledger.Amount(700))
		}
		return k%11 != 0
	})
	judge("b", 0, func(r *results.ReconcileTx) ([]ledger.DaySum, error) {
		return r.CardSums([]ledger.Date{day(1), day(2), day(3), day(9)})
	})
}

// believed believes in the version what a row of its kind is: a reversal where money was taken back, and open where none came.
func (n *night) believed(r *results.ReconcileTx, v *ledger.InstallmentVersion, k int) error {
	e := believe(v, ledger.Received, ledger.LineReceived)
	e.NetContract, e.Brand = ledger.Amount(1000+k), [...]string{"visa", "elo"}[k%2]
	switch {
	case v.Received.Or(0) < 0:
		e.Class, e.NetContract = ledger.Cancelled, 0
	case !v.Received.OK:
		e.Class = ledger.Open
	}
	_, err := r.WriteExpectation(&e, nil)
	return err
}

// sumsAgree compares sums of a reconcile with what stands now: differences with one query over all rows, and the gross of
// what is open with the rows themselves.
func (n *night) sumsAgree(run string, got []ledger.DaySum) {
	n.t.Helper()
	rows, err := n.l.Differences(n.t.Context(), n.account, ledger.Period{})
	ok(n.t, err)
	type group struct {
		day   ledger.Date
		brand string
	}
	waits := map[group]ledger.Amount{}
	ok(n.t, n.l.Installments(n.t.Context(), november("operation"), func(v *ledger.InstallmentVersion, e *ledger.Expectation) error {
		if e != nil && e.Class == ledger.Open {
			waits[group{v.SoldAt.Date(), e.Brand}] += v.Gross
		}
		return nil
	}))
	want := make([]ledger.DaySum, len(rows))
	for i, b := range rows {
		want[i] = ledger.DaySum{Day: b.Day, Brand: b.Brand, Product: b.Product, Difference: b.Amount, Open: waits[group{b.Day, b.Brand}]}
	}
	got = slices.Clone(got)
	slices.SortFunc(got, func(a, b ledger.DaySum) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), strings.Compare(a.Brand, b.Brand))
	})
	if d := gocmp.Diff(want, got); d != "" {
		n.t.Errorf("sums of %s: %s", run, d)
	}
}

// differences are the sides of the bridge over days: one of cards, one of slips, and all there are.
func (n *night) differences() {
	n.t.Helper()
	for _, c := range []struct {
		says string
		days ledger.Period
		want string
	}{
		{"every day", ledger.Period{}, "cards 1, cards 2, slips 5"},
		{"no day but the second", ledger.Period{From: day(2), To: day(2)}, "cards 2"},
		{"the second to the fifth", ledger.Period{From: day(2), To: day(5)}, "cards 2, slips 5"},
		{"days of nothing", ledger.Period{From: day(6), To: day(9)}, ""},
	} {
		rows, err := n.l.Differences(n.t.Context(), account, c.days)
		ok(n.t, err)
		var got []string
		for _, r := range rows {
			got = append(got, fmt.Sprintf("%s %d", r.Side, r.Day-day(1)+1))
		}
		equal(n.t, c.says, strings.Join(got, ", "), c.want)
	}
}
