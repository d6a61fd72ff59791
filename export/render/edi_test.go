package render_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/export"
	"concilia/export/cnab"
	"concilia/export/manifest"
	"concilia/export/render"
	"concilia/export/report"
)

// partedJob is a set whose EDI files take fewer records than it has: 10 are three titles without shares.
func partedJob(records int) export.Job {
	j := job()
	j.Kinds = []report.Kind{report.SummaryKind, report.InstallmentsKind, report.SplitsKind, report.SlipsKind, report.ControlKind}
	j.Formats = []report.Format{report.CSV, report.EDI}
	j.Hooks.MaxRecords = records
	return j
}

// ediOf are the EDI files of a kind as a rendering published them, in order.
func ediOf(t *testing.T, root string, r export.Result, k report.Kind) (names []string, files []cnab.File) {
	t.Helper()
	for _, f := range r.Files {
		if f.Kind != k || f.Format != report.EDI {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(root, r.Dir, f.Path))
		if err != nil {
			t.Fatal(err)
		}
		file, err := cnab.Read(bytes.NewReader(raw), cnab.ReadOptions{StrictIdentities: true})
		if err != nil {
			t.Fatalf("%s: %v", f.Path, err)
		}
		if *f.NSA != file.Header.NSA || f.Rows != int64(file.Totals.Titles) {
			t.Errorf("%s: NSA %d, %d titles; its manifest says %d and %d", f.Path, file.Header.NSA, file.Totals.Titles, *f.NSA, f.Rows)
		}
		names, files = append(names, f.Path), append(files, file)
	}
	return names, files
}

func titlesOf(files []cnab.File) (out []cnab.Title) {
	for _, f := range files {
		for _, l := range f.Lotes {
			out = append(out, l.Titles...)
		}
	}
	return out
}

// Past the records of a file the titles go on in another one, with a number of its own, and together they say what one
// file would.
func TestTitlesGoOnInAnotherFile(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	tg.Numbers = &numbers{}
	r := renderJob(t, partedJob(10), everyClass(), tg)
	names, files := ediOf(t, out.root, r, report.InstallmentsKind)
	const set = "_1001_operation_20261101_20261130_r0.ret"
	want := []string{"installments" + set, "installments-2" + set, "installments-3" + set, "installments-4" + set, "installments-5" + set}
	if d := cmp.Diff(want, names); d != "" {
		t.Fatal(d)
	}
	slips, slipFiles := ediOf(t, out.root, r, report.SlipsKind)
	if len(slips) != 3 || slips[2] != "slips-3"+set {
		t.Errorf("slips in %v", slips)
	}
	var numbers []int
	for _, f := range slices.Concat(files, slipFiles) {
		numbers = append(numbers, f.Header.NSA)
		if f.Totals.Records > 10 || f.Totals.Titles == 0 {
			t.Errorf("NSA %d has %d records, %d titles", f.Header.NSA, f.Totals.Records, f.Totals.Titles)
		}
	}
	if !slices.Equal(numbers, []int{1, 2, 3, 4, 5, 6, 7, 8}) {
		t.Errorf("NSAs %v", numbers)
	}
	tg2, out2 := target(t)
	whole := renderJob(t, partedJob(0), everyClass(), tg2)
	for _, k := range []report.Kind{report.InstallmentsKind, report.SlipsKind} {
		_, parts := ediOf(t, out.root, r, k)
		one, all := ediOf(t, out2.root, whole, k)
		if len(one) != 1 {
			t.Errorf("%s: %v", k, one)
		}
		if d := cmp.Diff(titlesOf(all), titlesOf(parts)); d != "" {
			t.Errorf("%s in one file (-) and in many (+):\n%s", k, d)
		}
	}
	if r.Digest != whole.Digest {
		t.Error("the number of files is no content")
	}
	if v := verifyTree(t, out.root); len(v.Faults) > 0 {
		t.Error(v.Faults)
	}
	control := body(t, out, r, "control", report.CSV)
	for _, line := range []string{
		"1001,sums,installments.ret,count,count,,3.0000,3.0000,3.0000,0.0000,\"ledger: all files of the kind, less the others as written\",",
		"1001,sums,installments-5.ret,count,count,,2.0000,2.0000,2.0000,0.0000,\"ledger: all files",
		"1001,sums,slips-3.ret,count,count,,1.0000,1.0000,1.0000,0.0000,\"ledger: all files",
	} {
		if !strings.Contains(control, line) {
			t.Errorf("control lacks %s", line)
		}
	}
}

