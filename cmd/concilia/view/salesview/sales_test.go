package salesview

import (
	"strings"
	"testing"

	"concilia/cmd/concilia/view"
	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
	"concilia/store/sales"
)

// The coverage of a store that a command prints is in the reader's language whole, and a single open day is printed once.
func TestCoverageOfStoresIsInTheReadersLanguage(t *testing.T) {
	t.Parallel()
	day := ledger.NewDate(2026, 11, 9)
	open := ownsales.Day{Day: day, State: ownsales.DayMissing, Why: "no file has all of it"}
	var b strings.Builder
	if err := (SalesCoverage{SalesCoverageOf("centro", []ownsales.Day{open}, ledger.Period{From: day, To: day})}).WriteText(&b, view.Portuguese); err != nil {
		t.Fatal(err)
	}
	if want := "\n09/11/2026: nenhum arquivo tem o dia inteiro\n"; !strings.Contains(b.String(), want) {
		t.Errorf("not there: %s\n%s", want, b.String())
	}
}

// A payment names its numbers as people of the language do.
func TestNumbersOfAPaymentAreNamedInTheReadersLanguage(t *testing.T) {
	t.Parallel()
	kept := sales.Kept{Payment: ownsales.Payment{Sale: "VD1", Number: 1, NSU: "42", Auth: "A1B2C3", Reference: "FAT-1"}}
	for language, want := range map[view.Language]string{view.English: "  nsu 42  auth A1B2C3  ref FAT-1", view.Portuguese: "  NSU 42  aut. A1B2C3  ref. FAT-1"} {
		if got := describePayment(language, "centro", &kept); !strings.HasSuffix(got, want) {
			t.Errorf("%s: %q does not end in %q", language, got, want)
		}
	}
}
