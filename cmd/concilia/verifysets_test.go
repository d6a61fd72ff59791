package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"concilia/cmd/concilia/exit"
)

// TestVerifyHoldsSetsAgainstTheLedger: a forger who hides a report with a tombstone, or changes one together with the files
// that describe it, is not found by the files of the day alone, but by comparing them with the ledger.
func TestVerifyHoldsSetsAgainstTheLedger(t *testing.T) {
	t.Parallel()
	p := newDemoTree(t)
	p.verify(p.dir, exit.OK, " sets held against the ledger", "as published")
	dir := filepath.Join(p.dir, "reports", "1001", "2026", "11")
	const aging, set = "aging_1001_asof_20261118_20261118_r0.csv", "set_1001_asof_20261118_20261118_r0"
	read := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	write := func(name string, body []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), body, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sum := func(b []byte) string {
		s := sha256.Sum256(b)
		return hex.EncodeToString(s[:])
	}
	was, manifest, done := read(aging), read(set+".manifest.json"), read(set+".done")

	write(set+".20261118.retired", []byte(sum(manifest)+"  "+set+".manifest.json\n"+sum(was)+"  "+aging+"\n"))
	if err := os.Remove(filepath.Join(dir, aging)); err != nil {
		t.Fatal(err)
	}
	p.verify(p.dir, exit.Breaks, aging+": missing, and the ledger did not take it away", "a tombstone that no night put")
	if err := os.Remove(filepath.Join(dir, set+".20261118.retired")); err != nil {
		t.Fatal(err)
	}
	write(aging, was)
	p.verify(p.dir, exit.OK, " sets held against the ledger", "put back")

	forged := bytes.Replace(manifest, []byte(sum(was)), []byte(sum(nil)), 1)
	write(set+".manifest.json", forged)
	write(set+".done", []byte(sum(forged)+"  "+set+".manifest.json\n"))
	p.verify(p.dir, exit.Breaks, "manifest, mark or control were written anew", "a manifest and a mark written anew")
	write(set+".manifest.json", manifest)
	write(set+".done", done)

	p.dsn = "sqlite:" + filepath.Join(p.dir, "other.db")
	if code, out := p.command("--config", p.config(), "migrate"); code != exit.OK {
		t.Fatal(out)
	}
	p.verify(p.dir, exit.OK, "; 0 sets held against the ledger", "another ledger, of other sets")
}

// TestVerifyComputesDigestsAgain: the rows of the ledger say what was published. A row that was changed behind the program's back
// is found in each set that shows it.
func TestVerifyComputesDigestsAgain(t *testing.T) {
	t.Parallel()
	p := newDemoTree(t)
	share := filepath.Join(p.dir, "reports")
	p.verify(share, exit.OK, " content digests computed again", "as published")
	p.sql("UPDATE installment SET gross = gross + 1 WHERE account = 1001")
	p.verify(share, exit.Breaks, "set_1001_operation_20261113_20261130_r0.manifest.json: has content digest ", "a changed row")
	p.sql("UPDATE installment SET gross = gross - 1 WHERE account = 1001")
	p.verify(share, exit.OK, " content digests computed again", "put back")
	p.sql("UPDATE expectation SET net_contract = net_contract + 10000 WHERE account = 1001 AND ended_run IS NULL")
	p.verify(share, exit.Breaks, ".manifest.json: has content digest ", "a changed expectation")
	p.sql("UPDATE expectation SET net_contract = net_contract - 10000 WHERE account = 1001 AND ended_run IS NULL")

	// No digest of the ledger itself covers what a reconcile rests on.
	const changed = "was made when what the reconciles of account 1001 concluded ended with number 1, "
	p.verify(share, exit.OK, " whose ends of records the ledger has", "put back again")
	p.sql("UPDATE reconciled SET inputs = 'forged' WHERE account = 1001")
	p.verify(share, exit.Breaks, "set_1001_operation_20261113_20261130_r0.manifest.json: "+changed, "a changed conclusion")
	if code, out := p.command("--config", p.config(), "ledger", "check"); code != exit.Breaks || !strings.Contains(out, changed) {
		t.Errorf("the check ended with %d:\n%s", code, out)
	}
}

