//go:build unix

package store_test

import (
	"database/sql"
	"fmt"
	"sync/atomic"
	"testing"

	"concilia/store/storetest"
)

// TestInboxPostgres runs the suite of the inbox on Postgres, each in a schema of its own.
func TestInboxPostgres(t *testing.T) {
	t.Parallel()
	dsn := storetest.Postgres(t)
	admin, err := sql.Open("pgx", dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = admin.Close() })
	var schemas atomic.Int64
	testInbox(t, func(t *testing.T) string {
		schema := fmt.Sprintf("inbox_%d", schemas.Add(1))
		if _, err := admin.ExecContext(t.Context(), "CREATE SCHEMA "+schema); err != nil {
			t.Fatal(err)
		}
		return dsn + "&pool_max_conns=4&search_path=" + schema
	})
}
