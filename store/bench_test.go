package store_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"concilia/store"
	"concilia/store/ledger"
)

// The benchmarks of the ledger's speed: BenchmarkSQLite, BenchmarkPostgres, BenchmarkReconcile. Run one with
// -benchtime 1x; CONCILIA_BENCH_ROWS says of how many installments, in windows of a day of some 10,000.
const (
	benchRowsEnv = "CONCILIA_BENCH_ROWS"
	benchDay     = 10_000
	benchRounds  = 5
)

func benchRows(b *testing.B) int {
	text := os.Getenv(benchRowsEnv)
	if text == "" {
		return 100_000
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		b.Fatalf("%s=%q: a count of rows", benchRowsEnv, text)
	}
	return n
}

// benchWindow is the answer to a day of n installments, like the service's: sales of 1 to 12 installments in no
// order, two splits on every third. Every changed-th row (0 is none) has been received since.
func benchWindow(day ledger.Date, n, changed int) []ledger.Installment {
	rows := make([]ledger.Installment, 0, n)
	for s := 0; len(rows) < n; s++ {
		count := min(1+s*7%12, n-len(rows))
		// A step that shares no factor with their number visits all the numbers out of order.
		nsu, auth := fmt.Sprintf("%09d", s*7919%100_003), fmt.Sprintf("%06d", s*104_729%1_000_003)
		total := ledger.Amount(100_00+s%50_000) * ledger.Cent
		for k := range count {
			gross := total / ledger.Amount(count)
			rows = append(rows, ledger.Installment{
				Account: 1, SoldAt: ledger.LocalTimeOf(day.Time().Add(time.Duration(s)*time.Second), time.UTC),
				Terminal: "T0000001", Card: "411111******1111", CardType: "CREDIT", CardName: "VISA", Auth: auth, NSU: nsu,
				Number: k + 1, Count: count, Gross: gross, SaleTotal: ledger.Some(total), Status: "Authorized",
				MDR: ledger.Some(gross / 40), MDRRate: ledger.Some(ledger.Rate(2_340_000)), Fee: ledger.Some(10 * ledger.Cent),
				SaleFee: ledger.Some(10 * ledger.Cent), Antifraud: ledger.Some(30 * ledger.Cent),
				SaleAntifraud: ledger.Some(30 * ledger.Cent), Forecast: day + ledger.Date(30*(k+1)), ReceivedType: "Normal",
				ReceivedStatus: "Pending", Reference: fmt.Sprintf("order-%010d", s),
				WebPaymentID: fmt.Sprintf("a3f1c2d4-0000-4000-8000-%012d", s),
			})
			r := &rows[len(rows)-1]
			if s%3 == 0 {
				for _, beneficiary := range []string{"12345678000195", "98765432000198"} {
					r.Splits = append(r.Splits, ledger.Split{
						Beneficiary: beneficiary, Type: "PERCENT", Pct: ledger.Some(ledger.Rate(10_000_000)),
						Base: ledger.Some(gross), Value: ledger.Some(gross / 10),
					})
				}
			}
			if changed > 0 && len(rows)%changed == 0 {
				r.Received, r.Effective, r.ReceivedStatus = ledger.Some(gross), r.Forecast, "Received"
			}
		}
	}
	return rows
}

// benchLoad merges n rows, as many windows at a time as abreast says, and says how long the merges took; making the rows
// does not count.
func benchLoad(b *testing.B, l *store.Ledger, pull string, n, changed, abreast int) (took time.Duration) {
	b.Helper()
	for day := ledger.NewDate(2026, 1, 1); n > 0; {
		var pulls []*ledger.Pull
		var answers [][]ledger.Installment
		for ; len(pulls) < abreast && n > 0; day++ {
			answers = append(answers, benchWindow(day, min(n, benchDay), changed))
			n -= len(answers[len(answers)-1])
			pulls = append(pulls, &ledger.Pull{
				ID: fmt.Sprint(pull, day), Run: "r", Complete: true, Began: day.Time(), Ended: day.Time(), AsOf: day, On: day + 1,
				Window: ledger.Window{Account: 1, Source: ledger.Cards, Period: ledger.Period{From: day, To: day}},
			})
		}
		started := time.Now()
		var group errgroup.Group
		for i := range pulls {
			group.Go(func() error { return l.MergeInstallments(b.Context(), pulls[i], answers[i], nil) })
		}
		if err := group.Wait(); err != nil {
			b.Fatal(err)
		}
		took += time.Since(started)
	}
	return took
}

