package storetest

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"concilia/store"
)

// migrated is the file of an empty ledger, made once for all tests of the process.
var migrated struct {
	once sync.Once
	file []byte // empty: it could not be made
}

// FreshSQLite gives the DSN of a new ledger, empty and migrated, in a file of the test's own.
func FreshSQLite(t testing.TB) string {
	t.Helper()
	migrated.once.Do(func() {
		path := filepath.Join(t.TempDir(), "empty.db")
		migrate(t, "sqlite:"+path)
		file, err := os.ReadFile(path)
		ok(t, err)
		migrated.file = file
	})
	if len(migrated.file) == 0 {
		t.Fatal("no ledger was made to copy: the first test that asked for it says why")
	}
	path := filepath.Join(t.TempDir(), "ledger.db")
	ok(t, os.WriteFile(path, migrated.file, 0o600))
	return "sqlite:" + path
}

// migrate makes the tables of a ledger.
func migrate(t testing.TB, dsn string) {
	t.Helper()
	l, err := store.Open(t.Context(), dsn)
	ok(t, err)
	_, _, err = l.Migrate(t.Context())
	ok(t, err)
	ok(t, l.Close())
}
