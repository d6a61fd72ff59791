package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/sqldb"
	"concilia/store/storetest"
)

func TestSQLite(t *testing.T) {
	t.Parallel()
	runSuite(t, openSQLite)
}

func openSQLite(t *testing.T) *store.Ledger {
	t.Helper()
	return openDSN(t, storetest.FreshSQLite(t))
}

// TestOpen: what is refused says what to do, and a name of a file is only a name.
func TestOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, c := range []struct{ name, dsn, says string }{
		{"a folder that is not there", "sqlite:" + dir + "/no/ledger.db", "create it first"},
		{"a folder for a file", "sqlite:" + dir, "is a folder"},
		{"no path", "sqlite:", "no path"},
		{"a ledger in memory", "sqlite::memory:", "path of a file"},
		{"another database", "mysql:x", "unknown scheme"},
		{"no scheme", "concilia.db", "no scheme"},
		{"an address that is none", "postgres://user:hush@host:port/db", "not a postgres address"},
	} {
		_, err := store.Open(t.Context(), c.dsn)
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	for _, name := range []string{"a b%20c?mode=ro&x=1#y.db", "é.db"} {
		openPath(t, filepath.Join(dir, name))
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	path := filepath.Join(dir, "text.db")
	if err := os.WriteFile(path, []byte(strings.Repeat("this is no database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	var unavailable *sqldb.UnavailableError
	if _, err := store.Open(t.Context(), "sqlite:"+path); !errors.As(err, &unavailable) {
		t.Errorf("a file of text: %v", err)
	}
}

// TestMigrate: migrating again does nothing, and a ledger of a newer program is refused.
func TestMigrate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger.db")
	l, err := store.Open(t.Context(), "sqlite:"+path)
	if err != nil {
		t.Fatal(err)
	}
	from, to, err := l.Migrate(t.Context())
	if err != nil || from != 0 || to < 1 {
		t.Fatalf("first: %d to %d, %v", from, to, err)
	}
	from, again, err := l.Migrate(t.Context())
	if err != nil || from != to || again != to {
		t.Errorf("again: %d to %d, %v", from, again, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sqldb.Open(t.Context(), "sqlite:"+path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Write.Exec("INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, 1)"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(t.Context(), "sqlite:"+path); !errors.Is(err, store.ErrNewer) {
		t.Errorf("a newer ledger: %v", err)
	}
}

// TestDiskFull: a merge for which there is no room leaves nothing, says that the ledger is not available, and works
// once there is room.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	l := openSQLite(t)
	lease, err := l.LeaseAccounts(t.Context(), "r", []ledger.Account{1}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lease.Release(t.Context()) }()
	rows := make([]ledger.Installment, 2000)
	for i := range rows {
		rows[i] = ledger.Installment{Account: 1, SoldAt: ledger.LocalTimeOf(ledger.NewDate(2026, 1, 1).Time(), time.UTC), NSU: strconv.Itoa(i)}
	}
	day := ledger.NewDate(2026, 1, 1)
	merge := func(id string) error {
		return l.MergeInstallments(t.Context(), &ledger.Pull{
			ID: id, Run: "r", Complete: true, Window: ledger.Window{Account: 1, Source: ledger.Cards, Period: ledger.Period{From: day, To: day}},
		}, rows, nil)
	}
	var unavailable *sqldb.UnavailableError
	if err := store.LimitPages(l, 20); err != nil {
		t.Fatal(err)
	}
	if err := merge("a"); !errors.As(err, &unavailable) {
		t.Errorf("no room: %v", err)
	}
	if err := store.LimitPages(l, 100_000); err != nil {
		t.Fatal(err)
	}
	if err := l.Sales(t.Context(), 1, func(*ledger.Sale) error { return errors.New("a row is there") }); err != nil {
		t.Error(err)
	}
	if err := merge("b"); err != nil {
		t.Error(err)
	}
}
