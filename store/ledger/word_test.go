package ledger

import (
	"testing"

	"pgregory.net/rapid"
)

// TestHasWordsOf: an installment that is said to have the words of another has none that the other has not.
func TestHasWordsOf(t *testing.T) {
	t.Parallel()
	draw := rapid.Custom(func(r *rapid.T) Installment {
		text := func(name string) string { return rapid.SampledFrom([]string{"", "7", "8"}).Draw(r, name) }
		amount := func(name string) Amount { return Amount(rapid.IntRange(-1, 1).Draw(r, name)) * Real }
		i := Installment{NSU: "1", Auth: "A", Reference: text("reference"), Gross: amount("gross"), Received: Some(amount("received"))}
		if b := text("beneficiary"); b != "" {
			i.Splits = []Split{{Beneficiary: b}}
		}
		return i
	})
	alike := 0
	rapid.Check(t, func(r *rapid.T) {
		a := draw.Draw(r, "a")
		b := rapid.OneOf(rapid.Just(a), draw).Draw(r, "b") // of two that are drawn apart a hundred tries may have none alike
		if !a.HasWordsOf(&b) {
			return
		}
		alike++
		var ofA, ofB WordList
		a.AppendWords(&ofA)
		b.AppendWords(&ofB)
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
