package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
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

// TestSoak runs nights side by side in two worlds that are alike. In one they are not disturbed. In the other the service
// fails at random in every way that its client can notice, the share is full or cannot be written, a second process of the
// same host name begins while the first runs, and the worker is killed or stopped at random moments and started again until
// its night ends. After each night both must have come to the same: verdict, rows, cases and reports.
//
// Faults that look like good answers (rows left out, twice, or from another day) are left out here: what the service
// says without an error is what the ledger keeps, and rules of their own evaluate it.
//
// CONCILIA_LONG=1 makes it thirty nights of a seed of their own in a world of two months, with every format of reports; CONCILIA_SOAK_SEED and
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
	seed, days, since, formats := 1, "5", "2026-11-01", "csv"
	if os.Getenv("CONCILIA_LONG") == "1" {
		nights, seed, days, since, formats = 30, os.Getpid(), "10", "2026-10-27", "csv, csv-br, jsonl, xlsx, html, edi"
	}
	nights, seed = number(t, "CONCILIA_SOAK_NIGHTS", nights), number(t, "CONCILIA_SOAK_SEED", seed)
	t.Logf("CONCILIA_SOAK_SEED=%d CONCILIA_SOAK_NIGHTS=%d", seed, nights)

	built := build(t)
	world := []string{"--seed", strconv.Itoa(seed), "--as-of", soakStart, "--days", days, "--days-ahead", strconv.Itoa(nights + 1)}
	calm := newSoaked(t, built, world, since, formats, dsn)
	wild := newSoaked(t, built, append(world, "--fault-rate", "0.05", "--fault-seed", strconv.Itoa(seed)), since, formats, dsn)
	wild.spaces = mayTrouble(t)
	chance := rand.New(rand.NewPCG(uint64(seed), 2)) //nolint:gosec // a seed below zero is one too
	last := 0
	for n := range nights {
		began, again := time.Now(), wild.again
		want, out := calm.start(t, n, trouble{})
		if want != exit.OK && want != jobs.ExitWarnings && want != exit.Breaks {
			t.Fatalf("night %d of the calm world ended with %d:\n%s", n, want, out)
		}
		if got := wild.endure(t, n, time.Since(began), chance); got != want {
			t.Fatalf("night %d ended with %d, and with %d where nobody disturbed it", n, got, want)
		}
		if wild.again > again {
			// A run that follows a failed one plans with what that one brought: money that came early has more days asked for. Once more,
			// both worlds have asked alike.
			want = calm.repeat(t, n)
			if got := wild.repeat(t, n); got != want {
				t.Fatalf("night %d once more ended with %d, and with %d where nobody disturbed it", n, got, want)
			}
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
	t.Logf("%d kills, %d stops, %d nights begun again after a failure, %d on a share in trouble, %d beside another process, faults %v",
		wild.kills, wild.stops, wild.again, wild.unpublished, wild.locked, wild.faults(t))
	if wild.kills == 0 || wild.locked == 0 || wild.spaces && wild.unpublished == 0 || len(wild.faults(t)) < 3 {
		t.Error("not all disturbed the nights that should: this proves nothing")
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
	spaces  bool   // processes may have namespaces of their own here
	// How often a night was killed, stopped, begun again because it ended incomplete or refused, ended on a share that took nothing, and
	// met another process.
	kills, stops, again, unpublished, locked int
}

const soakConfig = `
ledger: {dsn: "%[4]s"}
service: {gateway_url: %[2]s, integration_url: %[3]s, user_name: demo, requests_per_second: 1000}
accounts:
  - {number: 1001, since: %[6]s, name: Loja Centro, document: "11222333000181", bank: {code: "001", branch: "1234", branch_digit: "5", account: "567890", account_digit: "1", agreement: "1234567", name: BANCO DO BRASIL}}
  - {number: 1002, since: %[6]s, name: Loja Norte, document: "11444777000161", bank: {code: "237", branch: "4321", branch_digit: "0", account: "98765", account_digit: "4", agreement: "7654321", name: BRADESCO}}
plan: {slips_due_back: 5, slips_due_forward: 10}
reports: {out: "%[1]s/reports", archive: "%[1]s/archive", formats: [%[5]s]}
metrics: {listen: ""}
`

func newSoaked(t *testing.T, built binaries, world []string, since, formats string, dsn func(dir string) string) *soaked {
	t.Helper()
	service, err := sandboxProcess(built.sandbox, world)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(service.stop)
	s := &soaked{built: built, service: service, dir: t.TempDir()}
	s.dsn = dsn(s.dir)
	text := fmt.Appendf(nil, soakConfig, filepath.ToSlash(s.dir), service.gateway, service.integration, s.dsn, formats, since)
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
