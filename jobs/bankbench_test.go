package jobs_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"concilia/jobs/bank"
	"concilia/jobs/jobstest"
	"concilia/jobs/othersides"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/storetest"
)

// BenchmarkTakeInStatementFile takes in an OFX file of CONCILIA_BENCH_ROWS lines (100,000) in a year, and then the same bytes again. The goal
// is 100,000 lines in 2 seconds and 100 MiB, a tenth more memory for ten times the lines, and 0.2 seconds for bytes that are known.
func BenchmarkTakeInStatementFile(b *testing.B) {
	rows := 100_000
	if n, err := strconv.Atoi(os.Getenv("CONCILIA_BENCH_ROWS")); err == nil {
		rows = n
	}
	path, days := writeBenchStatement(b, rows), jobstest.BankDays(b)(1001)
	account := bank.Account{ID: "itau-12345", Bank: "341", Branch: "1234", Number: "12345-6", Accounts: []ledger.Account{1001}}
	take := func(b *testing.B, l *store.Ledger) ledger.BankImport {
		file, err := bank.OpenFile(path)
		if err != nil {
			b.Fatal(err)
		}
		taken, _, err := othersides.TakeInStatements(b.Context(), l, &othersides.StatementFile{
			File: file, Name: "extrato.ofx", Accounts: []bank.Account{account}, Actor: "a", At: day("2027-01-01").Time(), Calendar: days,
		})
		if err != nil || len(taken) != 1 || file.Close() != nil {
			b.Fatal(taken, err)
		}
		return taken[0].BankImport
	}
	for name, fresh := range map[string]func(testing.TB) string{"sqlite": storetest.FreshSQLite, "postgres": storetest.FreshPostgres} {
		open := func(b *testing.B) *store.Ledger {
			l, err := store.Open(b.Context(), fresh(b))
			if err != nil {
				b.Fatal(err)
			}
			return l
		}
		b.Run("new/"+name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				l, began := open(b), cpuTime("self")
				resetPeakMemory()
				b.StartTimer()
				done := take(b, l)
				b.StopTimer()
				if done.New != int64(rows) {
					b.Fatalf("%+v", done)
				}
				b.ReportMetric((cpuTime("self") - began).Seconds(), "cpu-s")
				b.ReportMetric(float64(peakMemory())/(1<<20), "peak-MiB")
				_ = l.Close()
				b.StartTimer()
			}
		})
		b.Run("known/"+name, func(b *testing.B) {
			l := open(b)
			take(b, l)
			for b.Loop() {
				if done := take(b, l); !done.Known || done.Same != int64(rows) {
					b.Fatalf("%+v", done)
				}
			}
			_ = l.Close()
		})
	}
}

// writeBenchStatement writes a statement of a year, in order of time, that ends with its balance.
func writeBenchStatement(b *testing.B, rows int) string {
	path := filepath.Join(b.TempDir(), "extrato.ofx")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(f)
	first, balance := day("2026-01-01"), ledger.Amount(0)
	_, _ = fmt.Fprintf(w, "<OFX><SIGNONMSGSRSV1><SONRS><DTSERVER>20270101080000</SONRS></SIGNONMSGSRSV1>\r\n<BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>BRL"+
		"<BANKACCTFROM><BANKID>0341<ACCTID>1234123456</BANKACCTFROM>\r\n<BANKTRANLIST><DTSTART>20260101<DTEND>20261231\r\n")
	for i := range rows {
		at, amount := first+ledger.Date(i*365/rows), ledger.FromCents(int64(100+i*7919%1_000_000))
		balance += amount
		_, _ = fmt.Fprintf(w, "<STMTTRN><TRNTYPE>CREDIT<DTPOSTED>%s120000<TRNAMT>%s<FITID>%012d<CHECKNUM>%d<MEMO>PIX RECEBIDO CLIENTE %d LOJA %d</STMTTRN>\r\n",
			at.Compact(), amount.Fixed(2), i, i, i%50_000, i%7)
	}
	_, _ = fmt.Fprintf(w, "</BANKTRANLIST><LEDGERBAL><BALAMT>%s<DTASOF>20261231</LEDGERBAL></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>\r\n", balance.Fixed(2))
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	return path
}
