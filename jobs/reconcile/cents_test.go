package reconcile_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"concilia/store/ledger"
)

// centsOf runs a sale of these values and gives what each row was allocated.
func centsOf(t testing.TB, values ...ledger.Amount) []int64 {
	t.Helper()
	var all []ledger.InstallmentHistory
	for k, v := range values {
		all = append(all, installment("2024-10-21", "1", "A", k+1, func(i *ledger.Installment) { i.Gross, i.Count = v, len(values) }))
	}
	m := &memory{sales: []*ledger.Sale{saleOf(all...)}}
	m.reconciled(t, inputs("2024-11-01"))
	var out []int64
	for _, h := range all {
		out = append(out, m.cards[h.Current().Key()].GrossCents)
	}
	return out
}

func TestGrossInCents(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		says   string
		values []ledger.Amount
		want   string
	}{
		{"three thirds of a hundred", []ledger.Amount{333_333, 333_333, 333_333}, "[3334 3333 3333]"},
		{"whole cents stay", []ledger.Amount{333_300, 333_300, 333_400}, "[3333 3333 3334]"},
		{"the greatest remainder first", []ledger.Amount{100_010, 100_090, 100_000}, "[1000 1001 1000]"},
		{"a negative sale too", []ledger.Amount{-333_333, -333_333, -333_333}, "[-3333 -3333 -3334]"},
		{"one row is rounded", []ledger.Amount{100_050}, "[1001]"},
	} {
		if got := fmt.Sprint(centsOf(t, c.values...)); got != c.want {
			t.Errorf("%s: %s, want %s", c.says, got, c.want)
		}
	}
}

func TestGrossInCentsAddsUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		values := rapid.SliceOfN(rapid.Map(rapid.Int64Range(-1_000_000, 10_000_000), func(v int64) ledger.Amount { return ledger.Amount(v) }), 1, 12).Draw(r, "values")
		var sum ledger.Amount
		var cents int64
		for i, c := range centsOf(t, values...) {
			sum += values[i]
			cents += c
			if d := ledger.FromCents(c) - values[i]; d.Abs() >= ledger.Cent {
				r.Fatalf("row %d of %v moved by %s", i, values, d)
			}
		}
		if cents != sum.Cents(ledger.HalfAwayFromZero) {
			r.Fatalf("%v: %d cents of %s", values, cents, sum)
		}
	})
}
