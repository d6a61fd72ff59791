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

// fingerprint tells what stands in the ledger and what stood before it, by content and not by how it came.
func (n *night) fingerprint() string {
	h := sha256.New()
	for _, s := range n.sales() {
		fmt.Fprintln(h, s.Key.Subject(), s.Complete)
		for _, r := range s.Rows {
			for i := range r {
				fmt.Fprintf(h, "%s %x %d\n", r[i].Key().Subject(), r[i].Content, r[i].Version)
			}
		}
	}
	ok(n.t, n.l.VanishedInstallments(n.t.Context(), n.account, func(v *ledger.InstallmentVersion, _ ledger.Date) error {
		fmt.Fprintf(h, "gone %s %x %d\n", v.Key().Subject(), v.Content, v.Version)
		return nil
	}))
	bad, err := n.l.QuarantinedRows(n.t.Context(), n.account)
	ok(n.t, err)
	for _, q := range bad {
		fmt.Fprintln(h, "unreadable", q.Day, q.Hash)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// windowsInAnyOrder: the pieces of a period, cut anywhere, asked in any order and any number of times, give the ledger
// of the whole, its history and its unreadable rows.
func windowsInAnyOrder(t *testing.T, open func(*testing.T) *store.Ledger) {
	const days = 6
	one, other, try := open(t), open(t), account
	property(t, func(r *rapid.T) {
		try++
		whole, pieces := beginOn(t, one, try), beginOn(t, other, try)
		for range 3 {
			rows, bad := drawRows(r, days), drawUnreadable(r, days)
			whole.mergeAll(day(1), day(days), rows, bad)
			windows := drawWindows(r, days)
			again := rapid.SliceOfN(rapid.SampledFrom(windows), 0, 2).Draw(r, "asked again")
			for _, w := range append(windows, again...) {
				var mine []ledger.Installment
				for i := range rows {
					if w.Contains(rows[i].SoldAt.Date()) {
						mine = append(mine, rows[i])
					}
				}
				var unread []ledger.Quarantined
				for _, q := range bad {
					if w.Contains(q.Day) {
						unread = append(unread, q)
					}
				}
				pieces.mergeAll(w.From, w.To, rapid.Permutation(mine).Draw(r, "rows"), unread)
			}
			if a, b := whole.fingerprint(), pieces.fingerprint(); a != b {
				r.Fatalf("whole:\n%s\npieces:\n%s", whole.places(), pieces.places())
			}
		}
	})
}

// mergeAll merges an answer with rows that could not be read.
func (n *night) mergeAll(from, to ledger.Date, rows []ledger.Installment, bad []ledger.Quarantined) {
	n.t.Helper()
	rows, bad = slices.Clone(rows), slices.Clone(bad)
	for i := range rows {
		rows[i].Account = n.account
	}
	for i := range bad {
		bad[i].Account = n.account
		bad[i].Key.Account = n.account
	}
	ok(n.t, n.l.MergeInstallments(n.t.Context(), n.pull(ledger.Cards, from, to), rows, bad))
}

// drawUnreadable draws rows that could not be read, some by a key that a readable row has, too.
func drawUnreadable(r *rapid.T, days int) []ledger.Quarantined {
	return rapid.SliceOfNDistinct(rapid.Custom(func(r *rapid.T) ledger.Quarantined {
		i := row(day(rapid.IntRange(1, days).Draw(r, "bad day")), rapid.SampledFrom([]string{"1", "2", "3"}).Draw(r, "bad nsu"), 1, 3)
		body := []byte(i.SoldAt.Date().String() + i.NSU)
		sum := sha256.Sum256(body)
		return ledger.Quarantined{
			Source: ledger.Cards, Day: i.SoldAt.Date(), Hash: fmt.Sprintf("%x", sum), Body: body, Reason: "gross",
			KeyRead: true, Key: i.Key(),
		}
	}), 0, 2, func(q ledger.Quarantined) string { return q.Hash }).Draw(r, "unreadable")
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
