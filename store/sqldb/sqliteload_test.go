package sqldb

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
)

// TestSQLiteLoadRepeats: what is not bound again because the row before had it is in the row all the same, and what
// differs in anything, were it only absent instead of empty, is not taken for it.
func TestSQLiteLoadRepeats(t *testing.T) {
	t.Parallel()
	db, err := Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "l"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	conn, err := db.Write.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := conn.ExecContext(t.Context(), "CREATE TABLE t (a ANY, b BLOB) STRICT"); err != nil {
		t.Fatal(err)
	}
	// Each value twice, then every one after every other.
	values := []any{nil, "", "0", "1", int64(0), int64(1), "a\x00b", int64(-1)}
	var rows []any
	for _, v := range values {
		for _, w := range values {
			rows = append(rows, v, v, w)
		}
	}
	hash := func(i int) []byte { return fmt.Appendf(nil, "%016d", i/2) }
	load := func(more int) error {
		return db.Dialect.LoadRows(t.Context(), conn, "t", []string{"a", "b"}, len(rows), func(i int, r Row) error {
			switch v := rows[i].(type) {
			case nil:
				r.Null()
			case int64:
				r.Int(v)
			case string:
				r.Text(v)
			}
			for range 1 + more {
				r.Bytes(hash(i))
			}
			return nil
		})
	}
	if err := load(0); err != nil {
		t.Fatal(err)
	}
	answer, err := conn.QueryContext(t.Context(), "SELECT a, b FROM t ORDER BY rowid")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Close() }()
	for i := range rows {
		var a any
		var b []byte
		if !answer.Next() {
			t.Fatalf("%d rows of %d", i, len(rows))
		}
		if err := answer.Scan(&a, &b); err != nil {
			t.Fatal(err)
		}
		if a != rows[i] || !slices.Equal(b, hash(i)) {
			t.Errorf("row %d: %#v %s instead of %#v %s", i, a, b, rows[i], hash(i))
		}
	}
	if answer.Next() || answer.Err() != nil {
		t.Error("more rows, or an error:", answer.Err())
	}
	if err := load(1); err == nil {
		t.Error("a row of three values for two columns was taken")
	}
	if err := load(-1); err == nil {
		t.Error("a row of one value for two columns was taken")
	}
}
