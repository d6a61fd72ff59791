package jobs_test

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"concilia/jobs/bank"
	"concilia/jobs/bank/columns"
	"concilia/jobs/jobstest"
	"concilia/jobs/othersides"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
	"concilia/store/storetest"
)

// BenchmarkTakeInStatementFile takes in a file of CONCILIA_BENCH_ROWS lines (100,000) in a year, in each format that has its own reader, and then
// the same bytes again. The goal is 100,000 lines in 2 seconds and 100 MiB, a tenth more memory for ten times the lines, and 0.2 seconds for
// bytes that are known.
func BenchmarkTakeInStatementFile(b *testing.B) {
	rows := 100_000
	if n, err := strconv.Atoi(os.Getenv("CONCILIA_BENCH_ROWS")); err == nil {
		rows = n
	}
	for _, format := range []benchFormat{ofxBench, csvBench, jsonBench, openFinanceBench} {
		b.Run(format.name, func(b *testing.B) { benchmarkStatementFile(b, format, rows) })
	}
}

func benchmarkStatementFile(b *testing.B, format benchFormat, rows int) {
	path, days := writeBenchStatement(b, format, listBenchRows(rows)), jobstest.BankDays(b)(1001)
	account := bank.Account{ID: "itau-12345", Bank: "341", Branch: "1234", Number: "12345-6", Accounts: []ledger.Account{1001}, Columns: format.columns}
	take := func(b *testing.B, l *store.Ledger) banking.Import {
		file, err := bank.OpenFile(path)
		if err != nil {
			b.Fatal(err)
		}
		taken, _, err := othersides.TakeInStatements(b.Context(), l, &othersides.StatementFile{
			File: file, Name: "extrato", Accounts: []bank.Account{account}, Actor: "a", At: day("2027-01-01").Time(), Calendar: days,
		})
		if err != nil || len(taken) != 1 || file.Close() != nil {
			b.Fatal(taken, err)
		}
		return taken[0].Import
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

// benchFormat is how a statement of a benchmark is written.
type benchFormat struct {
	name    string
	columns *columns.Map
	head    string
	row     func(w io.Writer, i int, r *benchRow)
	end     func(w io.Writer, balance ledger.Amount)
}

// benchRow is a row of such a statement. Its balance is that after it.
type benchRow struct {
	day             ledger.Date
	amount, balance ledger.Amount
	text            string
}

var (
	ofxBench = benchFormat{
		name: "ofx",
		head: "<OFX><SIGNONMSGSRSV1><SONRS><DTSERVER>20270101080000</SONRS></SIGNONMSGSRSV1>\r\n<BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>BRL" +
			"<BANKACCTFROM><BANKID>0341<ACCTID>1234123456</BANKACCTFROM>\r\n<BANKTRANLIST><DTSTART>20260101<DTEND>20261231\r\n",
		row: func(w io.Writer, i int, r *benchRow) {
			_, _ = fmt.Fprintf(w, "<STMTTRN><TRNTYPE>CREDIT<DTPOSTED>%s120000<TRNAMT>%s<FITID>%012d<CHECKNUM>%d<MEMO>%s</STMTTRN>\r\n",
				r.day.Compact(), r.amount.Fixed(2), i, i, r.text)
		},
		end: func(w io.Writer, balance ledger.Amount) {
			_, _ = fmt.Fprintf(w, "</BANKTRANLIST><LEDGERBAL><BALAMT>%s<DTASOF>20261231</LEDGERBAL></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>\r\n", balance.Fixed(2))
		},
	}
	csvBench = benchFormat{
		name: "csv",
		columns: &columns.Map{
			Delimiter: ";", Encoding: "auto", Date: "Data", DateLayout: "yyyy-mm-dd", Amount: "Valor", Decimal: ".", Text: []string{"Histórico"}, Document: "Docto", Balance: "Saldo",
		},
		head: "Data;Histórico;Docto;Valor;Saldo\n",
		row: func(w io.Writer, i int, r *benchRow) {
			_, _ = fmt.Fprintf(w, "%s;%s;%d;%s;%s\n", r.day, r.text, i, r.amount.Fixed(2), r.balance.Fixed(2))
		},
	}
	jsonBench = benchFormat{
		name: "jsonl",
		columns: &columns.Map{
			Encoding: "auto", Date: "data", DateLayout: "yyyy-mm-dd", Amount: "valor.reais", Decimal: ".", Text: []string{"texto"}, Document: "docto", Balance: "saldo",
		},
		row: func(w io.Writer, i int, r *benchRow) {
			_, _ = fmt.Fprintf(w, `{"data":"%s","texto":"%s","docto":"%d","valor":{"reais":%s},"saldo":%s}`+"\n", r.day, r.text, i, r.amount.Fixed(2), r.balance.Fixed(2))
		},
	}
	openFinanceBench = benchFormat{
		name:    "open_finance",
		columns: &columns.Map{Preset: columns.OpenFinance},
		head:    `{"data":[`,
		row: func(w io.Writer, i int, r *benchRow) {
			if i > 0 {
				_, _ = io.WriteString(w, ",\n")
			}
			_, _ = fmt.Fprintf(w, `{"transactionId":"T%d","completedAuthorisedPaymentType":"TRANSACAO_EFETIVADA","creditDebitType":"CREDITO","transactionName":"%s","type":"PIX",`+
				`"transactionAmount":{"amount":"%s00","currency":"BRL"},"transactionDateTime":"%sT10:30:00.000Z","partieCnpjCpf":"12345678000195"}`, i, r.text, r.amount.Fixed(2), r.day)
		},
		end: func(w io.Writer, _ ledger.Amount) { _, _ = io.WriteString(w, `],"links":{},"meta":{}}`) },
	}
)

// listBenchRows are the rows of a year, in order of time.
func listBenchRows(rows int) iter.Seq[benchRow] {
	return func(yield func(benchRow) bool) {
		first := day("2026-01-01")
		for i := range rows {
			r := benchRow{
				day: first + ledger.Date(i*365/rows), amount: ledger.FromCents(int64(100 + i*7919%1_000_000)),
				text: fmt.Sprintf("PIX RECEBIDO CLIENTE %d LOJA %d", i%50_000, i%7),
			}
			if !yield(r) {
				return
			}
		}
	}
}

// writeBenchStatement writes a statement of some rows into a file, and completes their balances.
func writeBenchStatement(b *testing.B, format benchFormat, rows iter.Seq[benchRow]) (path string) {
	path = filepath.Join(b.TempDir(), "extrato")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(f)
	_, _ = w.WriteString(format.head)
	i, balance := 0, ledger.Amount(0)
	for r := range rows {
		balance += r.amount
		r.balance = balance
		format.row(w, i, &r)
		i++
	}
	if format.end != nil {
		format.end(w, balance)
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	return path
}
