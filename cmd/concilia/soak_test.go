package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/cmd/concilia/exit"
	"concilia/jobs"
)

// TestSoak runs nights side by side in two worlds that are alike. In one nobody disturbs them. In the other the service
// fails at random in every way that its client can notice, and the worker is killed at random moments and started
// again until its night ends. After each night both must have come to the same: verdict, rows, cases and reports.
//
// Faults that look like good answers (rows left out, twice, or from another day) are left out here: what the service
// says without an error is what the ledger keeps, and rules of their own judge it.
//
// CONCILIA_LONG=1 makes it thirty nights of a seed of their own with every format of reports; CONCILIA_SOAK_SEED and
// CONCILIA_SOAK_NIGHTS repeat one, and CONCILIA_SOAK_KEEP is where two worlds go that differ.
func TestSoak(t *testing.T) {
	t.Parallel()
	soak(t, 3, func(dir string) string { return "sqlite:" + filepath.ToSlash(dir) + "/concilia.db" })
}

// soak lives so many nights, or those of the long mode, on ledgers of their own.
func soak(t *testing.T, nights int, dsn func(dir string) string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a killed process cannot be told from one that ended there")
	}
	seed, formats := 1, "csv, jsonl"
	if os.Getenv("CONCILIA_LONG") == "1" {
		nights, seed, formats = 30, os.Getpid(), "csv, csv-br, jsonl, xlsx, html, edi"
	}
	nights, seed = number(t, "CONCILIA_SOAK_NIGHTS", nights), number(t, "CONCILIA_SOAK_SEED", seed)
	t.Logf("CONCILIA_SOAK_SEED=%d CONCILIA_SOAK_NIGHTS=%d", seed, nights)

	built := build(t)
	world := []string{"--seed", strconv.Itoa(seed), "--as-of", soakStart, "--days", "10", "--days-ahead", strconv.Itoa(nights + 1)}
	calm := newSoaked(t, built, world, formats, dsn)
	wild := newSoaked(t, built, append(world, "--fault-rate", "0.05", "--fault-seed", strconv.Itoa(seed)), formats, dsn)
	chance := rand.New(rand.NewPCG(uint64(seed), 2)) //nolint:gosec // a seed below zero is one too
	last := 0
	for n := range nights {
		began := time.Now()
		want, out := calm.start(t, n, 0)
		if want != exit.OK && want != jobs.ExitWarnings && want != exit.Breaks {
			t.Fatalf("night %d of the calm world ended with %d:\n%s", n, want, out)
		}
		if got := wild.endure(t, n, time.Since(began), chance); got != want {
			t.Fatalf("night %d ended with %d, and with %d where nobody disturbed it", n, got, want)
		}
		last = want
		if diff := cmp.Diff(calm.state(t, n), wild.state(t, n)); diff != "" {
			keep(t, "calm", calm)
			keep(t, "wild", wild)
			t.Fatalf("night %d: undisturbed (-) and disturbed (+) differ:\n%s", n, diff)
		}
	}
	calm.whole(t, nights-1, last)
	wild.whole(t, nights-1, last)
	t.Logf("%d kills, %d nights begun again after a failure, faults %v", wild.kills, wild.again, wild.faults(t))
	if wild.kills == 0 || len(wild.faults(t)) < 3 {
		t.Error("nothing disturbed the nights: this proves nothing")
	}
}

// keep copies what a world has left to the folder CONCILIA_SOAK_KEEP, where there is one: its own goes with the test.
func keep(t *testing.T, name string, s *soaked) {
	t.Helper()
	if dir := os.Getenv("CONCILIA_SOAK_KEEP"); dir != "" {
		if err := copyTree(filepath.Join(dir, name), s.dir); err != nil {
			t.Error(err)
		}
	}
}

// soakStart is the morning of the first night.
const soakStart = "2026-11-05"

