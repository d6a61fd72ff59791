package sqldb

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func open(t *testing.T) *DB {
	t.Helper()
	db, err := Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "test.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	_, err = db.Write.ExecContext(t.Context(), `
		-- A script: comments, several statements, nothing behind the last.
		CREATE TABLE a (n INTEGER, s TEXT, b BLOB) STRICT;
		CREATE UNIQUE INDEX an ON a (n); /* end */`)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// TestSQLiteDriver: values come back as they went in, and parameters are identified by their number.
func TestSQLiteDriver(t *testing.T) {
	t.Parallel()
	db := open(t)
	for _, c := range []struct {
		name, query string
		args        []any
		want        string // of n, s, b in SQL's spelling
	}{
		{"in order", "INSERT INTO a VALUES ($1, $2, $3)", []any{1, "x", []byte{0, 255}}, "1 'x' X'00FF'"},
		{"out of order, one twice", "INSERT INTO a VALUES ($2, $1 || $1, NULL)", []any{"ab", 2}, "2 'abab' NULL"},
		{"empty is not absent", "INSERT INTO a VALUES ($1, $2, $3)", []any{3, "", []byte{}}, "3 '' X''"},
		{"absent", "INSERT INTO a VALUES ($1, $2, $3)", []any{4, nil, []byte(nil)}, "4 NULL NULL"},
	} {
		if _, err := db.Write.ExecContext(t.Context(), c.query, c.args...); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		var got string
		err := db.Read.QueryRowContext(t.Context(), `
			SELECT n || ' ' || quote(s) || ' ' || quote(b)
			FROM a
			ORDER BY n DESC
			LIMIT 1`).Scan(&got)
		if err != nil || got != c.want {
			t.Errorf("%s: %s, %v", c.name, got, err)
		}
	}
	_, err := db.Write.ExecContext(t.Context(), "INSERT INTO a VALUES ($1, $2, $3)", 9)
	if err == nil || !strings.Contains(err.Error(), "$2 has no argument") {
		t.Errorf("a missing argument: %v", err)
	}
	_, err = db.Write.ExecContext(t.Context(), "INSERT INTO a VALUES (1, NULL, NULL)")
	if class := db.Dialect.ClassifyError(err); class != DuplicateKey {
		t.Errorf("a duplicate: class %d of %v", class, err)
	}
	if _, err := db.Read.ExecContext(t.Context(), "DELETE FROM a"); err == nil {
		t.Error("a reader wrote")
	}
}

// TestSQLiteInterrupted: the end of a context ends a long statement and its transaction, and the connection goes on.
func TestSQLiteInterrupted(t *testing.T) {
	t.Parallel()
	db := open(t)
	// The statement has no end of its own: without the interrupt the test would hang, however slow the machine.
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	tx, err := db.Write.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	// A machine so busy that the time is over by now leaves as little behind.
	_, _ = tx.ExecContext(ctx, "INSERT INTO a VALUES (1, NULL, NULL)")
	_, err = tx.ExecContext(ctx, `
		INSERT INTO a
		WITH RECURSIVE forever (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM forever)
		SELECT n, NULL, NULL FROM forever WHERE n < 0`)
	if err == nil || ctx.Err() == nil {
		t.Errorf("an endless statement ended: %v", err)
	}
	_ = tx.Rollback()
	var n int
	if err := db.Write.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM a").Scan(&n); err != nil || n != 0 {
		t.Errorf("%d rows stayed, %v", n, err)
	}
}

// TestSQLiteBulk: a row with too few values ends a load, and what was loaded is read back.
func TestSQLiteBulk(t *testing.T) {
	t.Parallel()
	db := open(t)
	conn, err := db.Write.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	load := func(values int) error {
		return db.Dialect.LoadRows(t.Context(), conn, "a", []string{"n", "s"}, 1000, func(i int, r Row) error {
			if r.Int(int64(i)); values > 1 {
				r.Text("x")
			}
			return nil
		})
	}
	if err := load(1); err == nil || !strings.Contains(err.Error(), "a row of 1 values for 2 columns") {
		t.Errorf("too few: %v", err)
	}
	if err := load(2); err != nil {
		t.Error(err)
	}
	sum := int64(0)
	err = db.Dialect.ScanRows(t.Context(), conn, func(f Fields) error {
		if !f.Null(2) || f.Text(1) != "x" {
			t.Errorf("row %d: %q", f.Int(0), f.Text(1))
		}
		sum += f.Int(0)
		return nil
	}, "SELECT n, s, b FROM a WHERE n >= $1", int64(500))
	if err != nil || sum != (500+999)*250 {
		t.Errorf("sum %d, %v", sum, err)
	}
}
