package main

import (
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/cmd/concilia/exit"
)

// TestExtractsStayPrivate: what one command writes to another place, no later command brings to reports.out, and claims take
// the place of nothing that was published there.
func TestExtractsStayPrivate(t *testing.T) {
	t.Parallel()
	p := newDemoTree(t)
	share := filepath.Join(p.dir, "reports")
	month := []string{"--basis", "operation", "--from", "2026-11-13", "--to", "2026-11-30"}
	report := func(args ...string) string {
		t.Helper()
		code, said := p.command(append(append([]string{"--config", p.config(), "report"}, month...), args...)...)
		if code != exit.OK && code != exit.Breaks {
			t.Fatalf("%v ended with %d:\n%s", args, code, said)
		}
		return said
	}
	elsewhere := filepath.Join(t.TempDir(), "private")
	before := fileHashes(t, share)
	for _, row := range []struct {
		says    string
		private []string          // the first command
		env     map[string]string // of the first command alone
		out     string            // where its files are
		next    []string          // an ordinary report after it
		own     string            // what the share may have new: an expression for names
	}{
		{
			"one brand",
			[]string{"--brand", "visa", "--out", elsewhere},
			nil, elsewhere,
			[]string{"--kind", "summary", "--format", "csv"},
			`^$`,
		},
		{
			"payers in clear",
			[]string{"--kind", "slips", "--format", "csv,xlsx,html", "--out", elsewhere},
			map[string]string{"CONCILIA_REPORTS_IDENTIFIED": "slips"},
			elsewhere,
			[]string{"--kind", "summary", "--format", "csv,jsonl"},
			`/(summary|control|set)_[^/]*_r1\.`,
		},
		{
			"claims, without another place",
			[]string{"--kind", "claims", "--format", "csv,xlsx"},
			nil, share,
			[]string{"--kind", "summary,slips", "--format", "csv"},
			`/(claims|control|settlement|set)_100[12]_[^/]*_x[0-9a-f]{8}\.`,
		},
	} {
		p.env = row.env
		report(row.private...)
		p.env = nil
		var extracts []string
		for name := range fileHashes(t, row.out) {
			if strings.Contains(name, "_x") {
				extracts = append(extracts, name)
			} else if row.out == elsewhere {
				t.Errorf("%s: %s is no extract", row.says, name)
			}
		}
		if len(extracts) == 0 {
			t.Fatalf("%s: no extract was written", row.says)
		}
		if said := report(row.next...); strings.Contains(said, "deliver") {
			t.Errorf("%s: something waited for reports.out:\n%s", row.says, said)
		}
		after := fileHashes(t, share)
		for name, sum := range before {
			if strings.HasSuffix(name, "/index.html") && row.own != `^$` && after[name] != "" {
				sum = after[name] // it leads to the revision that the ordinary report made
			}
			if after[name] != sum {
				t.Errorf("%s: %s was changed or removed", row.says, name)
			}
			delete(after, name)
		}
		own := regexp.MustCompile(row.own)
		for name := range after {
			if !own.MatchString(name) {
				t.Errorf("%s: %s appeared in reports.out", row.says, name)
			}
		}
		before = fileHashes(t, share)
		p.verify(row.out, exit.OK, "all as published", row.says)
	}
	p.verify(p.dir, exit.OK, "all as published", "at the end")
	if namedPayers(t, elsewhere) == 0 {
		t.Error("the payers were not in clear, and the test shows nothing")
	}
	if n := namedPayers(t, share); n > 0 {
		t.Errorf("%d payers by name in reports.out", n)
	}

	// Nothing of an extract is published again, and it has no EDI file.
	told := fileHashes(t, elsewhere)
	if said := report("--brand", "visa", "--out", elsewhere); !strings.Contains(said, "files     0 new, ") {
		t.Errorf("the same extract is written once more:\n%s", said)
	}
	if d := cmp.Diff(told, fileHashes(t, elsewhere)); d != "" {
		t.Error(d)
	}
	for says, args := range map[string][]string{
		"format edi: an extract has no EDI file":                        {"--format", "edi", "--out", elsewhere},
		"kind statement takes format edi alone":                         {"--basis", "credit", "--kind", "statement", "--out", elsewhere},
		"is reports.out, and --out is for private extracts":             {"--out", share},
		"hint: without --out, and without --kind claims, EDI files are": {"--kind", "claims,slips", "--format", "csv,edi"},
	} {
		code, said := p.command(append(append([]string{"--config", p.config(), "report"}, month...), args...)...)
		if code != exit.Usage || !strings.Contains(said, says) {
			t.Errorf("%v ended with %d, should say %q:\n%s", args, code, says, said)
		}
	}
}

