//go:build unix

package storetest

import (
	"net/url"
	"os"
	"path/filepath"
	"testing"
)

// RestartPostgres takes the server that Postgres started for the test down as a crash would, and starts it again. A server
// that is not the test's own is left alone, and the test skipped.
func RestartPostgres(t testing.TB, dsn string) {
	t.Helper()
	if os.Getenv(PostgresEnv) != "" {
		t.Skipf("the server of %s is not restarted", PostgresEnv)
	}
	if all := shared.dsn.Load(); all != nil && dsn == *all {
		t.Fatal("the server of all tests is not restarted under them: ask Postgres for one of the test's own")
	}
	u, err := url.Parse(dsn)
	ok(t, err)
	s := server{t: t, bin: postgresBinaries(), dir: u.Query().Get("host")}
	s.lowerUser()
	s.run("pg_ctl", "-D", s.data(), "-w", "-m", "immediate", "-l", filepath.Join(s.dir, "log"), "restart")
}
