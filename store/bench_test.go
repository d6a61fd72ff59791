package store_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"concilia/store"
	"concilia/store/ledger"
)

const benchDay, benchDays = 10_000, 10

// BenchmarkMerge merges ten windows of 10,000 installments: into an empty ledger, and once more unchanged.
func BenchmarkMerge(b *testing.B) {
	for b.Loop() {
		l := benchLedger(b)
		started := time.Now()
		benchMerge(b, l, "a")
		first := time.Since(started)
		benchMerge(b, l, "b")
		same := time.Since(started) - first
		b.ReportMetric(benchDay*benchDays/first.Seconds(), "first-rows/s")
		b.ReportMetric(benchDay*benchDays/same.Seconds(), "same-rows/s")
		benchReconcile(b, l, "first")
		benchReconcile(b, l, "again")
		if err := l.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func benchLedger(b *testing.B) *store.Ledger {
	l, err := store.Open(b.Context(), "sqlite:"+filepath.Join(b.TempDir(), "ledger.db"))
	if err != nil {
		b.Fatal(err)
	}
	if _, _, err := l.Migrate(b.Context()); err != nil {
		b.Fatal(err)
	}
	if _, err := l.Hold(b.Context(), "r", []ledger.Account{1}, time.Hour); err != nil {
		b.Fatal(err)
	}
	return l
}

func benchMerge(b *testing.B, l *store.Ledger, id string) {
	for d := range ledger.Date(benchDays) {
		day := ledger.NewDate(2026, 1, 1) + d
		p := &ledger.Pull{
			ID: fmt.Sprint(id, d), Run: "r", Complete: true, Began: day.Time(), Ended: day.Time(),
			Window: ledger.Window{Account: 1, Source: ledger.Cards, Period: ledger.Period{From: day, To: day}},
		}
		rows := make([]ledger.Installment, benchDay)
		for i := range rows {
			cents := ledger.Some(ledger.Amount(i) * ledger.Cent)
			rows[i] = ledger.Installment{
				Account: 1, SoldAt: ledger.LocalTimeOf(day.Time().Add(time.Duration(i)*time.Second), time.UTC),
				Terminal: "T0000001", Card: "411111******1111", CardType: "CREDIT", CardName: "VISA",
				Auth: fmt.Sprintf("%06d", i), NSU: fmt.Sprintf("%09d", i), Number: 1, Count: 1, Gross: cents.V,
				SaleTotal: cents, MDR: cents, MDRRate: ledger.Some(ledger.Rate(i)), Fee: cents, SaleFee: cents,
				Antifraud: cents, Forecast: day + 30, Status: "Authorized", ReceivedStat: "Pending", Reference: "order",
				Splits: []ledger.Split{{Beneficiary: "12345678000195", Type: "P", Value: cents}},
			}
		}
		if err := l.MergeInstallments(b.Context(), p, rows, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// benchReconcile streams every sale and writes an expectation of each row.
func benchReconcile(b *testing.B, l *store.Ledger, what string) {
	started := time.Now()
	r, err := l.Reconciling(b.Context(), &ledger.Run{ID: "r"}, 1)
	if err != nil {
		b.Fatal(err)
	}
	err = l.Sales(b.Context(), 1, func(s *ledger.Sale) error {
		cur := s.Rows[0].Current()
		return r.Expectation(&ledger.Expectation{Key: cur.Key(), Version: cur.Version, Class: ledger.Open, Brand: "visa", Net: cur.Gross})
	})
	if err != nil {
		b.Fatal(err)
	}
	if err := r.Commit(); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(benchDay*benchDays/time.Since(started).Seconds(), "reconciled-"+what+"-rows/s")
}
