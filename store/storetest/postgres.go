//go:build unix

package storetest

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"
)

const (
	// PostgresEnv names the DSN, a URL, of a server the suite may create schemas on.
	PostgresEnv = "CONCILIA_TEST_POSTGRES"
	// RequireEnv set to 1 makes a test fail that finds no Postgres, instead of being skipped.
	RequireEnv = "CONCILIA_REQUIRE_POSTGRES"
)

// Postgres gives the DSN of a Postgres for tests: the one PostgresEnv names, or a server of its own that local
// binaries run in a temporary folder, on a socket only, until the test ends. Without either the test is skipped, and
// says so, or fails where RequireEnv demands one. A server of its own is started with the settings, each name=value;
// without any it syncs nothing, because nothing on it outlives the test.
func Postgres(t testing.TB, settings ...string) string {
	t.Helper()
	if dsn := os.Getenv(PostgresEnv); dsn != "" {
		t.Logf("Postgres of %s", PostgresEnv)
		return dsn
	}
	bin := needBinaries(t)
	p := newServer(t, bin)
	t.Cleanup(func() { _ = os.RemoveAll(p.dir) })
	if len(settings) == 0 {
		settings = []string{"fsync=off"}
	}
	p.start(settings...)
	t.Cleanup(func() { p.run("pg_ctl", "-D", p.data(), "-w", "-m", "immediate", "stop") })
	return p.dsn()
}

// needBinaries is the folder of a server's programs; without one the test is skipped, or fails where RequireEnv demands one.
func needBinaries(t testing.TB) string {
	t.Helper()
	bin := postgresBinaries()
	if bin == "" {
		missing := t.Skipf
		if os.Getenv(RequireEnv) == "1" {
			missing = t.Fatalf
		}
		missing("no Postgres: neither %s nor local binaries (initdb)", PostgresEnv)
	}
	t.Logf("Postgres of %s", bin)
	return bin
}

// Schema makes an empty schema on the server at dsn and gives the DSN of a ledger in it. The schema goes with the test.
func Schema(t testing.TB, dsn string) string {
	t.Helper()
	admin, err := sql.Open("pgx", dsn)
	ok(t, err)
	t.Cleanup(func() { _ = admin.Close() })
	schema := "ledger_" + strings.ToLower(rand.Text()[:12])
	_, err = admin.ExecContext(t.Context(), "CREATE SCHEMA "+schema)
	ok(t, err)
	t.Cleanup(func() {
		// A server of the test's own may be gone by now, and its schemas with it.
		_, _ = admin.ExecContext(context.Background(), "DROP SCHEMA "+schema+" CASCADE")
	})
	u, err := url.Parse(dsn)
	ok(t, err)
	q := u.Query()
	q.Set("search_path", schema)
	q.Set("pool_max_conns", "8")
	u.RawQuery = q.Encode()
	return u.String()
}

// Unpooled gives the DSN of a ledger as drivers take it that have no pool, and would refuse the size of one.
func Unpooled(t testing.TB, dsn string) string {
	t.Helper()
	u, err := url.Parse(dsn)
	ok(t, err)
	q := u.Query()
	q.Del("pool_max_conns")
	u.RawQuery = q.Encode()
	return u.String()
}

// postgresBinaries is the folder of a server's programs, or empty: of those on the path, else of the newest that a
// distribution put where it keeps several.
func postgresBinaries() string {
	if path, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(path)
	}
	var found []string
	if out, err := exec.Command("pg_config", "--bindir").Output(); err == nil {
		found = append(found, filepath.Join(strings.TrimSpace(string(out)), "initdb"))
	}
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin/initdb", "/usr/pgsql-*/bin/initdb"} {
		more, _ := filepath.Glob(pattern)
		found = append(found, more...)
	}
	found = slices.DeleteFunc(found, func(path string) bool {
		_, err := os.Stat(path)
		return err != nil
	})
	if len(found) == 0 {
		return ""
	}
	return filepath.Dir(slices.MaxFunc(found, func(a, b string) int { return majorOf(a) - majorOf(b) }))
}

// majorOf is the version in the path of a distribution's server: 9 is less than 15, which their texts are not.
func majorOf(path string) int {
	n := 0
	for _, r := range filepath.Dir(filepath.Dir(path)) {
		if r >= '0' && r <= '9' {
			n = n*10 + int(r-'0')
		}
	}
	return n
}

// server is one that tests started, in a folder of its own.
type server struct {
	t    testing.TB
	bin  string
	dir  string
	user *syscall.Credential
}

// newServer makes a server that is not started, and its folder: that is left to the caller.
func newServer(t testing.TB, bin string) *server {
	t.Helper()
	// The name of a socket has a short limit, and the server's user must reach the folder: not t.TempDir.
	parent := os.TempDir() // in memory, see InMemory: a copy of the template is some ten megabytes for each test
	if len(parent) > 80 {
		parent = "/tmp"
	}
	dir, err := os.MkdirTemp(parent, "pg")
	ok(t, err)
	ok(t, os.Chmod(dir, 0o711)) //nolint:gosec // a process in a namespace of its own must reach the socket, too
	s := &server{t: t, bin: bin, dir: dir}
	s.lowerUser()
	s.run("initdb", "-D", s.data(), "-A", "trust", "-U", "test", "-E", "UTF8", "--no-sync")
	return s
}

func (s *server) data() string { return filepath.Join(s.dir, "data") }

func (s *server) dsn() string { return "postgres://test@/postgres?host=" + s.dir }

// start starts it on a socket in its folder only, with the settings, each name=value.
func (s *server) start(settings ...string) {
	s.t.Helper()
	options := fmt.Sprintf("-c listen_addresses='' -k %s -c max_connections=400", s.dir)
	for _, setting := range settings {
		options += " -c " + setting
	}
	s.run("pg_ctl", "-D", s.data(), "-w", "-l", filepath.Join(s.dir, "log"), "-o", options, "start")
}

// lowerUser finds a user for the server when the tests run as root, which the server refuses.
func (s *server) lowerUser() {
	if os.Geteuid() != 0 {
		return
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		u, err = user.Lookup("nobody")
	}
	ok(s.t, err)
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	ok(s.t, err)
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	ok(s.t, err)
	ok(s.t, os.Chown(s.dir, int(uid), int(gid)))
	s.user = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

func (s *server) run(name string, args ...string) {
	s.t.Helper()
	cmd := exec.Command(filepath.Join(s.bin, name), args...)
	cmd.Dir = s.dir
	// The server inherits what its starter writes to: a file does not keep Run waiting, a pipe would.
	out, err := os.CreateTemp(s.dir, name)
	ok(s.t, err)
	defer func() { _ = out.Close() }()
	cmd.Stdout, cmd.Stderr = out, out
	if s.user != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.user}
	}
	if err := cmd.Run(); err != nil {
		said, _ := os.ReadFile(out.Name())
		s.t.Fatalf("%s: %v\n%s", name, err, bytes.TrimSpace(said))
	}
}
