//go:build linux

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"concilia/store/ledger"
	"concilia/store/storetest"
)

// TestMemoryOfANight runs first nights of the built program on each database and holds the most memory it ever had:
// below 200 MiB, and hardly more for four times the rows. CONCILIA_BIG_ROWS names two sizes, such as
// 1000000,4000000; without it the sizes are small and only what is found is checked.
func TestMemoryOfANight(t *testing.T) {
	sizes, measured := []int{600, 2_400}, false
	if text, ok := os.LookupEnv("CONCILIA_BIG_ROWS"); ok {
		measured = true
		for i, s := range strings.SplitN(text, ",", len(sizes)) {
			n, err := strconv.Atoi(s)
			if err != nil {
				t.Fatalf("CONCILIA_BIG_ROWS: %v", err)
			}
			sizes[i] = n
		}
	} else {
		t.Parallel()
	}
	const limit, growth = 200 << 10, 1.10 // KiB; ratio
	for _, db := range []string{"sqlite", "postgres"} {
		t.Run(db, func(t *testing.T) {
			var peaks [2]int64
			for i, rows := range sizes {
				b := newBigNight(t, db, rows, 9_999)
				r := b.run(t)
				if r.New != b.rows {
					t.Errorf("%d new rows, should be %d", r.New, b.rows)
				}
				peaks[i] = r.peak
				t.Logf("%s: a night of %d rows: %s, at most %d MiB", db, b.rows, r.took.Round(time.Second), r.peak>>10)
				if measured && r.peak > limit {
					t.Errorf("%d rows take %d MiB, should be below 200", rows, r.peak>>10)
				}
			}
			if measured && float64(peaks[1]) > growth*float64(peaks[0]) {
				t.Errorf("%d rows take %d KiB, %d rows %d KiB: memory grows with rows", sizes[1], peaks[1], sizes[0], peaks[0])
			}
		})
	}
}

// TestNightIntoAFullLedger is run by hand, with CONCILIA_BIG_LEDGER=10000000: it fills a ledger with so many rows, then
// times the next nights from pull to reconciled, each next to a night that pulls as many rows into an empty ledger. It
// needs some gigabytes and minutes.
func TestNightIntoAFullLedger(t *testing.T) {
	rows, err := strconv.Atoi(os.Getenv("CONCILIA_BIG_LEDGER"))
	if err != nil {
		t.Skip("CONCILIA_BIG_LEDGER names no number of rows: this is run by hand")
	}
	const perDay, pairs = 19_998, 3
	for _, db := range []string{"sqlite", "postgres"} {
		t.Run(db, func(t *testing.T) {
			full := newBigNight(t, db, rows, perDay)
			filled := full.run(t)
			t.Logf("filled with %d rows in %s, at most %d MiB", filled.New, filled.took.Round(time.Second), filled.peak>>10)
			for range pairs {
				full.morrow()
				next := full.run(t)
				empty := newBigNight(t, db, next.Rows, perDay).run(t)
				t.Logf("%d rows pulled, %d new, %d changed into the full ledger: %s, at most %d MiB; "+
					"%d rows into an empty one: %s; ratio %.2f; the whole nights, publication included, took %s and %s, ratio %.2f",
					next.Rows, next.New, next.Changed, next.steps, next.peak>>10, empty.New, empty.steps,
					next.steps.reconciled()/empty.steps.reconciled(),
					next.took.Round(10*time.Millisecond), empty.took.Round(10*time.Millisecond), next.took.Seconds()/empty.took.Seconds())
			}
			if load, err := os.ReadFile("/proc/loadavg"); err == nil {
				t.Logf("load %s", load)
			}
		})
	}
}

// reconciled is from pull to reconciled, in seconds.
func (s steps) reconciled() float64 { return s["pull"] + s["confirm"] + s["reconcile"] }

func (s steps) String() string {
	return fmt.Sprintf("pull %.1f s, reconcile %.1f s", s["pull"]+s["confirm"], s["reconcile"])
}

