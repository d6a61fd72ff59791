package storetest

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"concilia/store"
	"concilia/store/ledger"
)

// fingerprint tells what stands in the ledger, by content and not by how it came.
func (n *night) fingerprint() string {
	h := sha256.New()
	for _, s := range n.sales() {
		fmt.Fprintln(h, s.Key.Subject(), s.Complete)
		for _, r := range s.Rows {
			v := r.Current()
			fmt.Fprintf(h, "%s %x %d\n", v.Key().Subject(), v.Content, v.Version)
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// windowsInAnyOrder: the pieces of a period, asked in any order and cut anywhere, give the ledger of the whole.
func windowsInAnyOrder(t *testing.T, open func(*testing.T) *store.Ledger) {
	const days = 6
	one, other, try := open(t), open(t), account
	rapid.Check(t, func(r *rapid.T) {
		try++
		whole, pieces := beginOn(t, one, try), beginOn(t, other, try)
		for range 2 {
			rows := drawRows(r, days)
			whole.merge(day(1), day(days), rows...)
			for _, w := range drawWindows(r, days) {
				var mine []ledger.Installment
				for i := range rows {
					if w.Contains(rows[i].SoldAt.Date()) {
						mine = append(mine, rows[i])
					}
				}
				pieces.merge(w.From, w.To, rapid.Permutation(mine).Draw(r, "rows")...)
			}
			if a, b := whole.fingerprint(), pieces.fingerprint(); a != b {
				r.Fatalf("whole:\n%s\npieces:\n%s", whole.places(), pieces.places())
			}
		}
	})
}

// drawRows draws from few keys, so that numbers repeat and rows change between two draws.
func drawRows(r *rapid.T, days int) []ledger.Installment {
	return rapid.SliceOfN(rapid.Custom(func(r *rapid.T) ledger.Installment {
		i := row(day(rapid.IntRange(1, days).Draw(r, "day")), rapid.SampledFrom([]string{"1", "2"}).Draw(r, "nsu"),
			rapid.IntRange(1, 3).Draw(r, "number"), 3)
		i.Terminal = rapid.SampledFrom([]string{"A", "B"}).Draw(r, "terminal")
		if rapid.Bool().Draw(r, "paid") {
			i = received(i, ledger.Amount(rapid.IntRange(1, 2).Draw(r, "received")))
		}
		return i
	}), 0, 12).Draw(r, "answer")
}

func drawWindows(r *rapid.T, days int) []ledger.Period {
	var out []ledger.Period
	for from := 1; from <= days; {
		to := rapid.IntRange(from, days).Draw(r, "to")
		out = append(out, ledger.Period{From: day(from), To: day(to)})
		from = to + 1
	}
	out = slices.Clone(rapid.Permutation(out).Draw(r, "windows"))
	return out
}
