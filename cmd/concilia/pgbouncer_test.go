//go:build unix

package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"concilia/cmd/concilia/exit"
	"concilia/store/storetest"
)

// TestPgBouncer puts the ledger behind a real PgBouncer. One that keeps sessions is as good as the server: a night with a
// worker goes through it. One that shares connections by transaction or statement is refused, and the error says what to do; one with
// fewer connections than a process needs is not waited for.
func TestPgBouncer(t *testing.T) {
	if raced {
		t.Skip("processes, not goroutines")
	}
	t.Parallel()
	bin := pgBouncer(t)
	if os.Getenv(storetest.PostgresEnv) != "" {
		t.Skipf("PgBouncer is put before a server of the tests' own, not before that of %s", storetest.PostgresEnv)
	}
	server := storetest.Shared(t)
	built := build(t)
	s, err := sandboxProcess(built.sandbox, []string{"--seed", "9"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.stop)
	for _, row := range []struct {
		mode string
		size int // of the pool
		code int
		says string
	}{
		{"session", 60, exit.Breaks, ""},
		{"transaction", 60, exit.Config, "pool_mode=session"},
		{"statement", 60, exit.Config, "pool_mode=session"},
		{"session", 1, exit.Unreachable, "raise default_pool_size in PgBouncer"},
	} {
		t.Run(fmt.Sprint(row.mode, " ", row.size), func(t *testing.T) {
			m := newShared(t, built.concilia, storetest.Schema(t, server), s)
			m.through(t, bin, server, row.mode, row.size)
			code, out := m.run(t, "migrate")
			if row.code == exit.Breaks {
				if code != exit.OK {
					t.Fatalf("migrate ended with %d:\n%s", code, out)
				}
				worker := m.startWorker(t)
				code, out = m.run(t, "run")
				if err := worker.cmd.Process.Signal(syscall.SIGTERM); err != nil {
					t.Fatal(err)
				}
				if code := worker.wait(t); code != exit.OK {
					t.Errorf("the worker ended with %d:\n%s", code, worker.said())
				}
				m.onceInEffect(t)
			}
			if code != row.code || !strings.Contains(out, row.says) {
				t.Errorf("ended with %d, want %d and %q:\n%s", code, row.code, row.says, out)
			}
		})
	}
}

// pgBouncer is where the program is; without it the test is skipped, and says so.
func pgBouncer(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"pgbouncer", "/usr/sbin/pgbouncer"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no PgBouncer here")
	return ""
}

// through lets the ledger be a new database of the server behind a PgBouncer of the mode.
func (m *shared) through(t *testing.T, bin, server, mode string, size int) {
	t.Helper()
	admin, err := sql.Open("pgx", server)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	database := "pooled_" + strings.ToLower(rand.Text()[:12])
	if _, err := admin.ExecContext(t.Context(), "CREATE DATABASE "+database); err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	// The name of a socket has a short limit, and the pooler's user must reach the folder: not t.TempDir.
	dir, err := os.MkdirTemp("/tmp", "pgb")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	config := filepath.Join(dir, "pgbouncer.ini")
	text := fmt.Sprintf(`[databases]
* = host=%s user=test
[pgbouncer]
unix_socket_dir = %s
listen_addr =
listen_port = 6432
auth_type = any
pool_mode = %s
default_pool_size = %d
max_client_conn = 200
logfile = %s/log
`, u.Query().Get("host"), dir, mode, size, dir)
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bin, "--quiet", config)
	lowered(t, cmd, dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	yaml, err := os.ReadFile(filepath.Join(m.dir, "concilia.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	before := m.dsn
	m.dsn = fmt.Sprintf("postgres://test@/%s?host=%s&port=6432", database, dir)
	m.write(t, strings.Replace(string(yaml), before, m.dsn, 1))
	m.untilAnswers(t, dir)
}

// lowered lets a program that refuses to be root be somebody else, who owns the folder.
func lowered(t *testing.T, cmd *exec.Cmd, dir string) {
	t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	who, err := user.Lookup("postgres")
	if err != nil {
		who, err = user.Lookup("nobody")
	}
	if err != nil {
		t.Fatal(err)
	}
	uid, _ := strconv.Atoi(who.Uid)
	gid, _ := strconv.Atoi(who.Gid)
	if err := os.Chown(dir, uid, gid); err != nil {
		t.Fatal(err)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
}

// untilAnswers waits until the pooler takes connections.
func (m *shared) untilAnswers(t *testing.T, dir string) {
	t.Helper()
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		db, err := sql.Open("pgx", m.dsn)
		if err == nil {
			err = db.PingContext(context.Background())
			_ = db.Close()
		}
		// By statement nothing is prepared, which is an answer, too.
		if err == nil || !strings.Contains(err.Error(), "connect") {
			return
		}
		if time.Since(began) > patience {
			log, _ := os.ReadFile(filepath.Join(dir, "log"))
			t.Fatalf("PgBouncer takes no connection: %v\n%s", err, log)
		}
	}
}
