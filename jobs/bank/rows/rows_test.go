package rows

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"concilia/store/ledger"
	"concilia/store/ledger/banking"
	"concilia/store/spool"
)

// Rows in any order are read in order of day, those of a day as they were added, with all their members: from memory and from a file of
// many parts, again and again.
func TestRowsAreReadByDay(t *testing.T) {
	t.Parallel()
	draw := rand.New(rand.NewPCG(2026, 11))
	var want []banking.Row
	for i := range 500 {
		want = append(want, banking.Row{
			Day: ledger.NewDate(2026, 11, 1+draw.IntN(30)), Amount: ledger.FromCents(draw.Int64N(2_000_000) - 1_000_000), Text: fmt.Sprintf("CRÉDITO %d", i),
			Document: fmt.Sprint(draw.IntN(3)), Category: []string{"", "CREDIT", "DEBIT"}[draw.IntN(3)], Scheduled: draw.IntN(3) == 0,
		})
	}
	for _, size := range []int{partSize, 2 << 10} {
		r := &Rows{spool: spool.New(size)}
		if first, last := r.Days(); first != 0 || last != 0 || r.Len() != 0 {
			t.Errorf("no rows: %d from %s to %s", r.Len(), first, last)
		}
		for i := range want {
			if err := r.Add(&want[i]); err != nil {
				t.Fatal(err)
			}
		}
		sorted := slices.Clone(want)
		slices.SortStableFunc(sorted, func(a, b banking.Row) int { return cmp.Compare(a.Day, b.Day) })
		for range 2 {
			var got []banking.Row
			err := r.Each(func(row *banking.Row) error {
				got = append(got, *row)
				return nil
			})
			if d := gocmp.Diff(sorted, got); d != "" || err != nil {
				t.Fatalf("parts of %d bytes, %v: added (-), read (+):\n%s", size, err, d)
			}
		}
		if first, last := r.Days(); first != sorted[0].Day || last != sorted[499].Day || r.Len() != 500 {
			t.Errorf("%d rows from %s to %s", r.Len(), first, last)
		}
		enough := errors.New("enough")
		if err := r.Each(func(*banking.Row) error { return enough }); !errors.Is(err, enough) {
			t.Errorf("it goes on after an error: %v", err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}
