//go:build unix

package store_test

import (
	"os"
	"path/filepath"
	"testing"

	"concilia/store"
	"concilia/store/storetest"
)

// TestUpgradePartway: a ledger at any version since the released one, with what it holds, comes to the newest. The race
// detector sees the oldest alone: the others take the same way.
func TestUpgradePartway(t *testing.T) {
	t.Parallel()
	server := storetest.Shared(t)
	for _, name := range []string{"sqlite", "postgres"} {
		for at := int64(8); at < 8+int64(storetest.Few(4, 4, 1)); at++ {
			dsn := "sqlite:" + filepath.Join(t.TempDir(), "ledger.db")
			if name == "postgres" {
				dsn = storetest.Schema(t, server)
			}
			storetest.Released(t, dsn, "..")
			db := rawDB(t, dsn)
			p, err := db.Migrator(t.Context(), os.DirFS(filepath.Join("migrations", name)))
			must(t, err)
			_, err = p.UpTo(t.Context(), at)
			must(t, err)
			l, err := store.Open(t.Context(), dsn)
			must(t, err)
			from, to, err := l.Migrate(t.Context())
			if err != nil || from != at || to < 11 {
				t.Errorf("%s at %d: from %d to %d, %v", name, at, from, to, err)
			}
			if checked, err := l.Check(t.Context()); err != nil || len(checked.Faults) > 0 || checked.Versions < 200 {
				t.Errorf("%s at %d, the check: %+v, %v", name, at, checked, err)
			}
			must(t, l.Close())
		}
	}
}
