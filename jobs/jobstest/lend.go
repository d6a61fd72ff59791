package jobstest

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"

	"concilia/store"
	"concilia/store/sqldb"
)

// Below is the database for many tests below parent that each need an empty ledger for a moment: one is emptied when its test ends, and
// lent to the next, which has no database to make, nothing to connect to and nothing to prepare. What a test leaves that failed is lent to
// nobody.
func (d Database) Below(parent *testing.T) Database {
	l := &lender{on: d, parent: parent}
	d.Lend = l.lendLedger
	return d
}

// lender has the ledgers that no test uses at the moment.
type lender struct {
	on     Database
	parent *testing.T
	mu     sync.Mutex
	idle   []*lentLedger
}

// lentLedger is an open ledger, and what empties it.
type lentLedger struct {
	*store.Ledger
	dsn      string
	past     *sqldb.DB // past the program
	emptying string    // the statements that empty it
}

func (o *lender) lendLedger(t *testing.T) (l *store.Ledger, dsn string) {
	t.Helper()
	lent := o.takeIdle()
	if lent == nil {
		lent = o.openLedger(t)
	}
	t.Cleanup(func() {
		if t.Failed() {
			return
		}
		if err := lent.emptyLedger(context.WithoutCancel(t.Context())); err != nil {
			t.Errorf("empty the ledger for the next test: %v", err)
			return
		}
		o.mu.Lock()
		defer o.mu.Unlock()
		o.idle = append(o.idle, lent)
	})
	return lent.Ledger, lent.dsn
}

func (o *lender) takeIdle() *lentLedger {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.idle) == 0 {
		return nil
	}
	last := o.idle[len(o.idle)-1]
	o.idle = o.idle[:len(o.idle)-1]
	return last
}

// openLedger makes a ledger that stays until the parent has ended.
func (o *lender) openLedger(t *testing.T) *lentLedger {
	t.Helper()
	lent := &lentLedger{dsn: o.on.Fresh(o.parent)}
	lent.Ledger = OpenLedger(o.parent, lent.dsn)
	var err error
	if lent.past, err = sqldb.Open(t.Context(), lent.dsn); err != nil {
		t.Fatal(err)
	}
	o.parent.Cleanup(func() { _ = lent.past.Close() })
	if lent.emptying, err = writeEmptying(t.Context(), lent.past); err != nil {
		t.Fatal(err)
	}
	return lent
}

// emptyLedger leaves the ledger as a new one. The inbox of a file is a file of its own, which the next test makes again.
func (l *lentLedger) emptyLedger(ctx context.Context) error {
	_, err := l.past.Write.ExecContext(ctx, l.emptying)
	if path, isFile := strings.CutPrefix(l.dsn, "sqlite:"); isFile {
		for _, part := range []string{"", "-wal", "-shm"} {
			if gone := os.Remove(store.InboxPath(path) + part); !errors.Is(gone, os.ErrNotExist) {
				err = errors.Join(err, gone)
			}
		}
	}
	return err
}

// writeEmptying writes the statements that take all rows out of the tables that a new ledger has empty; what the others hold says which
// schema it is of.
func writeEmptying(ctx context.Context, db *sqldb.DB) (string, error) {
	names := "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
	if db.Dialect.Name() == "postgres" {
		names = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename"
	}
	rows, err := db.Read.QueryContext(ctx, names)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	var tables []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return "", err
		}
		tables = append(tables, name)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return "", err
	}
	var statements strings.Builder
	for _, name := range tables {
		var isFilled bool
		if err := db.Read.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM "+name+")").Scan(&isFilled); err != nil {
			return "", err
		}
		if !isFilled {
			statements.WriteString("DELETE FROM " + name + ";\n")
		}
	}
	return statements.String(), nil
}
