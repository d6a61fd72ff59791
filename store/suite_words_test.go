package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/lookup"
	"concilia/store/results"
)

// wordsOf are the items of an account that have a word, sorted.
func wordsOf(t testing.TB, l *store.Ledger, a ledger.Account, words ...string) []string {
	t.Helper()
	var out []string
	ok(t, l.ItemsWithWord(t.Context(), a, words, 100_000, func(word string, i lookup.Item) {
		out = append(out, fmt.Sprintf("%s: %s %s%s%s", word, i.Day, i.NSU, i.Auth, i.Slip))
	}))
	slices.Sort(out)
	return out
}

// setSales has a reconcile come to every sale of the account.
func setSales(t *testing.T, n *night, tx *results.ReconcileTx) {
	ok(t, n.l.SalesInScope(t.Context(), n.account, nil, func(s *ledger.Sale) error {
		tx.SetSale(s)
		return nil
	}))
}

// wordsOfItems: a reconcile adds the words of what it is the first to take into account, and a sale is found by what it once said too.
func wordsOfItems(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	a := row(day(1), "0071", 1, 1)
	a.Reference, a.WebPaymentID = "Pedido-9", "W1"
	n.merge(day(1), day(1), a)
	n.slips(ledger.SlipsDue, day(3), day(3), ledger.SlipView{
		ID: "s1", List: ledger.SlipsDue, Value: 50 * ledger.Real, Due: day(3), PayerDocument: "52998224725", PayerName: "Maria Silva",
		DigitableLine: "00191.15750 00000.208798 00003.001008 1 99999999999999",
	})
	keys := []string{
		lookup.NSUWord.Word("71"), lookup.AuthWord.Word("a0071"), lookup.OrderWord.Word("PEDIDO-9"), lookup.WebPaymentWord.Word("w1"),
		lookup.CardWord.Word("1111"), lookup.BeneficiaryWord.Word("12.345.678/0001-95"), lookup.AmountWordOf(100 * ledger.Real),
		lookup.SlipIDWord.Word("S1"), lookup.AmountWordOf(50 * ledger.Real),
	}
	if got := wordsOf(t, n.l, account, keys...); got != nil {
		t.Errorf("nothing was reconciled, and %q are found", got)
	}
	add := func(r *results.ReconcileTx) { ok(t, r.AddWords()) }
	n.reconcile("run-1", add)
	want := []string{
		"aa0071: 2026-11-01 0071A0071", "b12345678000195: 2026-11-01 0071A0071", "c1111: 2026-11-01 0071A0071", "is1: 2026-11-03 s1",
		"m1000000: 2026-11-01 0071A0071", "m500000: 2026-11-03 s1", "n71: 2026-11-01 0071A0071", "opedido-9: 2026-11-01 0071A0071",
		"ww1: 2026-11-01 0071A0071",
	}
	if d := cmp.Diff(want, wordsOf(t, n.l, account, keys...)); d != "" {
		t.Error(d)
	}
	for _, secret := range []string{"52998224725", "maria silva"} {
		for _, kind := range []lookup.WordKind{lookup.BeneficiaryWord, lookup.ReferenceWord, lookup.NSUWord, lookup.OurNumberWord} {
			if got := wordsOf(t, n.l, account, kind.Word(secret)); got != nil {
				t.Errorf("a payer is found as %s: %q", kind, got)
			}
		}
	}
	a.Reference = "pedido-10"
	n.merge(day(1), day(1), received(a, 97*ledger.Real))
	n.reconcile("run-2", add)
	for _, key := range []string{lookup.OrderWord.Word("pedido-9"), lookup.OrderWord.Word("pedido-10"), lookup.AmountWordOf(97 * ledger.Real)} {
		if got := wordsOf(t, n.l, account, key); len(got) != 1 {
			t.Errorf("%s leads to %q", key, got)
		}
	}
	n.merge(day(2), day(2), row(day(2), "9", 1, 1))
	n.reconcile("run-3", func(*results.ReconcileTx) {}) // killed before its words, say: a full reconcile makes them all
	n.reconcile("run-4", func(tx *results.ReconcileTx) {
		tx.MakeWordsAnew()
		setSales(t, n, tx)
		add(tx)
	})
	if got := wordsOf(t, n.l, account, lookup.NSUWord.Word("9"), lookup.NSUWord.Word("71")); len(got) != 2 {
		t.Errorf("a full reconcile finds %q", got)
	}
}

