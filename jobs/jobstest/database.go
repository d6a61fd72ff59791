package jobstest

import (
	"context"
	"database/sql"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"concilia/store"
	"concilia/store/storetest"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Database makes empty ledgers of a test's own.
type Database struct {
	Name  string
	Fresh func(t testing.TB) (dsn string)
	// Lend gives a ledger that is as a new one, open until the test ends, and its address.
	Lend func(t *testing.T) (l *store.Ledger, dsn string)
	// Execute runs a statement in the database of a ledger, past the program.
	Execute func(ctx context.Context, dsn, statement string) error
}

// Open opens a new ledger; write runs a statement in its database, past the program.
func (d Database) Open(t *testing.T) (l *store.Ledger, write func(statement string) error) {
	dsn := d.Fresh(t)
	return OpenLedger(t, dsn), func(statement string) error { return d.Execute(t.Context(), dsn, statement) }
}

// OnSQLite makes files.
func OnSQLite() Database {
	return Database{"sqlite", storetest.FreshSQLite, lendNew(storetest.FreshSQLite), func(_ context.Context, dsn, statement string) error {
		conn, err := sqlite.OpenConn(strings.TrimPrefix(dsn, "sqlite:"), sqlite.OpenReadWrite)
		if err != nil {
			return err
		}
		defer conn.Close()
		return sqlitex.Execute(conn, statement, nil)
	}}
}

// OnPostgres makes databases on the server of the test process.
func OnPostgres() Database {
	fresh := func(t testing.TB) string {
		dsn := storetest.FreshPostgres(t)
		t.Cleanup(func() { DropDatabase(t, dsn) })
		return dsn
	}
	return Database{"postgres", fresh, lendNew(fresh), func(ctx context.Context, dsn, statement string) error {
		// Outside the ledger's pool: pgx's driver does not know the pool's own settings.
		db, err := sql.Open("pgx", regexp.MustCompile(`pool_max_conns=\d+&?`).ReplaceAllString(dsn, ""))
		if err != nil {
			return err
		}
		defer db.Close()
		_, err = db.ExecContext(ctx, statement)
		return err
	}}
}

// lendNew lends a ledger that is a new one.
func lendNew(fresh func(testing.TB) string) func(*testing.T) (*store.Ledger, string) {
	return func(t *testing.T) (*store.Ledger, string) {
		dsn := fresh(t)
		return OpenLedger(t, dsn), dsn
	}
}

// DropDatabase takes a test's database away: of the hundreds there are in a run, each has the megabytes of its catalogue.
// On somebody's server it is a schema, which goes by itself.
func DropDatabase(t testing.TB, dsn string) {
	u, err := url.Parse(dsn)
	if err != nil || os.Getenv(storetest.PostgresEnv) != "" {
		return
	}
	admin, err := sql.Open("pgx", storetest.Shared(t))
	if err != nil {
		return
	}
	defer admin.Close()
	_, _ = admin.ExecContext(context.Background(), "DROP DATABASE "+strings.TrimPrefix(u.Path, "/")+" WITH (FORCE)")
}

// OpenLedger opens a ledger until the test ends.
func OpenLedger(t *testing.T, dsn string) *store.Ledger {
	l, err := store.Open(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// FreshLedger opens an empty ledger in a file of the test's own.
func FreshLedger(t *testing.T) *store.Ledger {
	t.Helper()
	return OpenLedger(t, storetest.FreshSQLite(t))
}
