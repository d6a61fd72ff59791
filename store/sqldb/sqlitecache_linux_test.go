package sqldb

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
)

// A stream through a small cache takes pages from the cache of other connections, and a writer that lost its pages read each from
// the file at each step: all caches together were full, so that what it read was dropped as soon as it was let go.
func TestRobbedCacheFillsAgain(t *testing.T) {
	const rows, hot, rounds = 2000, 60, 50 // a row a page
	path := filepath.Join(t.TempDir(), "l")
	slack, err := reserveCachePages()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = slack() }()
	open := func(pages int) *sql.DB {
		db := sql.OpenDB(&sqliteConnector{path: path, flags: sqlite.OpenReadWrite | sqlite.OpenCreate, begin: "BEGIN", pragmas: []string{
			"journal_mode = WAL", fmt.Sprintf("cache_size = %d", pages),
		}})
		db.SetMaxOpenConns(1)
		t.Cleanup(func() { _ = db.Close() })
		return db
	}
	writer, reader := open(200), open(20)
	ask := func(db *sql.DB, query string, args ...any) {
		t.Helper()
		var n int64
		if err := db.QueryRowContext(t.Context(), query, args...).Scan(&n); err != nil {
			t.Fatal(err)
		}
	}
	for _, query := range []string{
		"CREATE TABLE wide (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT",
		fmt.Sprintf(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
			INSERT INTO wide SELECT i, printf('%%.3000c', 'x') FROM n`, rows),
	} {
		if _, err := writer.ExecContext(t.Context(), query); err != nil {
			t.Fatal(err)
		}
	}
	ask(reader, "SELECT SUM(LENGTH(text)) FROM wide")
	before := reads(t)
	for range rounds {
		for i := range hot {
			ask(writer, "SELECT LENGTH(text) FROM wide WHERE id = $1", int64(i*rows/hot+1))
		}
	}
	if n := reads(t) - before; n > rounds*hot/4 {
		t.Errorf("%d reads for %d looks at %d pages that fit the cache", n, rounds*hot, hot)
	}
}

// reads counts the calls by which this process has read.
func reads(t *testing.T) (n int) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		t.Skipf("no count of reads here: %v", err)
	}
	_, after, _ := strings.Cut(string(text), "syscr: ")
	if _, err := fmt.Sscan(after, &n); err != nil {
		t.Fatal(err)
	}
	return n
}
