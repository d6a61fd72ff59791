package jobs_test

import (
	"crypto/sha256"
	"database/sql"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"concilia/cmd/sandbox/world"
	"concilia/export/report"
	"concilia/jobs"
	"concilia/jobs/jobstest"
	"concilia/jobs/plan"
	"concilia/store/ledger"
	"concilia/store/storetest"

	"github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// reader reads a ledger past the store: each row of a query in one line.
type reader func(t *testing.T, query string) []string

// sqliteReader reads the file of a ledger.
func sqliteReader(path string) reader {
	return func(t *testing.T, query string) (lines []string) {
		t.Helper()
		conn, err := sqlite.OpenConn(path, sqlite.OpenReadOnly)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		err = sqlitex.Execute(conn, query, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			var cells []string
			for i := range s.ColumnCount() {
				cells = append(cells, s.ColumnText(i))
			}
			lines = append(lines, strings.Join(cells, "|"))
			return nil
		}})
		if err != nil {
			t.Fatal(query, err)
		}
		return lines
	}
}

// postgresReader reads a ledger on the tests' server.
func postgresReader(dsn string) reader {
	return func(t *testing.T, query string) (lines []string) {
		t.Helper()
		// Outside the ledger's pool: pgx's driver does not know the pool's own settings.
		db, err := sql.Open("pgx", storetest.Unpooled(t, dsn))
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		rows, err := db.QueryContext(t.Context(), "SELECT CAST(x AS TEXT) FROM ("+query+") AS x")
		if err != nil {
			t.Fatal(query, err)
		}
		defer rows.Close()
		for rows.Next() {
			var line string
			if err := rows.Scan(&line); err != nil {
				t.Fatal(err)
			}
			lines = append(lines, strings.Trim(line, "()"))
		}
		if err := rows.Err(); err != nil {
			t.Fatal(query, err)
		}
		return lines
	}
}

// written is everything a run could write: the rows of every table of the ledger, and the files of the share.
func (m *merchant) written(t *testing.T, read reader, tables string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, name := range read(t, tables) {
		lines := read(t, "SELECT * FROM "+name)
		slices.Sort(lines)
		out[name] = fmt.Sprintf("%d rows %x", len(lines), sha256.Sum256([]byte(strings.Join(lines, "\n"))))
	}
	if len(out) < 20 {
		t.Fatalf("the ledger has the tables %v", out)
	}
	err := filepath.WalkDir(m.Out, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		out[path] = fmt.Sprintf("%x", sha256.Sum256(b))
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return out
}

// asPublished are the revisions of a night's sets as a preview names them.
func asPublished(record *ledger.Run) map[string]string {
	out := map[string]string{}
	for _, s := range record.Sets {
		out[fmt.Sprintf("%s %s %s..%s", s.Account, s.Basis, s.Period.From, s.Period.To)] = fmt.Sprintf("r%d new %t", s.Revision, s.New)
	}
	return out
}

func asPreviewed(sets []jobs.SetPreview) map[string]string {
	out := map[string]string{}
	for _, s := range sets {
		out[fmt.Sprintf("%s %s %s..%s", s.Account, s.Basis, s.From, s.To)] = fmt.Sprintf("r%d new %t", s.Revision, s.New)
	}
	return out
}

// What a night would publish is what it then publishes where nothing moved: everything on an empty ledger, nothing on the same
// morning, the sets of a changed contract, and on the next morning the state of the day. Looking writes nothing, on either
// database.
func TestPreviewOfANight(t *testing.T) {
	t.Parallel()
	for _, on := range []string{"sqlite", "postgres"} {
		t.Run(on, func(t *testing.T) {
			t.Parallel()
			m := newMerchant(t, world.Options{Seed: 31, Days: 8, Installments: 50, Plant: true})
			m.Plan, m.Accounts[1].Since = plan.Settings{SlipsDueBack: 8, SlipsDueForward: 10}, 0 // a run would decide and keep it
			dsn := storetest.FreshSQLite(t)
			read := sqliteReader(strings.TrimPrefix(dsn, "sqlite:"))
			tables := "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
			if on == "postgres" {
				dsn = storetest.FreshPostgres(t)
				t.Cleanup(func() { jobstest.DropDatabase(t, dsn) })
				read = postgresReader(dsn)
				tables = "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'"
			}
			m.Ledger = jobstest.OpenLedger(t, dsn)
			look := func() []jobs.SetPreview {
				t.Helper()
				before := m.written(t, read, tables)
				sets, err := m.PreviewNight(t.Context(), m.Today())
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(before, m.written(t, read, tables)); d != "" {
					t.Errorf("before (-) and after (+) looking:\n%s", d)
				}
				return sets
			}
			agree := func(says string, wantNew int) {
				t.Helper()
				sets := look()
				fresh := 0
				for _, s := range sets {
					if s.New {
						fresh++
					}
					if s.New != (len(s.Why) > 0) || len(s.Kinds) == 0 || len(s.Formats) == 0 {
						t.Errorf("%s: %+v", says, s)
					}
				}
				if d := cmp.Diff(asPreviewed(sets), asPublished(m.RunNight(t).Record)); d != "" || fresh != wantNew {
					t.Errorf("%s: %d of %d sets are new, want %d; previewed (-) and published (+):\n%s", says, fresh, len(sets), wantNew, d)
				}
			}
			all := len(look())
			agree("an empty ledger", all)
			agree("the same morning", 0)
			m.Reports.Language = "en"
			agree("another language", all)

			m.World.SetNow(m.World.Now().AddDate(0, 0, 1))
			states := 0
			for _, s := range look() {
				if s.New != (s.Basis == report.ByAsOf) || s.New && s.Revision != 0 {
					t.Errorf("the next morning: %+v", s)
				}
				if s.New {
					states++
				}
			}
			if states != 3 {
				t.Errorf("the next morning %d sets are new, want the states of two accounts and of both", states)
			}
		})
	}
}
