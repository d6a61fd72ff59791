//go:build unix

package store_test

import (
	"net/url"
	"sync"
	"testing"

	"concilia/store"
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

// TestDatabases says which databases the tests ran on: whoever must know that none was skipped looks for these lines.
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
	u, err := url.Parse(dsn)
	ok(t, err)
	q := u.Query()
	q.Del("pool_max_conns")
	u.RawQuery = q.Encode()
	many, other := rawDB(t, u.String()), rawDB(t, dsn)
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
		WHERE datname = current_database() AND application_name = 'concilia' AND pid <> pg_backend_pid()`).Scan(&n))
	if n < 1 || n > 10 {
		t.Errorf("a process that is asked 30 things at once has %d connections", n)
	}
	for _, c := range []struct {
		because, dsn, name string
		most               int32
	}{
		{"nothing is said", "postgres://u@h/d", "concilia", 10},
		{"the address says both", "postgres://u@h/d?pool_max_conns=20&application_name=night", "night", 20},
	} {
		config, err := sqldb.ParsePostgres(c.dsn)
		ok(t, err)
		if config.MaxConns != c.most || config.ConnConfig.RuntimeParams["application_name"] != c.name {
			t.Errorf("%s: %d connections named %q", c.because, config.MaxConns, config.ConnConfig.RuntimeParams["application_name"])
		}
	}
}