// namedPayers counts the rows of slips below a folder that name their payer.
func namedPayers(t *testing.T, dir string) (named int) {
	t.Helper()
	for name := range fileHashes(t, dir) {
		if !strings.HasPrefix(filepath.Base(name), "slips_") || filepath.Ext(name) != ".csv" || strings.HasSuffix(name, ".br.csv") {
			continue
		}
		in, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(in).ReadAll()
		if err := errors.Join(err, in.Close()); err != nil {
			t.Fatal(err)
		}
		at := slices.Index(rows[0], "payer_name")
		for _, row := range rows[1:] {
			if row[at] != "" {
				named++
			}
		}
	}
	return named
}

// fileHashes are the SHA-256 of the files below a folder, by their paths.
func fileHashes(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := os.ReadFile(path)
		sum := sha256.Sum256(body)
		out[strings.TrimPrefix(path, dir)] = hex.EncodeToString(sum[:])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestActsShowAlikeInEverySet: what people did with a case shows, with the next reconcile and report, in the account's state
// and in that of all accounts, with the same sums.
func TestActsShowAlikeInEverySet(t *testing.T) {
	t.Parallel()
	p := newDemoTree(t)
	do := func(args ...string) string {
		t.Helper()
		code, said := p.command(append([]string{"--config", p.config()}, args...)...)
		if code != exit.OK && code != exit.Breaks {
			t.Fatalf("%v ended with %d:\n%s", args, code, said)
		}
		return said
	}
	_, found, _ := strings.Cut(do("exceptions", "list", "--account", "1002", "--state", "open", "--json"), `"case":"`)
	if len(found) < 16 {
		t.Fatal("account 1002 has no open case")
	}
	do("exceptions", "dispute", found[:16], "--reference", "R-1", "--as", "ana", "--reason", "protocolo")
	do("reconcile", "--as-of", "2026-11-18")
	do("report", "--basis", "asof")
	own, all := p.stateRows(t, "1002", 1), p.stateRows(t, "all", 1)
	if !slices.ContainsFunc(own, func(row []string) bool { return slices.Contains(row, found[:16]) && slices.Contains(row, "disputed") }) {
		t.Errorf("the case is not disputed in the state of its account: %v", own)
	}
	if d := cmp.Diff(append(p.stateRows(t, "1001", 0), own...), all); d != "" {
		t.Errorf("the state of all accounts is not that of each:\n%s", d)
	}

	// An account that is named is reported alone, and a second report of the same finds all of it there.
	if said := do("report", "--basis", "asof", "--account", "1002"); strings.Contains(said, "/all/") || !strings.Contains(said, "files     0 new") {
		t.Error(said)
	}
	if said := do("report", "--basis", "asof"); !strings.Contains(said, "files     0 new") {
		t.Error(said)
	}
}

// stateRows are the cases in a revision of a state set of the demo.
func (p *demoTree) stateRows(t *testing.T, account string, revision int) [][]string {
	t.Helper()
	name := fmt.Sprintf("exceptions_%s_asof_20261118_20261118_r%d.csv", account, revision)
	in, err := os.Open(filepath.Join(p.dir, "reports", account, "2026", "11", name))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	rows, err := csv.NewReader(in).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows[1:]
}