// number is a variable of the environment, or a default.
func number(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// soaked is one of the two worlds: a service as a process, and what the worker keeps of it.
type soaked struct {
	built   binaries
	service *sandbox
	dir     string
	dsn     string // of the ledger
	fatal   string // the step after which the next command dies; empty: none
	kills   int
	again   int // nights that ended incomplete or refused, and were begun again
}

const soakConfig = `
ledger: {dsn: "%[4]s"}
service: {gateway_url: %[2]s, integration_url: %[3]s, user_name: demo, requests_per_second: 1000}
accounts:
  - {number: 1001, since: 2026-10-27, name: Loja Centro, document: "11222333000181", bank: {code: "001", branch: "1234", branch_digit: "5", account: "567890", account_digit: "1", agreement: "1234567", name: BANCO DO BRASIL}}
  - {number: 1002, since: 2026-10-27, name: Loja Norte, document: "11444777000161", bank: {code: "237", branch: "4321", branch_digit: "0", account: "98765", account_digit: "4", agreement: "7654321", name: BRADESCO}}
plan: {slips_due_back: 5, slips_due_forward: 10}
reports: {out: "%[1]s/reports", archive: "%[1]s/archive", formats: [%[5]s]}
metrics: {listen: ""}
`

func newSoaked(t *testing.T, built binaries, world []string, formats string, dsn func(dir string) string) *soaked {
	t.Helper()
	service, err := sandboxProcess(built.sandbox, world)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(service.stop)
	s := &soaked{built: built, service: service, dir: t.TempDir()}
	s.dsn = dsn(s.dir)
	text := fmt.Appendf(nil, soakConfig, filepath.ToSlash(s.dir), service.gateway, service.integration, s.dsn, formats)
	if err := os.WriteFile(filepath.Join(s.dir, "concilia.yaml"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

// morning is the business time of night n.
func morning(t *testing.T, n int) time.Time {
	t.Helper()
	first, err := time.Parse(time.DateOnly, soakStart)
	if err != nil {
		t.Fatal(err)
	}
	return first.AddDate(0, 0, n).Add(9 * time.Hour) // 06:00 in Sao Paulo
}

// command runs the built program on the morning of night n; after some time it is killed, unless that is 0. A process
// that was killed has the exit code -1.
func (s *soaked) command(t *testing.T, n int, life time.Duration, args ...string) (int, string) {
	t.Helper()
	cmd := exec.Command(s.built.concilia, append([]string{"--config", filepath.Join(s.dir, "concilia.yaml")}, args...)...)
	cmd.Env = append(os.Environ(), "CONCILIA_SERVICE_PASSWORD="+demoPassword, "CONCILIA_CLOCK="+morning(t, n).Format(time.RFC3339))
	out := doomed{step: s.fatal, kill: func() { _ = cmd.Process.Kill() }}
	s.fatal = ""
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if life > 0 {
		death := time.AfterFunc(life, func() { _ = cmd.Process.Kill() })
		defer death.Stop()
	}
	_ = cmd.Wait() // the code says it
	return cmd.ProcessState.ExitCode(), out.said.String()
}

// doomed is the output of a process that is killed as soon as it says that a step is done; without one it is let live.
type doomed struct {
	said bytes.Buffer // not embedded: it would be read into behind the back of Write
	step string
	kill func()
}

// Write keeps what the process says.
func (d *doomed) Write(b []byte) (int, error) {
	n, err := d.said.Write(b)
	if d.step != "" && strings.Contains("\n"+d.said.String(), "\n"+d.step+" ") {
		d.kill()
	}
	return n, err
}

// start moves the service to the morning of night n and runs the night once.
func (s *soaked) start(t *testing.T, n int, life time.Duration) (int, string) {
	t.Helper()
	s.ask(t, "/sandbox/clock", map[string]any{"now": morning(t, n)})
	return s.command(t, n, life, "run")
}

// mostAttempts is how often a night may be begun. The last ones are not killed, so that each night has an end.
const (
	mostAttempts  = 30
	killsUpTo     = 6
	refusedLogins = 5 // one login in so many is refused
)

// endure runs night n until it ends: killed after a step, then at random, begun again after every way it may fail for a
// while.
func (s *soaked) endure(t *testing.T, n int, calm time.Duration, chance *rand.Rand) int {
	t.Helper()
	for attempt := range mostAttempts {
		s.spoil(t, chance)
		var life time.Duration
		if attempt == 0 {
			s.fatal = []string{"pull", "confirm", "reconcile"}[n%3] // whatever the pace of the machine
		} else if attempt < killsUpTo && chance.IntN(8) > 0 {
			life = 1 + time.Duration(chance.Int64N(int64(calm)*3/2))
		}
		code, out := s.start(t, n, life)
		t.Logf("night %d, attempt %d: life %s, ended with %d", n, attempt, life.Round(time.Millisecond), code)
		switch code {
		case -1:
			s.kills++
		case jobs.ExitIncomplete, exit.Unreachable, exit.Config:
			s.again++
			s.ask(t, "/sandbox/faults", nil)
		case exit.OK, jobs.ExitWarnings, exit.Breaks:
			return code
		default:
			t.Fatalf("night %d ended with %d:\n%s", n, code, out)
		}
	}
	t.Fatalf("night %d was begun %d times and did not end", n, mostAttempts)
	return -1
}

// spoil arms the faults that chance alone does not bring: tokens that are refused, and now and then the login itself.
func (s *soaked) spoil(t *testing.T, chance *rand.Rand) {
	t.Helper()
	endpoint := []string{"search", "due", "payment", "credit", "information"}[chance.IntN(5)]
	s.ask(t, "/sandbox/faults", map[string]any{"endpoint": endpoint, "kind": "401", "after": chance.IntN(10)})
	if chance.IntN(refusedLogins) == 0 {
		s.ask(t, "/sandbox/faults", map[string]any{"endpoint": []string{"login", "token"}[chance.IntN(2)], "kind": "401"})
	}
}

// ask sends an order to the sandbox; none disarms what is armed.
func (s *soaked) ask(t *testing.T, path string, order map[string]any) {
	t.Helper()
	method, body := http.MethodDelete, []byte(nil)
	if order != nil {
		method = http.MethodPost
		var err error
		if body, err = json.Marshal(order); err != nil {
			t.Fatal(err)
		}
	}
	req, err := http.NewRequestWithContext(t.Context(), method, s.service.control+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode >= http.StatusMultipleChoices {
		t.Fatalf("%s %s: %s", method, path, res.Status)
	}
}

// faults counts what went wrong, by kind.
func (s *soaked) faults(t *testing.T) map[string]int {
	t.Helper()
	res, err := http.Get(s.service.control + "/sandbox/faults")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var page struct{ Counts map[string]int }
	if err := json.NewDecoder(res.Body).Decode(&page); err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for name, n := range page.Counts {
		_, kind, _ := strings.Cut(name, " ")
		kinds[kind] += n
	}
	return kinds
}
