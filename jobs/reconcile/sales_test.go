package reconcile_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"concilia/store/ledger"
)

// centsOf runs a sale of these values, and of a total where one is stated, and gives what each row was allocated.
func centsOf(t testing.TB, total ledger.Opt[ledger.Amount], complete bool, values ...ledger.Amount) []int64 {
	t.Helper()
	var all []ledger.InstallmentHistory
	for k, v := range values {
		all = append(all, installment("2024-10-21", "1", "A", k+1, func(i *ledger.Installment) {
			i.Gross, i.Count, i.SaleTotal = v, len(values), total
		}))
	}
	s := saleOf(all...)
	s.Complete = complete
	m := &memory{sales: []*ledger.Sale{s}}
	m.reconciled(t, inputs("2024-11-01"))
	var out []int64
	for _, h := range all {
		out = append(out, m.cards[h.Current().Key()].GrossCents)
	}
	return out
}

func TestGrossInCents(t *testing.T) {
	t.Parallel()
	type amounts = []ledger.Amount
	for _, c := range []struct {
		says    string
		total   string
		partial bool
		values  amounts
		want    string
	}{
		{says: "three thirds of a hundred", total: "100", values: amounts{333_333, 333_333, 333_333}, want: "[3334 3333 3333]"},
		{says: "no total stated: their own sum", values: amounts{333_333, 333_333, 333_333}, want: "[3334 3333 3333]"},
		{says: "whole cents stay", total: "100", values: amounts{333_300, 333_300, 333_400}, want: "[3333 3333 3334]"},
		{says: "a total a cent above whole cents: to the first", total: "100.01", values: amounts{500_000, 500_000}, want: "[5001 5000]"},
		{says: "a total a cent below whole cents: from the last", total: "99.99", values: amounts{500_000, 500_000}, want: "[5000 4999]"},
		{says: "a total more than a cent off is not believed", total: "100.0101", values: amounts{500_000, 500_000}, want: "[5000 5000]"},
		{says: "the total decides where the sum rounds the other way", total: "100", values: amounts{333_316, 333_317, 333_316}, want: "[3333 3334 3333]"},
		{says: "but not on a day that is not complete", total: "100", partial: true, values: amounts{333_316, 333_317, 333_316}, want: "[3333 3333 3333]"},
		{says: "one row, two cents to give", total: "1.0199", values: amounts{10_099}, want: "[102]"},
		{says: "the greatest remainder first", values: amounts{100_010, 100_090, 100_000}, want: "[1000 1001 1000]"},
		{says: "equal remainders: the lowest installment", values: amounts{100_050, 100_050, 100_000}, want: "[1001 1000 1000]"},
		{says: "a negative sale too", values: amounts{-333_333, -333_333, -333_333}, want: "[-3333 -3333 -3334]"},
		{says: "one row is rounded", values: amounts{100_050}, want: "[1001]"},
	} {
		if got := fmt.Sprint(centsOf(t, some(c.total), !c.partial, c.values...)); got != c.want {
			t.Errorf("%s: %s, want %s", c.says, got, c.want)
		}
	}
}

func TestGrossInCentsAddsUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		values := rapid.SliceOfN(rapid.Map(rapid.Int64Range(-1_000_000, 10_000_000), func(v int64) ledger.Amount { return ledger.Amount(v) }), 1, 12).Draw(r, "values")
		var sum ledger.Amount
		for _, v := range values {
			sum += v
		}
		off := ledger.Amount(rapid.Int64Range(-150, 150).Draw(r, "off"))
		total := ledger.Some(sum + off)
		want := sum
		if off.Abs() <= ledger.Cent {
			want = total.V
		}
		var cents int64
		for i, c := range centsOf(t, total, true, values...) {
			cents += c
			// A total a cent off moves a row by two at most, where there is but one to move.
			if d := ledger.FromCents(c) - values[i]; d.Abs() >= 2*ledger.Cent+50 {
				r.Fatalf("row %d of %v moved by %s", i, values, d)
			}
		}
		if cents != want.Cents(ledger.HalfAwayFromZero) {
			r.Fatalf("%v of %s: %d cents", values, total.V, cents)
		}
	})
}
