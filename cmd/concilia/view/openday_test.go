package view

import (
	"strings"
	"testing"

	"concilia/store/ledger"
	"concilia/store/sales"
)

// Why a day of a store is open is said in the reader's language, whatever the reason is.
func TestDescribeOpenDay(t *testing.T) {
	t.Parallel()
	for why, want := range map[string]string{
		"no file has all of it":                                     "nenhum arquivo tem o dia inteiro",
		"series 11222333000181/65/001: no note after":               "série 11222333000181/65/001: nenhuma nota depois",
		"series 11222333000181/65/001: no note before":              "série 11222333000181/65/001: nenhuma nota antes",
		"series 11222333000181/65/001: number 7 is missing":         "série 11222333000181/65/001: falta o número 7",
		"series 11222333000181/65/001: numbers 7 to 12 are missing": "série 11222333000181/65/001: faltam os números de 7 a 12",
		"what is not known yet":                                     "what is not known yet",
	} {
		if got := Language("pt-BR").DescribeOpenDay(why); got != want {
			t.Errorf("%s: %q, not %q", why, got, want)
		}
		if got := Language("en").DescribeOpenDay(why); got != why {
			t.Errorf("in English %q is %q", why, got)
		}
	}
}

// The coverage of a store that a command prints is in the reader's language whole, and a single open day stands once.
func TestCoverageOfStoresIsInTheReadersLanguage(t *testing.T) {
	t.Parallel()
	day := ledger.NewDate(2026, 11, 9)
	open := ledger.OwnDay{Day: day, State: ledger.OwnMissing, Why: "no file has all of it"}
	var b strings.Builder
	if err := (SalesCoverage{SalesCoverageOf("centro", []ledger.OwnDay{open}, ledger.Period{From: day, To: day})}).WriteText(&b, Portuguese); err != nil {
		t.Fatal(err)
	}
	if want := "\n09/11/2026: nenhum arquivo tem o dia inteiro\n"; !strings.Contains(b.String(), want) {
		t.Errorf("not there: %s\n%s", want, b.String())
	}
}

// A payment names its numbers as people of the language do.
func TestNumbersOfAPaymentAreNamedInTheReadersLanguage(t *testing.T) {
	t.Parallel()
	kept := sales.Kept{OwnPayment: ledger.OwnPayment{Sale: "VD1", Number: 1, NSU: "42", Auth: "A1B2C3", Reference: "FAT-1"}}
	for language, want := range map[Language]string{English: "  nsu 42  auth A1B2C3  ref FAT-1", Portuguese: "  NSU 42  aut. A1B2C3  ref. FAT-1"} {
		if got := language.describePayment("centro", &kept); !strings.HasSuffix(got, want) {
			t.Errorf("%s: %q does not end in %q", language, got, want)
		}
	}
}
