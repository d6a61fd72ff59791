//go:build unix

package store_test

import (
	"database/sql"
	"fmt"
	"sync/atomic"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"

	"concilia/store"
	"concilia/store/storetest"
)

// TestPostgres runs the suite of SQLite on Postgres, each ledger in a schema of its own.
func TestPostgres(t *testing.T) {
	t.Parallel()
	dsn := storetest.Postgres(t)
	admin, err := sql.Open("pgx", dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = admin.Close() })
	var schemas atomic.Int64
	storetest.Run(t, func(t *testing.T) *store.Ledger {
		t.Helper()
		schema := fmt.Sprintf("ledger_%d", schemas.Add(1))
		if _, err := admin.ExecContext(t.Context(), "CREATE SCHEMA "+schema); err != nil {
			t.Fatal(err)
		}
		l, err := store.Open(t.Context(), dsn+"&pool_max_conns=8&search_path="+schema)
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
	})
}
