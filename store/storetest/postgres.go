//go:build unix

package storetest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
)

// PostgresEnv names the DSN of a server the suite may create schemas on.
const PostgresEnv = "CONCILIA_TEST_POSTGRES"

// Postgres gives the DSN of a Postgres for tests: the one PostgresEnv names, or a server of its own that local
// binaries run in a temporary folder, on a socket only, until the test ends. Without either the test is skipped, and
// says so.
func Postgres(t *testing.T) string {
	t.Helper()
	if dsn := os.Getenv(PostgresEnv); dsn != "" {
		t.Logf("Postgres of %s", PostgresEnv)
		return dsn
	}
	bin := postgresBinaries()
	if bin == "" {
		t.Skipf("no Postgres: neither %s nor local binaries", PostgresEnv)
	}
	t.Logf("Postgres of %s", bin)
	// The name of a socket has a short limit, and the server's user must reach the folder: not t.TempDir.
	dir, err := os.MkdirTemp("/tmp", "pg")
	ok(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	p := server{t: t, bin: bin, dir: dir}
	p.lowerUser()
	p.run("initdb", "-D", filepath.Join(dir, "data"), "-A", "trust", "-U", "test", "-E", "UTF8", "--no-sync")
	// Nothing here outlives the test, so nothing is synced.
	p.run("pg_ctl", "-D", filepath.Join(dir, "data"), "-w", "-l", filepath.Join(dir, "log"), "-o",
		fmt.Sprintf("-c listen_addresses='' -c fsync=off -k %s", dir), "start")
	t.Cleanup(func() { p.run("pg_ctl", "-D", filepath.Join(dir, "data"), "-w", "-m", "immediate", "stop") })
	return "postgres://test@/postgres?host=" + dir
}

// postgresBinaries is the folder of the newest server installed, or empty.
func postgresBinaries() string {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if path, err := exec.LookPath("initdb"); err == nil {
		found = append(found, path)
	}
	if len(found) == 0 {
		return ""
	}
	return filepath.Dir(slices.Max(found))
}

type server struct {
	t    *testing.T
	bin  string
	dir  string
	user *syscall.Credential
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
