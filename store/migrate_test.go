//go:build unix

package store_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"

	"concilia/store"
	"concilia/store/engine"
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

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// rawDB opens the database under a ledger, for what no method of the ledger says.
func rawDB(t *testing.T, dsn string) *engine.DB {
	t.Helper()
	db, err := engine.Open(t.Context(), dsn)
	must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return db
}
