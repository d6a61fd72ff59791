//go:build unix

package main

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/cmd/concilia/exit"
	"concilia/store/storetest"
)

// TestLeadersDie: the process that leads a night is killed while it asks, the next one while it evaluates, the third one while
// it publishes; each had been on another machine, so that nothing but its lease tells the next that it is gone. The
// fourth ends the same run. A worker helps all of them. Ledger, cases and files are those of an undisturbed night.
func TestLeadersDie(t *testing.T) {
	built, s := machines(t)
	want := undisturbed(t, built, s)

	m := newShared(t, built.concilia, storetest.FreshPostgres(t), behind(t, s, 20*time.Millisecond))
	worker := m.startWorker(t, "--parallel", "2")

	first := m.start(t, "run", "--quiet")
	m.untilDone(t, 20)
	m.lost(t, first)
	// This machine cannot know whether a process of that one runs.
	m.rows(t, "UPDATE lease SET until = until + 3600000000 RETURNING run", func([]string) {})
	code, out := m.run(t, "run")
	if code != exit.Locked || !strings.Contains(out, "is held by run 20") || !strings.Contains(out, " since 20") {
		t.Errorf("beside a lease that stands run ended with %d:\n%s", code, out)
	}
	m.rows(t, "UPDATE lease SET until = until - 3600000000 RETURNING run", func([]string) {})
	m.untilExpired(t)

	for _, table := range []string{"finding", "report"} {
		held := m.lock(t, table)
		next := m.start(t, "run", "--quiet")
		m.untilWaits(t, table, next)
		m.lost(t, next)
		if err := held.Rollback(); err != nil {
			t.Fatal(err)
		}
		m.rows(t, "UPDATE lease SET until = 1 RETURNING run", func([]string) {})
	}
	if code, out := m.run(t, "run"); code != exit.Breaks {
		t.Fatalf("the last process ended with %d:\n%s\nthe worker said:\n%s", code, out, worker.said())
	}
	m.keptOnce(t)
	if diff := cmp.Diff(want, m.remains(t)); diff != "" {
		t.Errorf("undisturbed (-), after three dead leaders (+):\n%s", diff)
	}
	m.rows(t, "SELECT CONCAT_WS(' ', COUNT(*), MIN(taken_up), MIN(exit_code)) FROM run", func(c []string) {
		if want := fmt.Sprint("1 1 ", exit.Breaks); c[0] != want {
			t.Errorf("runs, taken up, exit code: %s, want %s", c[0], want)
		}
	})
}

// keptOnce fails for every window that was not asked for, or whose answer was kept twice, and every account that was not
// evaluated. Units that were planned when less was pulled need not be done.
func (m *shared) keptOnce(t *testing.T) {
	t.Helper()
	m.rows(t, "SELECT kind, what, state FROM unit WHERE state <> 'done' AND kind = 'pull'", func(c []string) { t.Errorf("unit not done: %v", c) })
	m.rows(t, `
		SELECT CAST(account AS TEXT), source, CAST(from_day AS TEXT), CAST(COUNT(*) AS TEXT)
		FROM pull
		WHERE complete = 1 AND reason <> 'to confirm' AND source <> 'slips.detail'
		GROUP BY account, source, from_day, to_day, reason
		HAVING COUNT(*) > 1`, func(c []string) { t.Errorf("kept more than once: %v", c) })
	m.rows(t, `
		SELECT CAST(account AS TEXT)
		FROM unit
		GROUP BY account
		HAVING COUNT(*) FILTER (WHERE kind = 'reconcile' AND state = 'done') = 0`, func(c []string) { t.Errorf("not judged: %v", c) })
}

// lost kills a process, and has its lease say that it had been on another machine.
func (m *shared) lost(t *testing.T, p *process) {
	t.Helper()
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if code := p.wait(t); code != -1 {
		t.Fatalf("it ended with %d before it could be killed:\n%s", code, p.said())
	}
	held := 0
	m.rows(t, "UPDATE lease SET host = 'elsewhere', process = 1 WHERE until > 0 RETURNING run", func([]string) { held++ })
	if held == 0 {
		t.Fatal("the process that was killed held no account")
	}
}

// untilExpired waits until no lease is held any more: as long as a lease lives, and no longer.
func (m *shared) untilExpired(t *testing.T) {
	t.Helper()
	began := time.Now()
	for standing := true; standing; time.Sleep(100 * time.Millisecond) {
		standing = false
		m.rows(t, fmt.Sprint("SELECT run FROM lease WHERE until > ", time.Now().UnixMicro()), func([]string) { standing = true })
		if time.Since(began) > patience {
			t.Fatal("the lease of a dead process still stands: somebody keeps it alive")
		}
	}
	t.Logf("the lease was over after %s", time.Since(began).Round(time.Second))
}

// lock keeps everybody from writing into a table, until the transaction that it gives ends.
func (m *shared) lock(t *testing.T, table string) *sql.Tx {
	t.Helper()
	db, err := sql.Open("pgx", storetest.Unpooled(t, m.dsn))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	tx, err := db.BeginTx(t.Context(), nil)
	if err == nil {
		_, err = tx.ExecContext(t.Context(), "LOCK TABLE "+table+" IN EXCLUSIVE MODE")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Rollback() }) // it has ended, unless the test failed
	return tx
}

// untilWaits waits until somebody waits to write into a table.
func (m *shared) untilWaits(t *testing.T, table string, p *process) {
	t.Helper()
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		waits := false
		m.rows(t, `
			SELECT pid
			FROM pg_locks
			WHERE NOT granted AND relation = CAST('`+table+`' AS regclass)
				AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`, func([]string) { waits = true })
		if waits {
			return
		}
		if time.Since(began) > patience {
			t.Fatalf("nobody writes into %s:\n%s", table, p.said())
		}
	}
}