// A title that is in none of the files, or in two, is found by the ledger's figure of all of them; a byte of any of them by
// reading it back.
func TestPartsTieTogether(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		why    string
		times  int
		break_ func(dir string)
		want   string
	}{
		{"a title of the first part is lost", 0, nil, "installments.ret, count: rows that the ledger counts are missing (ledger 3.0000, writer 2.0000"},
		{"a title of the first part is written twice", 2, nil, "installments.ret, count: there are more rows than the ledger counts (ledger 2.0000, writer 3.0000"},
		{"a digit of the first part flips", 1, func(dir string) {
			flip(filepath.Join(dir, "installments.ret"), "000000000003333", "000000000003334")
		}, "installments.ret: read back: "},
		{"the last part loses a record", 1, func(dir string) {
			cutLast(filepath.Join(dir, "installments-5.ret"))
		}, "installments-5.ret: read back: "},
	} {
		tg, out := target(t)
		j := partedJob(10)
		if tc.break_ != nil {
			j.Hooks.AfterWrite = tc.break_
		}
		j.Hooks.Repeat = func(table string, row int64) int {
			if table == "titles" && row == 1 {
				return tc.times
			}
			return 1
		}
		_, err := render.Set(t.Context(), j, everyClass(), tg)
		if err == nil || !strings.HasPrefix(err.Error(), tc.want) || len(out.puts) > 0 {
			t.Errorf("%s: %v, published %v", tc.why, err, out.puts)
		}
	}
}

// A part of a published set that was removed is found, and a file that was added to it.
func TestVerifyOfParts(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	r := renderJob(t, partedJob(10), everyClass(), tg)
	at := func(name string) string { return filepath.Join(out.root, r.Dir, name) }
	second := at("installments-2_1001_operation_20261101_20261130_r0.ret")
	raw, err := os.ReadFile(second)
	if err != nil {
		t.Fatal(err)
	}
	write(t, at("installments-9_1001_operation_20261101_20261130_r0.ret"), raw)
	if err := os.Remove(second); err != nil {
		t.Fatal(err)
	}
	faults := ""
	for _, f := range verifyTree(t, out.root).Faults {
		faults += f.String() + "\n"
	}
	for _, want := range []string{"installments-2_1001_operation_20261101_20261130_r0.ret: missing", "installments-9_1001_operation_20261101_20261130_r0.ret: listed by no manifest"} {
		if !strings.Contains(faults, want) {
			t.Errorf("no %q among\n%s", want, faults)
		}
	}
}

func TestWithoutPart(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"installments-12_1001_operation_20261101_20261130_r3.ret":  "installments_1001_operation_20261101_20261130_r3.ret",
		"installments_1001_operation_20261101_20261130_r3.ret":     "installments_1001_operation_20261101_20261130_r3.ret",
		"slips-summary_1001_operation_20261101_20261130_r3.csv":    "slips-summary_1001_operation_20261101_20261130_r3.csv",
		"installments-1_1001_operation_20261101_20261130_r3.ret":   "installments-1_1001_operation_20261101_20261130_r3.ret",
		"installments-2_1001_operation_20261101_20261130_r3.ret~1": "installments-2_1001_operation_20261101_20261130_r3.ret~1",
	} {
		if got := manifest.WithoutPart(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
