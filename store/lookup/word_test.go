package lookup

import (
	"testing"

	"pgregory.net/rapid"

	"concilia/store/ledger"
)

// TestHasWordsOf: an installment that is said to have the words of another has none that the other has not.
func TestHasWordsOf(t *testing.T) {
	t.Parallel()
	draw := rapid.Custom(func(r *rapid.T) ledger.Installment {
		text := func(name string) string { return rapid.SampledFrom([]string{"", "7", "8"}).Draw(r, name) }
		amount := func(name string) ledger.Amount {
			return ledger.Amount(rapid.IntRange(-1, 1).Draw(r, name)) * ledger.Real
		}
		i := ledger.Installment{NSU: "1", Auth: "A", Reference: text("reference"), Gross: amount("gross"), Received: ledger.Some(amount("received"))}
		if b := text("beneficiary"); b != "" {
			i.Splits = []ledger.Split{{Beneficiary: b}}
		}
		return i
	})
	alike := 0
	rapid.Check(t, func(r *rapid.T) {
		a := draw.Draw(r, "a")
		b := rapid.OneOf(rapid.Just(a), draw).Draw(r, "b") // of two that are drawn apart a hundred tries may have none alike
		if !HasWordsOf(&a, &b) {
			return
		}
		alike++
		var ofA, ofB WordList
		ofA.AddInstallment(&a)
		ofB.AddInstallment(&b)
		for word := range ofA.All() {
			if !ofB.Has(word) {
				r.Fatalf("%q is no word of the other", word)
			}
		}
	})
	if alike == 0 {
		t.Error("no two installments had the same words")
	}
}
