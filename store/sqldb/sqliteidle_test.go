package sqldb

import (
	"context"
	"database/sql"
	"fmt"
	"testing"
)

// one gives the writing connection of a ledger, and what it keeps prepared.
func one(t *testing.T, db *DB) (*sql.Conn, func() *stmtCache) {
	t.Helper()
	conn, err := db.Write.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn, func() (kept *stmtCache) {
		if err := conn.Raw(func(c any) error { kept = &c.(*sqliteConn).stmts; return nil }); err != nil {
			t.Fatal(err)
		}
		return kept
	}
}

// TestIdleStatements: a statement is used again as if it were new, whatever became of it before.
func TestIdleStatements(t *testing.T) {
	t.Parallel()
	db := open(t)
	conn, kept := one(t, db)
	exec := func(query string, args ...any) error {
		_, err := conn.ExecContext(t.Context(), query, args...)
		return err
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	const insert, read = "INSERT INTO a VALUES ($1, $2, NULL)", "SELECT n FROM a WHERE s IS $1 ORDER BY n"
	numbers := func(s any) (got []int) {
		t.Helper()
		rows, err := conn.QueryContext(t.Context(), read, s)
		must(err)
		defer rows.Close()
		for rows.Next() {
			var n int
			must(rows.Scan(&n))
			got = append(got, n)
		}
		must(rows.Err())
		return got
	}

	must(exec(insert, 1, "x"))
	first := kept().statements[insert]
	must(exec(insert, 2, nil))
	if again := kept().statements[insert]; first == nil || again != first {
		t.Errorf("prepared anew: %p, then %p", first, again)
	}
	if got := fmt.Sprint(numbers(nil), numbers("x"), numbers(nil)); got != "[2] [1] [2]" {
		t.Errorf("the values of the use before are seen: %s", got)
	}

	// One that failed harms no later use.
	if err := exec(insert, 1, "double"); err == nil {
		t.Error("a number twice")
	}
	must(exec(insert, 3, "x"))

	// The same text within its own rows, and rows that are left in the middle.
	func() {
		outer, err := conn.QueryContext(t.Context(), read, "x")
		must(err)
		defer outer.Close()
		outer.Next()
		must(outer.Err())
		if got := fmt.Sprint(numbers("x")); got != "[1 3]" {
			t.Errorf("within its own rows: %s", got)
		}
	}()
	if got := fmt.Sprint(numbers("x")); got != "[1 3]" {
		t.Errorf("after rows left in the middle: %s", got)
	}

	// Tables change under it.
	must(exec("DROP INDEX an; ALTER TABLE a ADD COLUMN later TEXT"))
	if err := exec(insert, 4, "x"); err == nil {
		t.Error("a statement of the old table ran on the new one")
	}
	must(exec("ALTER TABLE a DROP COLUMN later"))
	must(exec(insert, 4, "x"))
	if got := fmt.Sprint(numbers("x")); got != "[1 3 4]" {
		t.Errorf("after the tables changed: %s", got)
	}

	// An interrupted one.
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := conn.ExecContext(ctx, insert, 5, "x"); err == nil {
		t.Error("ran after its end")
	}
	must(exec(insert, 5, "x"))
}

// TestIdleIsBounded: the statement not used for longest goes first, and what does not read or change rows, or is long, is
// not kept.
func TestIdleIsBounded(t *testing.T) {
	t.Parallel()
	conn, kept := one(t, open(t))
	for i := range maxCachedStmts + 20 {
		for _, query := range []string{fmt.Sprintf("SELECT %d", i), "SELECT 'often'"} {
			var s string
			if err := conn.QueryRowContext(t.Context(), query).Scan(&s); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := len(kept().statements); n != maxCachedStmts {
		t.Errorf("%d are kept, want %d", n, maxCachedStmts)
	}
	if kept().statements["SELECT 'often'"] == nil || kept().statements["SELECT 0"] != nil {
		t.Error("what is used often is gone, or what was used once is there")
	}
	for _, c := range []struct {
		query  string
		params int
		want   bool
	}{
		{"SELECT 1", 0, true},
		{"\n\t\tWITH x AS (SELECT 1) SELECT * FROM x", 0, true},
		{"INSERT\nINTO a VALUES (1)", 0, true},
		{"PRAGMA user_version", 0, false},
		{"CREATE TABLE b (n)", 0, false},
		{"BEGIN IMMEDIATE", 0, false},
		{"SELECT '" + string(make([]byte, maxCachedText)) + "'", 0, false},
		{"SELECT '" + string(make([]byte, shortText)) + "'", maxCachedParams, true},      // the sums of a table
		{"SELECT '" + string(make([]byte, shortText)) + "'", maxCachedParams + 1, false}, // made for its values
		{"SELECT 1", maxCachedParams + 1, true},
	} {
		if got := isCacheable(c.query, c.params); got != c.want {
			t.Errorf("%.30q with %d parameters: %t", c.query, c.params, got)
		}
	}
}
