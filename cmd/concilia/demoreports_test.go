package main

import (
	"os"
	"path/filepath"
	"testing"

	"concilia/export/cnab"
)

// demoReports are the published files of the demo whose names match, as a glob below an account's month.
func demoReports(t *testing.T, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(demoOf(t, allDays).dir, "concilia-demo", "reports", "*", "*", "*", pattern))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no %s: %v", pattern, err)
	}
	return paths
}

// An ERP that finds its invoice by the document number settles that invoice and no other.
func TestDemoSlipsHaveDocumentNumbersOfTheirOwn(t *testing.T) {
	t.Parallel()
	for _, path := range demoReports(t, "slips_*.ret") {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		byDocument := map[string]string{} // the number of the title
		_, err = cnab.Read(f, cnab.ReadOptions{Title: func(_ int, x cnab.Title) error {
			if x.DocumentNumber == "" { // no reference was sent, and the number at the bank is the title's
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
}
