package store_test

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/sales"
	"concilia/store/storetest"
)

// BenchmarkTakeInOwnSales takes in files of 100,000 payments of a store.
func BenchmarkTakeInOwnSales(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) { takeInOwnSales(b, openDSN(b, storetest.FreshSQLite(b))) })
	b.Run("postgres", func(b *testing.B) { takeInOwnSales(b, openDSN(b, storetest.FreshPostgres(b))) })
}

func takeInOwnSales(b *testing.B, l *store.Ledger) {
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		name := fmt.Sprintf("vendas-%d.csv", n)
		_, err := l.TakeInSales(b.Context(), &sales.TakeIn{
			Shop: "centro", First: 1001, Hash: sha256.Sum256([]byte(name)), Name: name, Format: "neutral", Map: "m", Today: parseDay("2027-01-01"), At: parseDay("2027-01-01").Time(),
			Read: func(take func(*ledger.OwnRecord) error) error {
				for i := range 100_000 {
					err := take(&ledger.OwnRecord{Payment: &ledger.OwnPayment{
						Sale: fmt.Sprintf("P%03d-%08d", n, i), Number: 1, SoldAt: ledger.StartOf(parseDay("2020-01-01")+ledger.Date(n*80)) + ledger.LocalTime(i)*600_000_000, Timed: true,
						Amount: ledger.FromCents(int64(i%9000 + 100)), Method: ledger.OwnCredit, Status: ledger.OwnPaid, Installments: 1 + i%6, Brand: "visa",
						NSU: fmt.Sprintf("%012d", i), Auth: fmt.Sprintf("A%06d", i), Reference: fmt.Sprintf("PED-%d", i), Last4: "1234", Terminal: "T1",
					}})
					if err != nil {
						return err
					}
				}
				return nil
			},
		}, false)
		must(b, err)
	}
}
