//go:build unix

package store_test

import (
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/sqldb"
	"concilia/store/storetest"
)

// TestPostgres runs the suite of SQLite on Postgres, each ledger in a database of its own.
func TestPostgres(t *testing.T) {
	t.Parallel()
	runSuite(t, func(t *testing.T) *store.Ledger {
		t.Helper()
		return openDSN(t, storetest.FreshPostgres(t))
	})
}

// TestDatabases says which databases the tests ran on: these lines show that none was skipped.
func TestDatabases(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, dsn, version string }{
		{"sqlite", "sqlite:" + t.TempDir() + "/ledger.db", "SELECT sqlite_version()"},
		{"postgres", storetest.Schema(t, storetest.Shared(t)), "SHOW server_version"},
	} {
		var version string
		if err := rawDB(t, c.dsn).Write.QueryRowContext(t.Context(), c.version).Scan(&version); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: real %s", c.name, version)
	}
}

// TestConnections: a process has at most ten connections, however many of it ask at once, and the server tells them from others'.
func TestConnections(t *testing.T) {
	t.Parallel()
	dsn := storetest.FreshPostgres(t)
	many, other := rawDB(t, sqldb.NameConnections(storetest.Unpooled(t, dsn), "concilia/run")), rawDB(t, dsn)
	var asking sync.WaitGroup
	for range 30 {
		asking.Go(func() {
			if _, err := many.Write.ExecContext(t.Context(), "SELECT pg_sleep(0.1)"); err != nil {
				t.Error(err)
			}
		})
	}
	asking.Wait()
	var n int
	ok(t, other.Write.QueryRowContext(t.Context(), `
		SELECT COUNT(*)
		FROM pg_stat_activity
		WHERE datname = current_database() AND application_name = 'concilia/run' AND pid <> pg_backend_pid()`).Scan(&n))
	if n < 1 || n > 10 {
		t.Errorf("a process that is asked 30 things at once has %d connections", n)
	}
	for _, c := range []struct {
		because, dsn, name string
		most               int32
	}{
		{"nothing is said", "postgres://u@h/d", "concilia", 10},
		{"the command says it", sqldb.NameConnections("postgres://u:a+b@h/d?pool_max_conns=20", "concilia/bank-match"), "concilia/bank-match", 20},
		{"a name is longer than a server keeps", sqldb.NameConnections("postgres://u@h/d", strings.Repeat("n", 64)), strings.Repeat("n", 63), 10},
		{"the address names them, and the command does", sqldb.NameConnections("postgres://u@h/d?application_name=night", "concilia/run"), "night", 10},
		{"the address says both", "postgres://u@h/d?pool_max_conns=20&application_name=night", "night", 20},
	} {
		config, err := sqldb.ParsePostgres(c.dsn)
		ok(t, err)
		if config.MaxConns != c.most || config.ConnConfig.RuntimeParams["application_name"] != c.name {
			t.Errorf("%s: %d connections named %q", c.because, config.MaxConns, config.ConnConfig.RuntimeParams["application_name"])
		}
	}
}

// TestPasswordOfTheNextConnection: a password that was changed in its file is that of the next connection; a process used to keep the
// first one until its end. A file that is gone is named, and the ledger is not available.
func TestPasswordOfTheNextConnection(t *testing.T) {
	t.Parallel()
	for parameter, line := range map[string]string{"passfile": "h:5432:d:u:", "password_file": ""} {
		file := filepath.Join(t.TempDir(), "passwords")
		config, err := sqldb.ParsePostgres("postgres://u@h/d?application_name=night&" + parameter + "=" + url.QueryEscape(file))
		ok(t, err)
		for _, password := range []string{"first", "the second one"} {
			ok(t, os.WriteFile(file, []byte(line+password+"\n"), 0o600))
			next := config.ConnConfig.Copy()
			ok(t, config.BeforeConnect(t.Context(), next))
			if next.Password != password || next.RuntimeParams["application_name"] != "night" || next.RuntimeParams["password_file"] != "" {
				t.Errorf("%s: the next connection has the password %q and %v", parameter, next.Password, next.RuntimeParams)
			}
		}
	}
	_, err := sqldb.Open(t.Context(), "postgres://u@127.0.0.1:1/d?password_file=/nowhere/password")
	if !errors.Is(err, sqldb.ErrPasswordFile) || !strings.Contains(err.Error(), "/nowhere/password") {
		t.Errorf("without its file: %v", err)
	}
}

// TestSharedStatus: the connections of the program's processes are counted by their state, and the jobs that are not done.
func TestSharedStatus(t *testing.T) {
	t.Parallel()
	dsn := storetest.FreshPostgres(t)
	l := openDSN(t, dsn)
	_, err := rawDB(t, dsn).Write.ExecContext(t.Context(),
		"INSERT INTO river_job (args, kind, queue, max_attempts, state) VALUES ('{}', 'pull', 'default', 5, 'available'), ('{}', 'pull', 'default', 5, 'available')")
	ok(t, err)
	s, err := l.SharedStatus(t.Context())
	ok(t, err)
	if s.Jobs["available"] != 2 || len(s.Jobs) != 1 || s.Connections["active"] < 1 {
		t.Errorf("two jobs wait, and the connection that asks is active: %+v", s)
	}
	if s, err := openDSN(t, storetest.FreshSQLite(t)).SharedStatus(t.Context()); s != nil || err != nil {
		t.Errorf("on SQLite: %v, %v", s, err)
	}
}

// TestTwoMerchantsOnOneServer: ledgers in two schemas of one database share nothing: each has its tables and its queue, and leases
// and merges the same account under the same ids at the same time.
func TestTwoMerchantsOnOneServer(t *testing.T) {
	t.Parallel()
	server, d := storetest.Shared(t), ledger.NewDate(2026, 1, 2)
	var both []*store.Ledger
	for range 2 {
		dsn := storetest.Schema(t, server)
		l := openDSN(t, dsn)
		_, _, err := l.Migrate(t.Context())
		ok(t, err)
		var tables int
		ok(t, rawDB(t, dsn).Write.QueryRowContext(t.Context(), `
			SELECT COUNT(*)
			FROM pg_tables
			WHERE schemaname = current_schema() AND tablename IN ('installment', 'river_job')`).Scan(&tables))
		equal(t, "tables of a ledger and of its queue in its schema", tables, 2)
		both = append(both, l)
	}
	for i, l := range both {
		lease, err := l.LeaseAccounts(t.Context(), "r", []ledger.Account{1}, time.Hour)
		ok(t, err)
		defer func() { ok(t, lease.Release(context.Background())) }()
		ok(t, mergeRows(t, l, d, 3+i))
	}
	for i, l := range both {
		rows := 0
		ok(t, l.Sales(t.Context(), 1, func(s *ledger.Sale) error {
			rows += len(s.Rows)
			return nil
		}))
		equal(t, "rows of the ledger in its own schema", rows, 3+i)
		r, err := l.Check(t.Context())
		ok(t, err)
		equal(t, "faults", len(r.Faults), 0)
	}
}