// TestVerifyFindsARevisionThatTheLedgerDoesNotKnow: somebody who has the program can publish a revision in which everything
// agrees, from a copy of the ledger. Without the real ledger it passes; with it, it is a fault, also after a later report.
func TestVerifyFindsARevisionThatTheLedgerDoesNotKnow(t *testing.T) {
	t.Parallel()
	p, forger := newDemoTree(t), newDemoTree(t)
	share := filepath.Join(p.dir, "reports")
	report := func(p *demoTree) string {
		_, out := p.command("--config", p.config(), "report", "--from", "2026-11-13", "--to", "2026-11-30", "--account", "1001")
		return out
	}
	forger.sql("UPDATE installment SET terminal = 'FORGED' WHERE account = 1001")
	told := report(forger)
	forged, _ := filepath.Glob(filepath.Join(forger.dir, "reports", "1001", "2026", "11", "*_1001_operation_*_r1.*"))
	var run string
	for _, file := range forged {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(share, "1001", "2026", "11", filepath.Base(file)), body, 0o600); err != nil {
			t.Fatal(err)
		}
		if m := regexp.MustCompile(`"run": "(.+)"`).FindSubmatch(body); strings.HasSuffix(file, ".manifest.json") && m != nil {
			run = string(m[1])
		}
	}
	if run == "" {
		t.Fatalf("no revision was forged: %s", told)
	}
	real := p.dsn
	p.dsn = "sqlite:" + filepath.Join(p.dir, "none.db")
	p.verify(share, exit.OK, "as published", "without the ledger")

	want := "_r1.manifest.json: the ledger knows no such revision, and its run " + run + " has ended"
	p.dsn = real
	p.verify(share, exit.Breaks, want, "with the ledger")
	report(p)
	p.verify(share, exit.Breaks, want, "after a later report")
	p.sql("UPDATE run SET ended = NULL WHERE id = '" + run + "'")
	p.verify(share, exit.OK, "1 set is of a run that has not ended", "a run that may have just made it")
	manifest := filepath.Join(share, "1001", "2026", "11", "set_1001_operation_20261113_20261130_r1.manifest.json")
	body, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(manifest, bytes.Replace(body, []byte(run), []byte("20261125T000000.000Z-aaaaaaaa"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	p.verify(share, exit.Breaks, "the ledger knows neither this revision nor its run", "a run that nobody made")
}

// TestForeignTextReachesNoTerminal: names of a share's files, arguments and errors are printed with what a terminal would obey
// spelled out, on both outputs.
func TestForeignTextReachesNoTerminal(t *testing.T) {
	t.Parallel()
	p := newDemoTree(t)
	const evil = "\x1b]0;owned\a\u202e\u200b"
	name := "summary_1001_operation_20261101_20261130_r9" + evil + ".csv"
	if err := os.WriteFile(filepath.Join(p.dir, "reports", "1001", "2026", "11", name), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p.sql("UPDATE finding SET assignee = '" + evil + "'")
	for _, args := range [][]string{
		{"verify", filepath.Join(p.dir, "reports")},
		{"verify", filepath.Join(p.dir, "nowhere"+evil)},
		{"exceptions", "list"},
		{"exceptions", "list", "--json"},
		{"explain", evil},
		{"find", evil},
		{evil},
	} {
		code, out := p.command(append([]string{"--config", p.config()}, args...)...)
		if strings.ContainsAny(out, evil[:1]+"\a\u202e\u200b") {
			t.Errorf("%q ended with %d and printed %q", args, code, out)
		}
	}
	if _, out := p.command("--config", p.config(), "verify", filepath.Join(p.dir, "reports")); !strings.Contains(out, `r9\u001b]0;owned`) {
		t.Errorf("verify does not name the file: %s", out)
	}
}