// wordsAgree: whatever comes in whatever nights, the words added night by night, of sales as they are evaluated or of what is read
// afterwards, are those made anew.
func wordsAgree(t *testing.T, open func(*testing.T) *store.Ledger) {
	l := open(t)
	var tries ledger.Account
	property(t, func(r *rapid.T) {
		tries++
		n := beginOn(t, l, 5000+tries)
		var keys []string
		for night := range rapid.IntRange(1, 4).Draw(r, "nights") {
			rows := rapid.SliceOfN(rapid.Custom(func(r *rapid.T) ledger.Installment {
				i := row(day(rapid.IntRange(1, 3).Draw(r, "day")), rapid.SampledFrom([]string{"1", "01", "2", "3"}).Draw(r, "nsu"), 1, 1)
				i.Reference = rapid.SampledFrom([]string{"", "a", "B"}).Draw(r, "reference")
				i.Gross = ledger.Amount(rapid.IntRange(1, 3).Draw(r, "reais")) * ledger.Real
				if paid := rapid.IntRange(0, 2).Draw(r, "received"); paid > 0 {
					i = received(i, ledger.Amount(paid)*ledger.Cent)
				}
				return i
			}), 0, 6).Draw(r, "rows")
			for i := range rows {
				var words lookup.WordList
				words.AddInstallment(&rows[i])
				for word := range words.All() {
					keys = append(keys, string(word))
				}
			}
			n.merge(day(1), day(3), rows...)
			attempts := rapid.IntRange(0, 2).Draw(r, "attempts that evaluate the sales")
			n.reconcile(fmt.Sprintf("run-%d-%d", tries, night), func(tx *results.ReconcileTx) {
				for attempt := range attempts {
					if attempt > 0 {
						ok(t, tx.Restart())
					}
					setSales(t, n, tx)
				}
				ok(t, tx.AddWords())
			})
		}
		slices.Sort(keys)
		keys = append(slices.Compact(keys), "none")
		grown := wordsOf(t, l, n.account, keys...)
		n.reconcile(fmt.Sprintf("run-%d-all", tries), func(tx *results.ReconcileTx) {
			tx.MakeWordsAnew()
			if setSales(t, n, tx); rapid.Bool().Draw(r, "again") {
				ok(t, tx.Restart())
				setSales(t, n, tx)
			}
			ok(t, tx.AddWords())
		})
		if d := cmp.Diff(grown, wordsOf(t, l, n.account, keys...)); d != "" {
			r.Fatal(d)
		}
		ok(t, n.lease.Release(t.Context()))
	})
}

// itemsOfDay: a day leads to what was sold, is forecast or came on it, and to the slips of each list.
func itemsOfDay(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	n.merge(day(1), day(2), row(day(1), "1", 1, 1), received(row(day(2), "2", 1, 1), 97*ledger.Real))
	n.slips(ledger.SlipsDue, day(1), day(1), ledger.SlipView{ID: "due", List: ledger.SlipsDue, Value: ledger.Real, Due: day(1)})
	n.slips(ledger.SlipsPayment, day(1), day(1), ledger.SlipView{ID: "paid", List: ledger.SlipsPayment, Value: ledger.Real, Due: day(9), PaidOn: day(1)})
	for _, c := range []struct {
		says string
		day  ledger.Date
		want string
	}{
		{"sold, due and paid", day(1), "2026-11-01 1A1 · 2026-11-01 due · 2026-11-09 paid"},
		{"forecast of one sale", day(31), "2026-11-01 1A1"},
		{"forecast and received of another, twice", day(32), "2026-11-02 2A2 · 2026-11-02 2A2"},
		{"nothing", day(20), ""},
	} {
		var got []string
		ok(t, n.l.ItemsOfDay(t.Context(), account, c.day, 10, func(i lookup.Item) {
			got = append(got, fmt.Sprintf("%s %s%s%s", i.Day, i.NSU, i.Auth, i.Slip))
		}))
		slices.Sort(got)
		equal(t, c.says, strings.Join(got, " · "), c.want)
	}
}
