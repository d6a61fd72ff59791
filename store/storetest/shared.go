//go:build unix

package storetest

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// shared is the one server of all tests of the process, and the database on it that new ledgers are copies of. A server
// costs seconds to make and a ledger's tables a good part of one: a process pays for them once.
var shared struct {
	server   sync.Once
	dsn      atomic.Pointer[string] // nil: it did not start, or not yet
	alive    *os.File               // what the server's keeper reads: it ends with the process, however that ends
	template sync.Once              // made in the server
	made     bool
	mu       sync.Mutex
	count    int // databases
}

// template is the name of the database that new ledgers are copies of.
const template = "concilia_template"

// Shared gives the DSN of a server that all tests of the process share: the one PostgresEnv names, else one that local
// binaries run until the process ends. A test makes a schema or a ledger of its own on it and leaves the server as it
// is; one that restarts it, or needs it set otherwise, asks Postgres for its own.
func Shared(t testing.TB) string {
	t.Helper()
	if dsn := os.Getenv(PostgresEnv); dsn != "" {
		t.Logf("Postgres of %s", PostgresEnv)
		return dsn
	}
	bin := needBinaries(t)
	shared.server.Do(func() {
		p := newServer(t, bin)
		p.keep()
		// Nothing on it outlives the process: nothing is synced, or cleaned up behind the tests.
		p.start("fsync=off", "synchronous_commit=off", "full_page_writes=off", "wal_level=minimal", "max_wal_senders=0", "autovacuum=off")
		dsn := p.dsn()
		shared.dsn.Store(&dsn)
	})
	dsn := shared.dsn.Load()
	if dsn == nil {
		t.Fatal("the Postgres of this process did not start: the first test that asked for it says why")
	}
	return *dsn
}

// keep leaves the server to a process that stops it and removes its folder when this one has ended, killed or not.
func (s *server) keep() {
	s.t.Helper()
	cmd := exec.Command("sh", "-c", `cat >/dev/null; "$0" -D "$1/data" -w -m immediate stop; rm -rf "$1"`, filepath.Join(s.bin, "pg_ctl"), s.dir)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.user, Setsid: true} // an interrupt is for the tests
	reading, writing, err := os.Pipe()
	ok(s.t, err)
	cmd.Stdin = reading
	ok(s.t, cmd.Start())
	_ = reading.Close()
	shared.alive = writing
}

// FreshPostgres gives the DSN of a new ledger, empty and migrated, on the shared server.
func FreshPostgres(t testing.TB) string {
	t.Helper()
	dsn := Shared(t)
	if os.Getenv(PostgresEnv) != "" {
		dsn = Schema(t, dsn) // the user of somebody's server may not be one who makes databases
		migrate(t, dsn)
		return dsn
	}
	admin, err := sql.Open("pgx", dsn)
	ok(t, err)
	defer func() { _ = admin.Close() }()
	shared.template.Do(func() {
		_, err := admin.ExecContext(t.Context(), "CREATE DATABASE "+template)
		ok(t, err)
		migrate(t, database(t, dsn, template))
		shared.made = true
	})
	if !shared.made {
		t.Fatal("no ledger was made to copy: the first test that asked for it says why")
	}
	shared.mu.Lock()
	shared.count++
	name := fmt.Sprint("ledger_", shared.count)
	shared.mu.Unlock()
	// Who made the template may not have left it yet: the server waits five seconds for that, which a busy machine may take.
	inUse := &pgconn.PgError{}
	for range 60 {
		_, err = admin.ExecContext(t.Context(), "CREATE DATABASE "+name+" TEMPLATE "+template+" STRATEGY file_copy")
		if !errors.As(err, &inUse) || inUse.Code != "55006" {
			break
		}
	}
	ok(t, err)
	return database(t, dsn, name)
}

// database is the DSN of another database of a server, for few connections: many tests share them.
func database(t testing.TB, dsn, name string) string {
	t.Helper()
	u, err := url.Parse(dsn)
	ok(t, err)
	u.Path = "/" + name
	q := u.Query()
	q.Set("pool_max_conns", "8")
	u.RawQuery = q.Encode()
	return u.String()
}
