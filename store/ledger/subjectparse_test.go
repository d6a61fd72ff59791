package ledger_test

import (
	"testing"

	"pgregory.net/rapid"

	"concilia/store/ledger"
)

// What was put together comes apart as it was.
func TestParseSubject(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[A-Za-z0-9:%~ é\n-]{0,12}`)
		k := ledger.InstallmentKey{Number: rapid.IntRange(1, 24).Draw(t, "number")}
		k.SaleKey = ledger.SaleKey{
			Account: 1001, Day: ledger.NewDate(2026, 11, rapid.IntRange(1, 30).Draw(t, "day")), NSU: text.Draw(t, "nsu"),
			Auth: text.Draw(t, "auth"), Occurrence: rapid.IntRange(1, 3).Draw(t, "twin"),
		}
		for subject, number := range map[string]int{
			k.Subject(): k.Number, k.SaleKey.Subject(): 0, ledger.SplitSubject(k, "x", text.Draw(t, "type"), 2): k.Number,
		} {
			p, ok := ledger.ParseSubject(subject)
			sale, n, isSale := p.Sale()
			if !ok || !isSale || sale != k.SaleKey || n != number {
				t.Fatalf("%q comes apart as %+v, %d", subject, sale, n)
			}
		}
	})
	for _, s := range []string{"", "card", "card:x:2026-11-01", "card:0:1", "card:1001:2026-11-01:1:2:3~x", "slip:1001:%zz"} {
		if _, ok := ledger.ParseSubject(s); ok {
			t.Errorf("%q comes apart", s)
		}
	}
	if p, ok := ledger.ParseSubject("card:1001:2026-11-01:1"); ok {
		if _, _, isSale := p.Sale(); isSale {
			t.Error("a card without a number is one")
		}
	}
}
