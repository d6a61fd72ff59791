package table_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"concilia/jobs/sales/table"
	"concilia/store/ledger/ownsales"
)

// BenchmarkReadCSV reads 100,000 payments.
func BenchmarkReadCSV(b *testing.B) {
	var text bytes.Buffer
	text.WriteString("sale_id,payment_no,sold_at,amount,method,installments,brand,nsu,auth,tid,reference,last4,terminal\n")
	at := time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)
	for i := range 100_000 {
		fmt.Fprintf(&text, "P%08d,1,%s,%d.%02d,credit,%d,visa,%012d,A%06d,tid%012d,PED-%d,%04d,T%02d\n", i, at.Add(time.Duration(i)*time.Minute).Format("2006-01-02T15:04:05"), 1+i%90, i%100, 1+i%6, i, i, i, i, i%10_000, i%9)
	}
	m, _ := table.Preset("neutral")
	r := table.Reader{Map: m, Brand: func(s string) (string, bool) { return s, true }, Zone: time.UTC}
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		err := r.Read(bytes.NewReader(text.Bytes()), func(x *ownsales.Record) error {
			if x.Payment != nil {
				n++
			}
			return nil
		})
		if err != nil || n != 100_000 {
			b.Fatal(n, err)
		}
	}
}
