package export_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"concilia/export"
	"concilia/export/cnab"
	"concilia/export/report"
)

// statement renders the statement of the feed in files of at most so many records, and reads them back.
func statementIn(t *testing.T, records int) (root string, r export.Result, files []cnab.File) {
	t.Helper()
	tg, out := target(t)
	tg.Numbers = &numbers{}
	j, f := statementJob(), everyClass()
	f.slips = append(f.slips, creditedSlips()...)
	j.MaxRecords(records)
	r = render(t, j, f, tg)
	for _, f := range r.Files {
		if f.Kind != report.StatementKind {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(out.root, r.Dir, f.Path))
		if err != nil {
			t.Fatal(err)
		}
		file, err := cnab.Read(bytes.NewReader(raw), cnab.ReadOptions{StrictIdentities: true})
		if err != nil || file.Totals.Records > records && records > 0 {
			t.Fatalf("%s, %d records: %v", f.Path, file.Totals.Records, err)
		}
		files = append(files, file)
	}
	return out.root, r, files
}

func entriesOf(files []cnab.File) (out []cnab.Entry) {
	for _, f := range files {
		for _, l := range f.Lotes {
			out = append(out, l.Entries...)
		}
	}
	return out
}

// Past the records of a file the entries go on in another one, with a number of its own; each opens with what the one before
// closed with, in the middle of a day too, and together they say what one file would.
func TestEntriesGoOnInAnotherFile(t *testing.T) {
	t.Parallel()
	_, _, whole := statementIn(t, 0)
	root, r, files := statementIn(t, 6) // two entries each
	all := entriesOf(whole)
	if len(whole) != 1 || len(files) != (len(all)+1)/2 || len(files) < 3 || !slices.Equal(all, entriesOf(files)) {
		t.Fatalf("%d entries in %d files, %d in one", len(entriesOf(files)), len(files), len(all))
	}
	if name := r.Files[1].Path; name != "statement-2_1001_credit_20261101_20261130_r0.ret" {
		t.Errorf("the second file is %s", name)
	}
	opening, closing := whole[0].Balances()
	for i := range files {
		o, c := files[i].Balances()
		if o != opening {
			t.Errorf("file %d opens with %s, should with %s", i+1, o, opening)
		}
		if opening = c; i > 0 && files[i].Header.NSA != files[i-1].Header.NSA+1 {
			t.Errorf("file %d has NSA %d after %d", i+1, files[i].Header.NSA, files[i-1].Header.NSA)
		}
	}
	if opening != closing {
		t.Errorf("the last file closes with %s, one alone with %s", opening, closing)
	}
	if v := verify(t, root); len(v.Faults) > 0 {
		t.Error(v.Faults)
	}
	// Of a file that was cut out of the middle both balances are partial: the day goes on before and after it.
	for i, f := range r.Files[:len(files)] {
		raw, err := os.ReadFile(filepath.Join(root, r.Dir, f.Path))
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.Split(raw, []byte("\r\n"))
		got := string(lines[1][169]) + string(lines[len(lines)-3][169])
		if want := map[bool]string{true: "FP", false: "PP"}[i == 0]; i < len(files)-1 && got != want {
			t.Errorf("%s: balances are %s, should be %s", f.Path, got, want)
		}
	}
}
