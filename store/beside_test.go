package store

import (
	"database/sql"
	"errors"
	"path/filepath"
	"testing"

	"concilia/store/sqldb"
)

var errBeside = errors.New("written badly")

// What fails in the background of a transaction fails whatever is done on it next, and nothing of it is kept.
func TestBeside(t *testing.T) {
	l, err := Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "l.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := l.db.Write.ExecContext(t.Context(), "CREATE TABLE kept (n INTEGER) STRICT"); err != nil {
		t.Fatal(err)
	}
	const insert = "INSERT INTO kept (n) VALUES (1)"
	for _, row := range []struct {
		says string
		next func(*sqldb.Tx) error
		err  error
		kept int
	}{
		{says: "what went well is kept", next: func(*sqldb.Tx) error { return nil }, kept: 1},
		{says: "a statement", err: errBeside, next: func(tx *sqldb.Tx) error { _, err := tx.ExecContext(t.Context(), insert); return err }},
		{says: "a question", err: errBeside, next: func(tx *sqldb.Tx) error {
			return sqldb.EachRow(t.Context(), tx, func(*sql.Rows) error { return nil }, "SELECT n FROM kept")
		}},
		{says: "a batch, and the commit after it", err: errBeside, next: func(tx *sqldb.Tx) error {
			err := tx.ExecBatch(t.Context(), insert, 1, func(int) []any { return nil })
			if commit := tx.Commit(); !errors.Is(commit, errBeside) {
				t.Errorf("committed: %v", commit)
			}
			return err
		}},
		{says: "the end of it", err: errBeside, next: func(tx *sqldb.Tx) error { return tx.WaitBackground() }},
		{says: "more beside it, sooner or later", err: errBeside, next: func(tx *sqldb.Tx) error {
			var err error
			for range 10 * sqldb.MaxQueued {
				err = tx.RunInBackground(func() error { return errors.New("done behind what failed") })
			}
			return err
		}},
	} {
		t.Run(row.says, func(t *testing.T) {
			tx, err := l.db.Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := tx.ExecContext(t.Context(), insert); err != nil {
				t.Fatal(err)
			}
			if err := tx.RunInBackground(func() error { return row.err }); err != nil {
				t.Fatal(err)
			}
			if err := row.next(tx); !errors.Is(err, row.err) {
				t.Errorf("got %v, want %v", err, row.err)
			}
			if err := tx.Commit(); (err == nil) != (row.err == nil) {
				t.Errorf("commit: %v", err)
			}
			var kept int
			if err := l.db.Write.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM kept").Scan(&kept); err != nil {
				t.Fatal(err)
			}
			if kept != row.kept {
				t.Errorf("%d kept, want %d", kept, row.kept)
			}
			if _, err := l.db.Write.ExecContext(t.Context(), "DELETE FROM kept"); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// What is done in the background is done one after the other, in its order.
func TestBesideInOrder(t *testing.T) {
	tx := &sqldb.Tx{}
	var done []int
	for i := range 10 * sqldb.MaxQueued {
		if err := tx.RunInBackground(func() error { done = append(done, i); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.WaitBackground(); err != nil {
		t.Fatal(err)
	}
	for i := range 10 * sqldb.MaxQueued {
		if i >= len(done) || done[i] != i {
			t.Fatalf("done: %v", done)
		}
	}
}
