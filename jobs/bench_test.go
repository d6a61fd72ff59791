package jobs_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"testing"
	"time"

	"concilia/jobs"
	"concilia/jobs/agreements"
	"concilia/jobs/calendar"
	"concilia/jobs/reconcile"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/storetest"
)

// BenchmarkReconcile is the rules end to end: rows stream from the ledger with what is expected of them, are evaluated, and
// findings, expectations and sums are written. first: all are new. full: all are evaluated again and nothing is another.
// night: the next morning, when some of them fall due. CONCILIA_BENCH_ROWS installments (100,000) of three a sale, one in
// fifty short by a real; CONCILIA_BENCH_DB is sqlite (the default) or postgres. The microseconds a row are of this process
// on all cores, which a busy machine changes least.
func BenchmarkReconcile(b *testing.B) {
	rows := 100_000
	if n, err := strconv.Atoi(os.Getenv("CONCILIA_BENCH_ROWS")); err == nil {
		rows = n
	}
	for b.Loop() {
		benchmarkReconcile(b, rows)
	}
}

func benchmarkReconcile(b *testing.B, rows int) {
	server, dsn := "", "sqlite:"+filepath.Join(b.TempDir(), "l.db")
	if os.Getenv("CONCILIA_BENCH_DB") == "postgres" {
		dsn = storetest.Schema(b, storetest.Postgres(b))
		server = serverOf(b, dsn)
	}
	l, err := store.Open(b.Context(), dsn)
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	if _, _, err := l.Migrate(b.Context()); err != nil {
		b.Fatal(err)
	}
	w := benchWorker(b, l)
	began := storyBegins + 40
	run := func(tail string, asOf ledger.Date) *ledger.Run {
		r := &ledger.Run{
			ID: ledger.RunID(asOf.Time().Add(time.Hour), tail), Kind: ledger.Nightly, AsOf: asOf, Began: asOf.Time(), Accounts: []ledger.Account{1001},
		}
		if err := l.BeginRun(b.Context(), r); err != nil {
			b.Fatal(err)
		}
		return r
	}
	first := run("a", began)
	judge := func(what string, r *ledger.Run, full bool) {
		w.Inputs.Full = full
		lease, err := l.LeaseAccounts(b.Context(), r.ID, r.Accounts, time.Hour)
		if err != nil {
			b.Fatal(err)
		}
		defer func() { _ = lease.Release(b.Context()) }()
		if r.ID == first.ID {
			benchPull(b, l, r, rows)
			if err := l.AnalyzeTables(b.Context(), int64(rows), 0); err != nil {
				b.Fatal(err)
			}
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		started, used, served := time.Now(), cpuTime("self"), serverTime(server)
		var result reconcile.Result
		pprof.Do(b.Context(), pprof.Labels("judge", what), func(ctx context.Context) { result, err = w.ReconcileIn(ctx, r) })
		if err != nil {
			b.Fatal(err)
		}
		if err := l.AnalyzeTables(b.Context(), 0, result.ChangedExpectations); err != nil {
			b.Fatal(err)
		}
		took := time.Since(started)
		runtime.ReadMemStats(&after)
		n := float64(result.Installments)
		b.ReportMetric(n/took.Seconds(), what+"-rows/s")
		b.ReportMetric(float64(after.Mallocs-before.Mallocs)/max(n, 1), what+"-allocs/row")
		b.ReportMetric(float64((cpuTime("self")-used).Microseconds())/max(n, 1), what+"-cpu-µs/row")
		if pg := serverTime(server) - served; pg > 0 {
			b.ReportMetric(float64(pg.Microseconds())/max(n, 1), what+"-server-µs/row")
		}
		b.Logf("%s: %d rows in %s, %s, %v", what, result.Installments, took.Round(time.Millisecond), result.Verdict, result.Counts)
	}
	judge("first", first, false)
	judge("full", run("b", began), true)
	judge("night", run("c", began+1), false)
}

// cpuTime is what a process, and the children it has waited for, have used of all cores, to a hundredth of a second; 0
// where /proc does not tell.
func cpuTime(pid string) time.Duration {
	const tick, user, children = 10 * time.Millisecond, 11, 15 // the fields are counted from behind the name
	text, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	var ticks time.Duration
	for _, field := range fields[user:children] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0
		}
		ticks += time.Duration(n)
	}
	return ticks * tick
}

