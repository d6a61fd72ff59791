//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"concilia/cmd/concilia/exit"
	"concilia/store/ledger"
	"concilia/store/storetest"
)

// BenchmarkWorkers backfills twelve accounts from a service that takes 200 ms to answer, with one process that leads and
// works, and with two more workers, each with one request in flight at a time. rows/s is of the pulling, by the run's
// record: what begins and ends a run is not shared out.
func BenchmarkWorkers(b *testing.B) {
	dir := b.TempDir()
	if out, err := exec.Command("go", "build", "-o", dir, "concilia/cmd/concilia").CombinedOutput(); err != nil {
		b.Fatalf("go build: %v\n%s", err, out)
	}
	server := storetest.Postgres(b)
	farFirst, farToday := farRange()
	alone := 0.0 // rows/s of one process, the last time
	for _, processes := range []int{1, 3} {
		b.Run(fmt.Sprint(processes), func(b *testing.B) {
			for range b.N {
				b.StopTimer()
				m, service := newFar(b, filepath.Join(dir, "concilia"), server)
				if code, out := m.run(b, "migrate"); code != exit.OK {
					b.Fatalf("migrate ended with %d:\n%s", code, out)
				}
				var workers []*process
				for range processes - 1 {
					workers = append(workers, m.startWorker(b, "--parallel", "1"))
				}
				b.StartTimer()
				code, out := m.run(b, "backfill", "--from", farFirst.String(), "--to", (farToday - 1).String(), "--source", "cards", "--workers", "1", "--rate", "1000")
				b.StopTimer()
				if code != exit.OK && code != jobsIncomplete {
					b.Fatalf("backfill ended with %d:\n%s", code, out)
				}
				b.Log(out)
				rows := float64(service.count(farToday) * farAccounts)
				speed := rows / m.pulling(b)
				b.ReportMetric(speed, "rows/s")
				if processes == 1 {
					alone = speed
				} else if alone > 0 {
					b.ReportMetric(speed/alone, "three/one")
				}
				b.ReportMetric(rows/b.Elapsed().Seconds()*float64(b.N), "whole-rows/s")
				for worker, n := range m.units(b) {
					b.Logf("%s: %d units", worker, n)
				}
				for _, w := range workers {
					if err := w.cmd.Process.Signal(syscall.SIGTERM); err != nil || w.wait(b) != exit.OK {
						b.Errorf("a worker ended badly: %v\n%s", err, w.said())
					}
				}
				b.StartTimer()
			}
		})
	}
}

// pulling is how many seconds the last run spent asking and keeping.
func (m *shared) pulling(b *testing.B) float64 {
	b.Helper()
	code, out := m.run(b, "--json", "runs", "show", "last")
	if code != exit.OK {
		b.Fatalf("runs show last ended with %d:\n%s", code, out)
	}
	return stepsOf(b, []byte(out))["pull"]
}

// steps are the seconds of a run's steps, as its record has them.
type steps map[string]float64

// stepsOf reads the steps of a record that runs show printed as JSON.
func stepsOf(t testing.TB, out []byte) steps {
	t.Helper()
	var record struct {
		Steps []struct {
			Step    string
			Seconds float64
		}
	}
	if err := json.Unmarshal(out, &record); err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	s := steps{}
	for _, step := range record.Steps {
		s[step.Step] += step.Seconds
	}
	return s
}

const (
	farAccounts = 12
	farDays     = 20
	farLatency  = 200 * time.Millisecond
)

// farRange is the days of the backfill, and the morning of it.
func farRange() (first, today ledger.Date) {
	today = ledger.NewDate(2026, 11, 18)
	return today - farDays, today
}

// newFar is a configuration of twelve accounts, whose service is far away.
func newFar(b *testing.B, program, server string) (*shared, *bigService) {
	b.Helper()
	farFirst, farToday := farRange()
	service, _ := newBigService(b, 303, farFirst, farToday)
	far := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		time.Sleep(farLatency)
		service.ServeHTTP(rw, r)
	}))
	b.Cleanup(far.Close)
	m := &shared{program: program, dir: b.TempDir(), dsn: storetest.Schema(b, server)}
	accounts := ""
	for i := range farAccounts {
		accounts += "  - {number: " + strconv.Itoa(1001+i) + ", name: Loja, since: " + farFirst.String() + "}\n"
	}
	m.write(b, fmt.Sprintf(`ledger: {dsn: %q}
service: {gateway_url: %s/gateway, integration_url: %s/integration, user_name: demo, requests_per_second: 1000}
reports: {out: %q, archive: %q, kinds: [summary, control], formats: [csv], basis: [operation]}
accounts:
%s`, m.dsn, far.URL, far.URL, filepath.Join(m.dir, "reports"), filepath.Join(m.dir, "archive"), accounts))
	if err := os.WriteFile(filepath.Join(m.dir, "contract.yaml"), []byte(bigContract), 0o600); err != nil {
		b.Fatal(err)
	}
	return m, service
}
