//go:build unix

package store_test

import (
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"concilia/store/bank"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
	"concilia/store/storetest"
)

// BenchmarkTakeInStatement takes 100,000 lines into an empty ledger on SQLite, then the same bytes again.
func BenchmarkTakeInStatement(b *testing.B) {
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			in := bigStatement(100_000)
			l := openDSN(b, storetest.FreshSQLite(b))
			b.StartTimer()
			out, err := l.TakeInStatements(b.Context(), []bank.TakeIn{in}, false)
			must(b, err)
			if out[0].New != 100_000 {
				b.Fatalf("%+v", out[0])
			}
		}
	})
	b.Run("known", func(b *testing.B) {
		l, in := openDSN(b, storetest.FreshSQLite(b)), bigStatement(100_000)
		_, err := l.TakeInStatements(b.Context(), []bank.TakeIn{in}, false)
		must(b, err)
		for b.Loop() {
			out, err := l.TakeInStatements(b.Context(), []bank.TakeIn{in}, false)
			must(b, err)
			if !out[0].Known {
				b.Fatalf("%+v", out[0])
			}
		}
	})
}

// bigStatement has n lines in a year, a balance at its end.
func bigStatement(n int) bank.TakeIn {
	first := ledger.NewDate(2026, 1, 1)
	st := &banking.Statement{
		Format: "ofx", Stated: true, Window: ledger.Period{From: first, To: first + 364}, Whole: ledger.Period{From: first, To: first + 364},
		AsOf: first + 365, Made: ledger.LocalTimeOf((first + 365).Time(), time.UTC),
	}
	rows := make(banking.RowList, 0, n)
	for i := range n {
		rows = append(rows, banking.Row{
			Day: first + ledger.Date(i*365/n), Amount: ledger.FromCents(int64(100 + i*7919%1_000_000)), Text: fmt.Sprintf("PIX RECEBIDO %d", i%50_000),
		})
	}
	st.Rows = rows
	return bank.TakeIn{
		Bank: "itau-12345", First: 1001, Bytes: sha256.Sum256([]byte("big")), WriteBody: writeText("big"), Name: "big.ofx", Statement: st, Actor: "ana",
		At: time.Date(2027, 1, 2, 9, 0, 0, 0, time.UTC), IsBusinessDay: weekdays,
	}
}
