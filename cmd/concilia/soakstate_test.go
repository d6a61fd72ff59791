package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/cmd/concilia/exit"
	"concilia/jobs"
	"concilia/store/sqldb"
)

// state is what a night leaves that does not name its runs: the versions of every row, the cases, and of each report the
// file that is current, by hash. Revisions are left out of names: a night that was incomplete at first published that.
func (s *soaked) state(t *testing.T, n int) map[string]string {
	t.Helper()
	left := s.rows(t)
	files, _ := s.published(t)
	standing := map[string]int{}
	for _, path := range files {
		m := revision.FindStringSubmatch(filepath.ToSlash(path))
		if m == nil {
			t.Errorf("%s is no name of a report", path)
			continue
		}
		name, ext := m[1], m[3]
		r, err := strconv.Atoi(m[2])
		if before, there := standing[name+ext]; err != nil || there && before >= r {
			continue
		}
		standing[name+ext] = r
		data, err := os.ReadFile(filepath.Join(s.dir, "reports", path))
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(data)
		left[name+ext] = hex.EncodeToString(sum[:])
		switch ext {
		case ".xlsx":
			left[name+ext] = sheets(t, data)
		case ".html":
			left[name+ext] = hashPage(data)
		}
		// Control, the manifest and what seals it name the run.
		if base := filepath.Base(path); strings.HasPrefix(base, "control_") || strings.HasPrefix(base, "set_") {
			left[name+ext] = "there"
		}
	}
	code, out := s.command(t, n, trouble{}, "exceptions", "list", "--state", "pending,open,reopened,resolved", "--json", "--quiet")
	if code != exit.OK {
		t.Fatalf("exceptions list ended with %d: %s", code, out)
	}
	for lines := bufio.NewScanner(strings.NewReader(out)); lines.Scan(); {
		var c struct{ Case, Code string }
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatalf("%v: %s", err, lines.Text())
		}
		// What went wrong in a run that was begun again is resolved by now, and has its case.
		if !strings.HasPrefix(c.Code, "RUN_") {
			left["case "+c.Case] = lines.Text()
		}
	}
	return left
}

// hashPage hashes a page without what the run that rendered it could not evaluate, for the same reason as sheets.
func hashPage(page []byte) string {
	sum := sha256.Sum256(unevaluated.ReplaceAll(page, nil))
	return hex.EncodeToString(sum[:])
}

// unevaluated matches the list of rules that could not be evaluated, and their number.
var unevaluated = regexp.MustCompile(`(?s)<details class="blind">.*?</details>|<b>Não avaliado</b> [0-9]+ regras?`)