// benchCases loads a new ledger, loads it again unchanged, and again with every hundredth row changed.
func benchCases(b *testing.B, dsn string, n, abreast int) (first, same, changed time.Duration) {
	b.Helper()
	l := benchLedger(b, dsn)
	first = benchLoad(b, l, "first", n, 0, abreast)
	same = benchLoad(b, l, "same", n, 0, abreast)
	changed = benchLoad(b, l, "changed", n, 100, abreast)
	if err := l.Close(); err != nil {
		b.Fatal(err)
	}
	return first, same, changed
}

func benchLedger(b *testing.B, dsn string) *store.Ledger {
	b.Helper()
	l, err := store.Open(b.Context(), dsn)
	if err != nil {
		b.Fatal(err)
	}
	if _, _, err := l.Migrate(b.Context()); err != nil {
		b.Fatal(err)
	}
	if _, err := l.LeaseAccounts(b.Context(), "r", []ledger.Account{1}, time.Hour); err != nil {
		b.Fatal(err)
	}
	return l
}

// series are the figures of one case, round by round.
type series struct {
	name string
	all  []time.Duration
}

func (s *series) add(d time.Duration) { s.all = append(s.all, d) }

func (s *series) median() time.Duration { return slices.Sorted(slices.Values(s.all))[len(s.all)/2] }

// report prints every figure and the median, and gives the median as a metric of the benchmark.
func (s *series) report(b *testing.B, n int) {
	b.Logf("%-10s %v, median %v: %.0f rows/s", s.name, s.all, s.median(), float64(n)/s.median().Seconds())
	b.ReportMetric(float64(n)/s.median().Seconds(), s.name+"-rows/s")
}

// machineLoad is the load of the machine, where it says so.
func machineLoad() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(text))
}

// BenchmarkSQLite measures the three cases on SQLite, every commit synced.
func BenchmarkSQLite(b *testing.B) {
	n := benchRows(b)
	for b.Loop() {
		first, same, changed := series{name: "first"}, series{name: "same"}, series{name: "changed"}
		b.Logf("%d rows, load before %s", n, machineLoad())
		for range benchRounds {
			dir, err := os.MkdirTemp(b.TempDir(), "round")
			if err != nil {
				b.Fatal(err)
			}
			f, s, c := benchCases(b, "sqlite:"+filepath.Join(dir, "ledger.db"), n, 1)
			first.add(f)
			same.add(s)
			changed.add(c)
			if err := os.RemoveAll(dir); err != nil {
				b.Fatal(err)
			}
		}
		b.Logf("load after %s", machineLoad())
		for _, s := range []*series{&first, &same, &changed} {
			s.report(b, n)
		}
	}
}

// BenchmarkReconcile streams every sale of a ledger on SQLite and writes an expectation of each row, twice.
func BenchmarkReconcile(b *testing.B) {
	n := benchRows(b)
	for b.Loop() {
		l := benchLedger(b, "sqlite:"+filepath.Join(b.TempDir(), "ledger.db"))
		benchLoad(b, l, "first", n, 0, 1)
		benchReconcile(b, l, n, "first")
		benchReconcile(b, l, n, "again")
		if err := l.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func benchReconcile(b *testing.B, l *store.Ledger, n int, what string) {
	started := time.Now()
	r, err := l.BeginReconcile(b.Context(), &ledger.Run{ID: "r"}, 1)
	if err != nil {
		b.Fatal(err)
	}
	err = l.Sales(b.Context(), 1, func(s *ledger.Sale) error {
		for _, h := range s.Rows {
			cur := h.Current()
			err := r.ReplaceExpectation(&ledger.Expectation{
				Key: cur.Key(), Version: cur.Version, Class: ledger.Open, Brand: "visa", Net: cur.Gross,
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err = cmp.Or(err, r.Commit()); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(n)/time.Since(started).Seconds(), what+"-rows/s")
}