// steps of the run that ended last.
func (b *bigNight) steps(t testing.TB) steps {
	t.Helper()
	out, err := exec.Command(b.program, "--config", filepath.Join(b.dir, "concilia.yaml"), "--json", "runs", "show", "last").Output()
	if err != nil {
		t.Fatal(err)
	}
	return stepsOf(t, out)
}

// bigNight is a merchant of many rows: a service, a configuration and a ledger of its own.
type bigNight struct {
	service *bigService
	dir     string
	program string
	today   ledger.Date
	rows    int
	cores   int // that the program may use; 0: all
}

// newBigNight sets up an account whose first night finds about so many rows on so many a day, on sqlite, on a postgres of its own, or at
// the address of a database. Its reports are CSV, or of the formats that
// CONCILIA_BENCH_FORMATS lists.
func newBigNight(t testing.TB, db string, rows, perDay int) *bigNight {
	t.Helper()
	today := ledger.NewDate(2026, 11, 18)
	perDay = min(perDay, rows/2)
	days := (rows + perDay/2) / perDay
	b := &bigNight{dir: t.TempDir(), program: build(t).concilia, today: today}
	var url string
	b.service, url = newBigService(t, perDay, today-ledger.Date(days), today)
	b.rows = b.service.count(today)
	dsn := "sqlite:" + filepath.Join(b.dir, "concilia.db")
	switch {
	case db == "postgres":
		dsn = storetest.FreshPostgres(t)
	case db != "sqlite":
		dsn = db
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("contract.yaml", bigContract)
	write("concilia.yaml", fmt.Sprintf(`ledger: {dsn: %q}
service: {gateway_url: %s/gateway, integration_url: %s/integration, user_name: demo, requests_per_second: 1000}
accounts:
  - {number: 1001, name: Loja, since: %s, document: "11222333000181", bank: {code: "001", branch: "1234", branch_digit: "5", account: "567890", account_digit: "1", agreement: "1234567", name: BANCO DO BRASIL}}
contract: contract.yaml
reports: {out: %q, archive: %q, kinds: [summary, installments, control], formats: [%s], basis: [operation]}
`, dsn, url, url, b.service.first, filepath.Join(b.dir, "reports"), filepath.Join(b.dir, "archive"), cmp.Or(os.Getenv("CONCILIA_BENCH_FORMATS"), "csv")))
	return b
}

// morrow is the next morning.
func (b *bigNight) morrow() {
	b.today++
	b.service.pass(1)
}

// measuredRun is what a run of the program said, and what it took.
type measuredRun struct {
	Rows, New, Changed, Quarantined int

	took  time.Duration
	cpu   time.Duration // of the process on all cores
	steps steps
	peak  int64 // most memory, in KiB
}

// run runs the night of this morning. It must find every row right.
func (b *bigNight) run(t testing.TB) measuredRun {
	t.Helper()
	cmd := exec.Command(b.program, "--config", filepath.Join(b.dir, "concilia.yaml"), "--json", "run")
	cmd.Env = append(os.Environ(), "CONCILIA_SERVICE_PASSWORD=big", "CONCILIA_CLOCK="+b.today.String()+"T06:00:00-03:00")
	if b.cores > 0 {
		cmd.Env = append(cmd.Env, "GOMAXPROCS="+strconv.Itoa(b.cores))
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	began := time.Now()
	out, err := cmd.Output()
	took := time.Since(began)
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out, stderr.String())
	}
	if _, timed := t.(*testing.B); !timed { // of a benchmark ten lines are printed: its figures
		t.Log(stderr.String())
	}
	var summary struct {
		Pulled   measuredRun
		Findings map[string]int
	}
	if err := json.Unmarshal(out, &summary); err != nil {
		t.Fatal(err)
	}
	r := summary.Pulled
	if len(summary.Findings) > 0 || r.Quarantined > 0 {
		t.Errorf("found %v, %d rows quarantined: every row is right", summary.Findings, r.Quarantined)
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		t.Fatal("no resource usage on this system")
	}
	r.took, r.peak, r.steps = took, usage.Maxrss, b.steps(t)
	r.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return r
}