// sheets hashes a workbook without its control sheet, the last. That counts what the rules looked at in the night that
// rendered it: one begun again behind an incomplete one evaluates what moved since, and shows the same content.
func sheets(t *testing.T, workbook []byte) string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(workbook), int64(len(workbook)))
	if err != nil {
		t.Fatal(err)
	}
	control := 0
	for _, f := range z.File {
		var n int
		if _, err := fmt.Sscanf(f.Name, "xl/worksheets/sheet%d.xml", &n); err == nil {
			control = max(control, n)
		}
	}
	h := sha256.New()
	for _, f := range z.File {
		// The workbook's own part names the range of the control sheet.
		if f.Name == fmt.Sprintf("xl/worksheets/sheet%d.xml", control) || f.Name == "xl/workbook.xml" {
			continue
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(h, f.Name)
		if _, err := io.Copy(h, r); err != nil { //nolint:gosec // of our own making
			t.Fatal(err)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// revision parts the name of a published file: what it is, its revision, its extension.
var revision = regexp.MustCompile(`^(.+)_r(\d+)(\.[a-z.]+)$`)

// published lists the files of the reports, relative to their folder, and apart what a process that died left hidden.
func (s *soaked) published(t *testing.T) (files, hidden []string) {
	t.Helper()
	root := filepath.Join(s.dir, "reports")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		switch {
		case strings.HasPrefix(d.Name(), "."):
			hidden = append(hidden, rel)
		case !d.IsDir() && d.Name() != "index.html" && !strings.Contains(rel, string(filepath.Separator)+".") && !strings.HasPrefix(rel, "."):
			files = append(files, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files, hidden
}

// rows is the ledger's content by account: every version of every row, with the day it was first seen and last changed.
func (s *soaked) rows(t *testing.T) map[string]string {
	t.Helper()
	db, err := sqldb.Open(context.Background(), s.dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	left := map[string]string{}
	for table, query := range map[string]string{
		"installments": `
			SELECT account || ' ' || sale_day || ' ' || nsu || ' ' || auth || ' ' || number || ' ' || occurrence || ' ' || version || ' ' ||
				hex(content) || ' ' || vanished || ' ' || (ended_pull IS NULL) || ' ' || COALESCE(first_seen, 0) || ' ' || COALESCE(last_changed, 0)
			FROM installment
			ORDER BY account, sale_day, nsu, auth, number, occurrence, version`,
		"slips": `
			SELECT account || ' ' || id || ' ' || list || ' ' || version || ' ' || hex(content) || ' ' || vanished || ' ' ||
				(ended_pull IS NULL) || ' ' || COALESCE(first_seen, 0) || ' ' || COALESCE(last_changed, 0)
			FROM slip
			ORDER BY account, id, list, version`,
	} {
		if strings.HasPrefix(s.dsn, "postgres:") {
			query = strings.Replace(query, "hex(content)", "ENCODE(content, 'hex')", 1)
		}
		left[table] = digest(t, db, query)
	}
	return left
}

// digest counts the lines a query gives, and hashes them.
func digest(t *testing.T, db *sqldb.DB, query string) string {
	t.Helper()
	rows, err := db.Read.QueryContext(context.Background(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	h, count := sha256.New(), 0
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(h, line)
		count++
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d versions, SHA-256 %x", count, h.Sum(nil))
}

// whole holds what is left in the end against itself: the night once more changes nothing and sweeps what the dead left;
// no day is without its answer, no file without its seal, the ledger without a fault.
func (s *soaked) whole(t *testing.T, n, code int) {
	t.Helper()
	before := s.state(t, n)
	s.age(t)
	s.ask(t, "/sandbox/faults", nil)
	for attempt := 0; ; attempt++ { // the service still fails
		got, out := s.start(t, n, trouble{})
		if got == code {
			break
		}
		if got != jobs.ExitIncomplete && got != exit.Unreachable || attempt == mostAttempts {
			t.Fatalf("the last night once more ended with %d, and with %d before:\n%s", got, code, out)
		}
	}
	if diff := cmp.Diff(before, s.state(t, n)); diff != "" {
		t.Errorf("before (-) and after (+) the last night once more differ:\n%s", diff)
	}
	files, hidden := s.published(t)
	for _, path := range hidden {
		t.Errorf("%s was left half done", path)
	}
	for _, path := range files {
		m := revision.FindStringSubmatch(filepath.Base(path))
		if m == nil {
			t.Errorf("%s is no name of a report", path)
			continue
		}
		_, set, _ := strings.Cut(m[1], "_")
		seal := filepath.Join(filepath.Dir(path), "set_"+set+"_r"+m[2]+".done")
		if !slices.Contains(files, seal) {
			t.Errorf("%s has no %s", path, filepath.Base(seal))
		}
	}
	for _, args := range [][]string{{"coverage"}, {"ledger", "check"}, {"verify", filepath.Join(s.dir, "reports")}} {
		if code, out := s.command(t, n, trouble{}, args...); code != exit.OK {
			t.Errorf("%v ended with %d: %s", args, code, out)
		}
	}
}

// age makes hidden files as old as those of processes that have ended.
func (s *soaked) age(t *testing.T) {
	t.Helper()
	old := time.Now().Add(-48 * time.Hour)
	_, hidden := s.published(t)
	for _, top := range hidden {
		err := filepath.WalkDir(filepath.Join(s.dir, "reports", top), func(path string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Chtimes(path, old, old)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
