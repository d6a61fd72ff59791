// Package ledgertest reads the values of the ledger from the short texts that tables of tests are written in. What cannot be read is a
// mistake of the test: it panics.
package ledgertest

import (
	"time"

	"concilia/store/ledger"
)

// Date reads 2026-11-18; an empty text is no date.
func Date(text string) ledger.Date {
	if text == "" {
		return 0
	}
	return must(ledger.ParseDate(text))
}

// LocalTime reads 2026-11-18T09:00:00.
func LocalTime(text string) ledger.LocalTime { return must(ledger.ParseLocalTime(text, time.UTC)) }

// Reais reads an amount in reais, 33.3333.
func Reais(text string) ledger.Amount { return must(ledger.ParseAmount(text)) }

// OptReais reads an amount in reais; an empty text is none.
func OptReais(text string) (amount ledger.Opt[ledger.Amount]) {
	if text != "" {
		amount = ledger.Some(Reais(text))
	}
	return amount
}

// Percent reads a rate in percent, 2.49.
func Percent(text string) ledger.Rate { return must(ledger.ParseRate(text)) }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
