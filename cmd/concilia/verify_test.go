package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"concilia/cmd/concilia/exit"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// demoTree is a demo's folder, and a ledger of it that hands that know SQL can reach.
type demoTree struct {
	t   *testing.T
	dir string
	dsn string // of the ledger that is configured
	env map[string]string
}

func newDemoTree(t *testing.T) *demoTree {
	t.Helper()
	dir := copyDemo(t, 5)
	return &demoTree{t: t, dir: dir, dsn: "sqlite:" + filepath.Join(dir, "concilia.db")}
}

func (p *demoTree) config() string { return filepath.Join(p.dir, "concilia.yaml") }

// configure writes a configuration where no demo wrote one.
func (p *demoTree) configure() {
	p.t.Helper()
	text := "ledger: {dsn: sqlite:elsewhere.db}\nservice: {gateway_url: http://127.0.0.1:1/g, integration_url: http://127.0.0.1:1/i, user_name: u}\n" +
		"accounts: [{number: 1001}]\nreports: {formats: [csv]}\n"
	if err := os.WriteFile(p.config(), []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// command runs the program offline and gives its exit code and all it said.
func (p *demoTree) command(args ...string) (int, string) {
	var out bytes.Buffer
	code := run(p.t.Context(), environment{
		args: args, stdout: &out, stderr: &out, wall: time.Now, lookup: func(name string) (string, bool) {
			if name == "CONCILIA_LEDGER_DSN" {
				return p.dsn, true
			}
			value, ok := p.env[name]
			return value, ok
		},
	})
	return code, out.String()
}

// verify wants verify of a folder to end so and to say that.
func (p *demoTree) verify(path string, code int, want, why string) {
	p.t.Helper()
	got, out := p.command("--config", p.config(), "verify", path)
	if got != code || !strings.Contains(out, want) {
		p.t.Errorf("%s: verify ended with %d, wanted %d and %q:\n%s", why, got, code, want, out)
	}
}

// act logs acts of account 1001.
func (p *demoTree) act(subjects ...string) {
	p.t.Helper()
	l, err := store.Open(p.t.Context(), p.dsn)
	if err != nil {
		p.t.Fatal(err)
	}
	defer l.Close()
	for _, subject := range subjects {
		act := ledger.Act{Account: 1001, Verb: "note", Stage: ledger.Done, Subject: subject, Actor: "ana", At: time.Now()}
		if _, err := l.LogAct(p.t.Context(), act); err != nil {
			p.t.Fatal(err)
		}
	}
}

func (p *demoTree) sql(query string) {
	p.t.Helper()
	db, err := sqldb.Open(p.t.Context(), p.dsn)
	if err != nil {
		p.t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Write.ExecContext(p.t.Context(), query); err != nil {
		p.t.Fatal(err)
	}
}

// TestVerifyTellsOfActs: an act that was changed behind the program's back turns verify to 20, and is named.
func TestVerifyTellsOfActs(t *testing.T) {
	t.Parallel()
	p := newDemoTree(t)
	p.act("a", "b")
	p.verify(p.dir, exit.OK, "log of acts: 0 faults", "an honest log")
	p.sql("UPDATE act SET actor = 'eva' WHERE number = 1")
	p.verify(p.dir, exit.Breaks, "fault: act 1 of account 1001: was changed", "a changed act")
	p.dsn = "sqlite:" + filepath.Join(p.dir, "none.db")
	p.verify(p.dir, exit.OK, "the ledger is not here", "no ledger")
	if _, err := os.Stat(filepath.Join(p.dir, "none.db")); err == nil {
		t.Error("verify made a ledger")
	}
}

// TestVerifyFindsACutLogOfActs: nothing in the ledger tells of acts that were cut off its end, if they touched no case.
// What was published after them does.
func TestVerifyFindsACutLogOfActs(t *testing.T) {
	t.Parallel()
	p := newDemoTree(t)
	p.act("a", "b")
	report := []string{
		"--config", p.config(), "report", "--from", "2026-11-14", "--to", "2026-11-15",
		"--account", "1001", "--format", "csv", "--kind", "summary",
	}
	if code, out := p.command(report...); code != exit.OK && code != exit.Breaks {
		t.Fatalf("report ended with %d: %s", code, out)
	}
	p.act("c")
	p.verify(p.dir, exit.OK, "log of acts: 0 faults", "an act after the publication")
	p.sql("DELETE FROM act WHERE number = 3")
	p.verify(p.dir, exit.OK, "log of acts: 0 faults", "an act that nothing was published after")
	p.sql("DELETE FROM act WHERE number = 2")
	p.verify(p.dir, exit.Breaks, "the log of acts of account 1001 ended with act 2", "an act that was cut off")
	p.act("another")
	p.verify(p.dir, exit.Breaks, "has no such act now: it was cut or rewritten", "an act that took its place")

	p.sql("DELETE FROM act")
	p.sql("DELETE FROM run WHERE kind = 'report'")
	p.verify(p.dir, exit.Breaks, "the log of acts of account 1001 ended with act 2", "a ledger put back to before the acts")
}

// TestVerifyOfAnotherLedgersFiles: files that another ledger published are not held against the acts of this one.
func TestVerifyOfAnotherLedgersFiles(t *testing.T) {
	t.Parallel()
	p := newDemoTree(t)
	p.dsn = "sqlite:" + filepath.Join(p.dir, "other.db")
	l, err := store.Open(context.Background(), p.dsn)
	if err != nil {
		t.Fatal(err)
	}
	p.verify(p.dir, exit.OK, "held against 0 published ends", "a ledger without tables")
	if _, _, err := l.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	p.verify(p.dir, exit.OK, "held against 0 published ends", "another ledger")
}

// TestVerifyOfNothing: a folder where nothing is published is no proof of anything.
func TestVerifyOfNothing(t *testing.T) {
	t.Parallel()
	p := &demoTree{t: t, dir: t.TempDir()}
	p.verify(p.dir, exit.Breaks, "nothing was verified", "an empty folder")
	p.verify(filepath.Join(p.dir, "no"), exit.Unreachable, "no such file", "no folder")
}