// serverOf is the id of the process that began those of the connections to dsn; it says something only on this machine.
func serverOf(b *testing.B, dsn string) string {
	db, err := sql.Open("pgx", storetest.Unpooled(b, dsn))
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	var backend string
	if err := db.QueryRowContext(b.Context(), "SELECT CAST(pg_backend_pid() AS TEXT)").Scan(&backend); err != nil {
		b.Fatal(err)
	}
	text, _ := os.ReadFile("/proc/" + backend + "/stat")
	if fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:])); len(fields) > 1 {
		return fields[1]
	}
	return ""
}

// serverTime is what the server that has a process for the ledger has used of all cores with all its processes; 0 where
// there is none here.
func serverTime(server string) time.Duration {
	all := cpuTime(server)
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		if fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:])); fields[1] == server {
			all += cpuTime(filepath.Base(filepath.Dir(file)))
		}
	}
	return all
}

func benchWorker(b *testing.B, l *store.Ledger) *jobs.Worker {
	contracts, err := agreements.ParseContracts("contract.yaml", []byte(storyContract))
	if err != nil {
		b.Fatal(err)
	}
	cal, err := calendar.New(calendar.Options{})
	if err != nil {
		b.Fatal(err)
	}
	w := &jobs.Worker{
		Ledger: l, Accounts: []jobs.Account{{Number: 1001, Since: storyBegins + 39}}, Zone: time.UTC, Wall: time.Now, ProgramVersion: "bench",
		Progress: jobs.Silent{}, Now: time.Now,
	}
	w.Inputs.Contracts, w.Inputs.Mapping, w.Inputs.Profile = contracts, agreements.DefaultMapping(), agreements.DefaultProfile()
	w.Inputs.Calendar = func(ledger.Account) *calendar.Calendar { return cal }
	return w
}

// benchPull fills forty days with sales of three installments; those due by now are received.
func benchPull(b *testing.B, l *store.Ledger, run *ledger.Run, rows int) {
	const days, count = 40, 3
	cal, err := calendar.New(calendar.Options{})
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	for d := range ledger.Date(days) {
		day := storyBegins + d
		var all []ledger.Installment
		for sales := rows/count/days + int(d)*7%13; sales > 0; n++ {
			k := n%count + 1
			if k == count {
				sales--
			}
			i := ledger.Installment{
				Account: 1001, SoldAt: ledger.LocalTimeOf(day.Time().Add(time.Duration(n/count%86_000)*time.Second), time.UTC), Terminal: "T0000001",
				Card: fmt.Sprintf("411111******%04d", n/count%10_000), CardType: "CREDIT", CardName: "VISA", NSU: fmt.Sprintf("%09d", n/count), Auth: "A00001",
				Number: k, Count: count, Gross: 100 * ledger.Real, SaleTotal: ledger.Some(300 * ledger.Real), Status: "Autorizada",
				MDR: ledger.Some(250 * ledger.Cent), MDRRate: ledger.Some(ledger.Rate(2_500_000)), Fee: ledger.Some(10 * ledger.Cent),
				SaleFee: ledger.Some(30 * ledger.Cent), Antifraud: ledger.Some(30 * ledger.Cent), SaleAntifraud: ledger.Some(90 * ledger.Cent),
				Forecast: cal.NextBusinessDay(calendar.Settles, day+ledger.Date(2*k)), Reference: "order-000001",
			}
			if i.Forecast < run.AsOf-1 {
				i.Effective, i.Received, i.ReceivedStatus = i.Forecast, ledger.Some(9_710*ledger.Cent), "Pago"
				if n%50 == 0 {
					i.Received = ledger.Some(9_610 * ledger.Cent)
				}
			}
			all = append(all, i)
		}
		p := &ledger.Pull{
			ID: fmt.Sprintf("%s-%04d", run.ID, d), Run: run.ID, Complete: true, AsOf: run.AsOf, On: run.AsOf, Began: run.Began, Ended: run.Began,
			Window: ledger.Window{Account: 1001, Source: ledger.Cards, Period: ledger.Period{From: day, To: day}},
		}
		if err := l.MergeInstallments(b.Context(), p, all, nil); err != nil {
			b.Fatal(err)
		}
	}
}
