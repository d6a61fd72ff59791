//go:build unix

package store_test

import (
	"testing"

	"concilia/store"
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
