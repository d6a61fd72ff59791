package store_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"concilia/store"
	"concilia/store/ledger"
)

// crashRows is how many rows each window of the crash test has: enough for a kill to fall inside a merge.
const crashRows = 3000

// TestKilled kills a process that merges window after window and finds whole windows in the ledger, or none.
func TestKilled(t *testing.T) {
	if path := os.Getenv("CONCILIA_TEST_MERGE"); path != "" {
		mergeUntilKilled(t, path)
		return
	}
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger.db")
	l := openPath(t, path)
	for round := range 3 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
		cmd.Env = append(os.Environ(), "CONCILIA_TEST_MERGE="+path, fmt.Sprint("CONCILIA_TEST_ROUND=", round))
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for merged := 0; merged < 2 && lines.Scan(); {
			if lines.Text() == "merged" {
				merged++
			}
		}
		// The next merge is under way, at a place that differs from round to round.
		time.Sleep(time.Duration(20*round) * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		checkWhole(t, l, round)
	}
}

func checkWhole(t *testing.T, l *store.Ledger, round int) {
	t.Helper()
	rows := make(map[ledger.Date]int)
	if err := l.Sales(t.Context(), 1, func(s *ledger.Sale) error {
		rows[s.Key.Day] += len(s.Rows)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	pulls, err := l.Coverage(t.Context(), 1, ledger.Cards, ledger.Period{From: 1, To: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) < 2*(round+1) || len(rows) != len(pulls) {
		t.Errorf("%d days have rows and %d have pulls", len(rows), len(pulls))
	}
	for d, n := range rows {
		if n != crashRows {
			t.Errorf("day %s has %d rows of %d", d, n, crashRows)
		}
	}
}

func mergeUntilKilled(t *testing.T, path string) {
	l, err := store.Open(t.Context(), "sqlite:"+path)
	if err != nil {
		t.Fatal(err)
	}
	run := "run-" + os.Getenv("CONCILIA_TEST_ROUND")
	// The killed holder before this one is gone, so its lease of an hour is over.
	if _, err := l.LeaseAccounts(t.Context(), run, []ledger.Account{1}, time.Hour); err != nil {
		t.Fatal(err)
	}
	// Every round has a stretch of days of its own.
	base := ledger.NewDate(2026, 1, 1) + 1000*ledger.Date(run[len(run)-1]-'0')
	for d := base; ; d++ {
		rows := make([]ledger.Installment, crashRows)
		for i := range rows {
			rows[i] = ledger.Installment{
				Account: 1, SoldAt: ledger.LocalTimeOf(d.Time(), time.UTC), NSU: fmt.Sprint(i), Number: 1, Count: 1, Gross: 100,
			}
		}
		p := &ledger.Pull{
			ID: fmt.Sprint(run, "-", d), Run: run, Complete: true, Began: d.Time(), Ended: d.Time(),
			Window: ledger.Window{Account: 1, Source: ledger.Cards, Period: ledger.Period{From: d, To: d}},
		}
		if err := l.MergeInstallments(t.Context(), p, rows, nil); err != nil {
			t.Fatal(err)
		}
		fmt.Println("merged")
	}
}

func openPath(t *testing.T, path string) *store.Ledger {
	t.Helper()
	return openDSN(t, "sqlite:"+path)
}

func openDSN(t testing.TB, dsn string) *store.Ledger {
	t.Helper()
	l, err := store.Open(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, _, err := l.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return l
}
