package store_test

import (
	"path/filepath"
	"testing"

	"concilia/store"
	"concilia/store/storetest"
)

func TestSQLite(t *testing.T) {
	t.Parallel()
	storetest.Run(t, openSQLite)
}

func openSQLite(t *testing.T) *store.Ledger {
	t.Helper()
	l, err := store.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "ledger.db"))
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
}
