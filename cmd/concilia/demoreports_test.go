package main

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"concilia/cmd/concilia/exit"
	"concilia/export/cnab"
	"concilia/export/journal/journaltest"
)

// demoReports are the published files of the demo, and the EDI files of its months, whose names match, as a glob below an account's
// month.
func demoReports(t *testing.T, pattern string) []string {
	t.Helper()
	dir := copyDemo(t, allDays)
	for _, month := range []string{"--from 2026-10-01 --to 2026-10-31", "--from 2026-11-01 --to 2026-11-30"} {
		args := append([]string{"--config", filepath.Join(dir, "concilia.yaml"), "report", "--format", "edi"}, strings.Fields(month)...)
		if code, _, errs := inProcess(args...); code != exit.Breaks {
			t.Fatalf("report %s ended with %d:\n%s", month, code, errs)
		}
	}
	paths, err := filepath.Glob(filepath.Join(dir, "reports", "*", "*", "*", pattern))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no %s: %v", pattern, err)
	}
	return paths
}

// An ERP that finds its invoice by the document number settles that invoice and no other. The demo shows it slips that were paid after
// they had been cancelled, and money that was taken back.
func TestDemoSlipsHaveDocumentNumbersOfTheirOwn(t *testing.T) {
	t.Parallel()
	movements := map[cnab.Movement]int{}
	for _, path := range demoReports(t, "*s_*_operation_*.ret") {
		ofSlips := strings.HasPrefix(filepath.Base(path), "slips_")
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		byDocument := map[string]string{} // the number of the title
		_, err = cnab.Read(f, cnab.ReadOptions{OnTitle: func(_ int, x cnab.Title) error {
			movements[x.Movement]++
			if x.DocumentNumber == "" || !ofSlips { // no reference was sent, and the number at the bank is the title's
				return nil
			}
			if other := byDocument[x.DocumentNumber]; other != "" {
				t.Errorf("%s: titles %s and %s share document %q", filepath.Base(path), other, x.TitleNumber, x.DocumentNumber)
			}
			byDocument[x.DocumentNumber] = x.TitleNumber
			return nil
		}})
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	if movements[cnab.PaidLate] == 0 || movements[cnab.FeesDebited] == 0 {
		t.Errorf("the movements of the demo's titles: %v", movements)
	}
}

// The programs of accountants take the journal of the demo by both methods, and refuse it after a cent is changed.
func TestDemoJournalIsJudged(t *testing.T) {
	t.Parallel()
	journaltest.RequirePrograms(t)
	dir := copyDemo(t, allDays)
	chart := filepath.Join(dir, "accounts.yaml")
	for _, method := range []string{"accrual", "cash"} {
		body, err := os.ReadFile(chart)
		if err == nil {
			err = os.WriteFile(chart, bytes.Replace(body, []byte("method: accrual"), []byte("method: "+method), 1), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		code, _, errs := inProcess("--config", filepath.Join(dir, "concilia.yaml"), "report", "--kind", "journal", "--account", "1001",
			"--from", "2026-11-01", "--to", "2026-11-30", "--format", "beancount,hledger")
		if code != exit.OK {
			t.Fatalf("the journal by %s ended with %d:\n%s", method, code, errs)
		}
		revision := map[string]string{"accrual": "0", "cash": "1"}[method]
		files, err := filepath.Glob(filepath.Join(dir, "reports/1001/2026/11/journal_1001_posting_20261101_20261130_r"+revision+".*"))
		if err != nil || len(files) != 2 {
			t.Fatalf("journals by %s: %v, %v", method, files, err)
		}
		journaltest.CheckJudged(t, files...)
	}
}

// Of every sum that control lists there are three figures, and they are one: the ledger's by SQL, the writer's, and that of the
// published bytes. All kinds, formats, accounts and bases of the demo are looked at.
func TestDemoSumsHaveThreeFigures(t *testing.T) {
	t.Parallel()
	files := map[string]bool{}
	for _, path := range demoReports(t, "control_*.csv") {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		rows, err := csv.NewReader(f).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			if r[1] != "sums" {
				continue
			}
			files[r[2]] = true
			if r[6] == "" || r[6] != r[7] || r[6] != r[8] || r[9] != "0.0000" {
				t.Errorf("%s: %s, %s: ledger %q, writer %q, file %q", filepath.Base(path), r[2], r[3], r[6], r[7], r[8])
			}
		}
	}
	for _, want := range []string{"installments.ret", "slips.ret", "summary.csv", "settlement.xlsx summary", "settlement.html slips", "aging.csv"} {
		if !files[want] {
			t.Errorf("no sums of %s", want)
		}
	}
}
