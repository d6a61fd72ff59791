//go:build unix

package store_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"concilia/store"
	"concilia/store/sqldb"
	"concilia/store/storetest"
)

// replicas is how many processes start on one new ledger at once.
const replicas = 3

// TestMigrateAtOnce starts processes that migrate one empty ledger side by side: all succeed, and every version was
// applied once.
func TestMigrateAtOnce(t *testing.T) {
	if dsn := os.Getenv("CONCILIA_TEST_MIGRATE"); dsn != "" {
		migrateWhenTold(t, dsn)
		return
	}
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		for range storetest.Few(3, 2, 1) {
			raceMigrate(t, "sqlite:"+t.TempDir()+"/ledger.db")
		}
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		raceMigrate(t, storetest.Schema(t, storetest.Shared(t)))
	})
}

// TestStaggeredStarts: who starts one after another on a new ledger meets the others at every step of making its tables and, on
// PostgreSQL, those of the queue, and all succeed: 16 of them, 100 with CONCILIA_LONG.
func TestStaggeredStarts(t *testing.T) {
	t.Parallel()
	starts := 16
	if os.Getenv("CONCILIA_LONG") == "1" {
		starts = 100
	}
	for name, fresh := range map[string]func(*testing.T) string{
		"sqlite":   func(t *testing.T) string { return "sqlite:" + t.TempDir() + "/ledger.db" },
		"postgres": func(t *testing.T) string { return storetest.Schema(t, storetest.Shared(t)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dsn := fresh(t)
			var group sync.WaitGroup
			for range starts {
				l, err := store.Open(t.Context(), dsn)
				must(t, err)
				group.Go(func() {
					if _, _, err := l.Migrate(t.Context()); err != nil {
						t.Error(err)
					}
					if err := l.Close(); err != nil {
						t.Error(err)
					}
				})
			}
			group.Wait()
		})
	}
}

// TestMigrateQueueFromEachVersion: a process that was killed while it made the queue's tables leaves them at any of
// River's versions, of which the first have no column line; the next start completes them.
func TestMigrateQueueFromEachVersion(t *testing.T) {
	t.Parallel()
	for version := 1; ; version++ {
		dsn := storetest.Schema(t, storetest.Shared(t))
		db := rawDB(t, dsn)
		m, err := rivermigrate.New(riverpgxv5.New(db.Pool()), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
		must(t, err)
		newest := m.AllVersions()[len(m.AllVersions())-1].Version
		_, err = m.Migrate(t.Context(), rivermigrate.DirectionUp, &rivermigrate.MigrateOpts{TargetVersion: version})
		must(t, err)
		must(t, db.MigrateQueue(t.Context()))
		left, err := m.Validate(t.Context(), nil)
		if err != nil || !left.OK {
			t.Errorf("from version %d: %v, %v", version, left, err)
		}
		if version == newest {
			return
		}
	}
}

// TestOtherSchemaIsRefused: a ledger from before the schema had a digest, or with another digest, is refused and left as
// it is, on opening.
func TestOtherSchemaIsRefused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, change string }{
		{"no digest, and a higher version", `
			DROP TABLE schema_digest;
			INSERT INTO goose_db_version (version_id, is_applied) VALUES (23, CAST(1 AS BOOLEAN))`},
		{"another digest", `UPDATE schema_digest SET sha256 = 'another'`},
	} {
		for _, dsn := range []string{storetest.FreshSQLite(t), storetest.FreshPostgres(t)} {
			db := rawDB(t, dsn)
			for _, statement := range strings.Split(test.change, ";") {
				_, err := db.Write.ExecContext(t.Context(), statement)
				must(t, err)
			}
			if _, err := store.Open(t.Context(), dsn); !errors.Is(err, store.ErrOtherSchema) {
				t.Errorf("%s, %s: %v", db.Dialect.Name(), test.name, err)
			}
		}
	}
}

func raceMigrate(t *testing.T, dsn string) {
	t.Helper()
	var started []*exec.Cmd
	var tell []io.WriteCloser
	var hear []*bufio.Scanner
	for range replicas {
		cmd := exec.Command(os.Args[0], "-test.run=^TestMigrateAtOnce$", "-test.v")
		cmd.Env = append(os.Environ(), "CONCILIA_TEST_MIGRATE="+dsn)
		in, err := cmd.StdinPipe()
		must(t, err)
		out, err := cmd.StdoutPipe()
		must(t, err)
		cmd.Stderr = cmd.Stdout
		must(t, cmd.Start())
		lines := bufio.NewScanner(out)
		for lines.Scan() && lines.Text() != "ready" {
		}
		started, tell, hear = append(started, cmd), append(tell, in), append(hear, lines)
	}
	for _, in := range tell {
		must(t, in.Close())
	}
	for i, cmd := range started {
		said := ""
		for hear[i].Scan() {
			said += hear[i].Text() + "\n"
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("replica %d: %v\n%s", i, err, said)
		}
	}
	db := rawDB(t, dsn)
	var versions, applied int
	err := db.Write.QueryRowContext(t.Context(), `
		SELECT
			COUNT(DISTINCT version_id),
			COUNT(*)
		FROM goose_db_version`).Scan(&versions, &applied)
	if err != nil || versions != applied || versions < 2 {
		t.Errorf("%d versions were applied %d times, %v", versions, applied, err)
	}
}

// migrateWhenTold says that it is ready and migrates when its input ends.
func migrateWhenTold(t *testing.T, dsn string) {
	fmt.Println("ready")
	if _, err := io.ReadAll(os.Stdin); err != nil {
		t.Fatal(err)
	}
	l, err := store.Open(t.Context(), dsn)
	must(t, err)
	from, to, err := l.Migrate(t.Context())
	must(t, err)
	must(t, l.Close())
	fmt.Println("from", from, "to", to)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// rawDB opens the database under a ledger, for what no method of the ledger says.
func rawDB(t *testing.T, dsn string) *sqldb.DB {
	t.Helper()
	db, err := sqldb.Open(t.Context(), dsn)
	must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return db
}
