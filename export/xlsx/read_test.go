package xlsx_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"concilia/export/xlsx"
)

// TestTable reads the sample back: the place of its parts, its sums by three ways, and its formulas.
func TestTable(t *testing.T) {
	t.Parallel()
	const rows, perSheet = 250, 100
	book := open(t, sample(t, rows, xlsx.Options{RowsPerSheet: perSheet}))
	var names []string
	for _, s := range book.Sheets() {
		names = append(names, fmt.Sprint(s.Name, " ", s.Header, " ", s.Last))
	}
	want := []string{"Painel 0 0", "Parcelas 4 104", "Parcelas (2) 4 104", "Parcelas (3) 4 54", "Boletos 1 1"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Fatal(diff)
	}
	var sum, total, subtotal int64
	formula, n := "", 0
	for _, s := range book.Sheets()[1:4] {
		must(t, book.Rows(s.Name, func(row int, cells []xlsx.Value) error {
			switch {
			case row == s.Header && cells[6].Raw != "Valor bruto":
				return fmt.Errorf("header %+v", cells[6])
			case row > s.Header && row <= s.Last:
				v, err := cells[6].Scaled(4)
				sum += v
				n++
				return err
			case row == s.Last+1:
				return fmt.Errorf("the row under the data is not blank")
			case row == s.Last+2:
				total = scaled(t, cells[6])
			case row == s.Last+3:
				subtotal, formula = scaled(t, cells[6]), cells[6].Formula
			}
			return nil
		}))
	}
	if n != rows || sum == 0 || sum != total || sum != subtotal {
		t.Errorf("%d rows sum up to %d, total %d, subtotal %d", n, sum, total, subtotal)
	}
	if want := "SUBTOTAL(109,'Parcelas'!G5:G104,'Parcelas (2)'!G5:G104,'Parcelas (3)'!G5:G54)"; formula != want {
		t.Errorf("formula %s, want %s", formula, want)
	}
}

// TestSecondReader reads the same workbook with excelize and compares the cells.
func TestSecondReader(t *testing.T) {
	t.Parallel()
	workbook := sample(t, 130, xlsx.Options{RowsPerSheet: 100})
	other, err := excelize.OpenReader(bytes.NewReader(workbook))
	must(t, err)
	defer other.Close()
	book := open(t, workbook)
	for _, s := range book.Sheets() {
		theirs, err := other.GetRows(s.Name, excelize.Options{RawCellValue: true})
		must(t, err)
		ours := make([][]string, len(theirs))
		must(t, book.Rows(s.Name, func(row int, cells []xlsx.Value) error {
			for _, c := range cells {
				ours[row-1] = append(ours[row-1], c.Raw)
			}
			return nil
		}))
		for i := range theirs {
			if got, want := strings.TrimRight(strings.Join(ours[i], "\t"), "\t"), strings.TrimRight(strings.Join(theirs[i], "\t"), "\t"); got != want {
				t.Fatalf("%s row %d:\n%s\n%s", s.Name, i+1, got, want)
			}
		}
		extent, err := other.GetSheetDimension(s.Name)
		must(t, err)
		if s.Name == "Parcelas" && extent != "A1:P104" {
			t.Errorf("%s: dimension %s", s.Name, extent)
		}
	}
}

// TestOthersWorkbook reads what excelize writes: shared strings, runs of text, booleans, gaps.
func TestOthersWorkbook(t *testing.T) {
	t.Parallel()
	f := excelize.NewFile()
	must(t, f.SetCellValue("Sheet1", "B2", "ação & <b>"))
	must(t, f.SetCellValue("Sheet1", "D2", true))
	must(t, f.SetCellValue("Sheet1", "E2", -0.1))
	must(t, f.SetCellRichText("Sheet1", "A5", []excelize.RichTextRun{{Text: "um "}, {Text: "dois", Font: &excelize.Font{Bold: true}}}))
	packed, err := f.WriteToBuffer()
	must(t, err)
	rows := map[int][]xlsx.Value{}
	must(t, open(t, packed.Bytes()).Rows("Sheet1", func(row int, cells []xlsx.Value) error {
		rows[row] = append([]xlsx.Value(nil), cells...)
		return nil
	}))
	want := map[int][]xlsx.Value{
		2: {{}, text("ação & <b>"), {}, {Kind: xlsx.Bool, Raw: "1"}, number("-0.1")},
		5: {text("um dois")},
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Error(diff)
	}
}

// TestScaled holds numbers to their exact value.
func TestScaled(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		raw    string
		places int
		want   int64
		ok     bool
	}{
		{"0", 4, 0, true},
		{"-0.00", 4, 0, true},
		{"1234.56", 4, 1234_5600, true},
		{"-0.1", 2, -10, true},
		{"1.50", 1, 15, true},
		{"1E2", 0, 100, true},
		{"1.25e-2", 4, 125, true},
		{"120E-1", 0, 12, true},
		{"0E300", 4, 0, true},
		{"922337203685477.5807", 4, math.MaxInt64, true},
		{"-922337203685477.5808", 4, math.MinInt64, true},
		{"922337203685477.5808", 4, 0, false},
		{"0.28000000000000003", 4, 0, false},
		{"1E30", 4, 0, false},
		{"", 2, 0, false},
		{".", 2, 0, false},
		{"+1", 2, 0, false},
		{"1.2.3", 2, 0, false},
		{"--1", 2, 0, false},
		{"NaN", 2, 0, false},
		{strings.Repeat("9", 65), 2, 0, false},
	} {
		got, err := number(c.raw).Scaled(c.places)
		if got != c.want || (err == nil) != c.ok {
			t.Errorf("%q at %d places: %d, %v", c.raw, c.places, got, err)
		}
	}
	if _, err := text("1").Scaled(0); err == nil {
		t.Error("a text was taken for a number")
	}
}

// TestLibreOffice has a spreadsheet program calculate the subtotals anew. It runs where soffice is, when asked for.
func TestLibreOffice(t *testing.T) {
	t.Parallel()
	office, err := exec.LookPath("soffice")
	if err != nil || os.Getenv("CONCILIA_LONG") == "" {
		t.Skip("needs soffice, and CONCILIA_LONG=1")
	}
	dir := t.TempDir()
	workbook := sample(t, 130, xlsx.Options{RowsPerSheet: 100})
	must(t, os.WriteFile(filepath.Join(dir, "in.xlsx"), workbook, 0o666))
	// Over .ods, so that what comes back is what the program understood, not what it was given.
	for _, step := range [][2]string{{"ods", "in.xlsx"}, {"xlsx:Calc MS Excel 2007 XML", "in.ods"}} {
		out, err := exec.Command(office, "-env:UserInstallation=file://"+dir+"/profile", "--headless",
			"--convert-to", step[0], "--outdir", dir, filepath.Join(dir, step[1])).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	theirs, err := xlsx.OpenFile(filepath.Join(dir, "in.xlsx"))
	must(t, err)
	defer theirs.Close()
	want, got := cellsOf(t, open(t, workbook)), cellsOf(t, theirs)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// cellsOf are the numbers with at most four decimals and the texts of the long table, by sheet and place.
func cellsOf(t *testing.T, b *xlsx.Book) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, s := range b.Sheets()[1:3] {
		must(t, b.Rows(s.Name, func(row int, cells []xlsx.Value) error {
			for i, c := range cells {
				if v, err := c.Scaled(4); err == nil {
					all[fmt.Sprint(s.Name, row, i)] = fmt.Sprint(v)
				} else if c.Kind == xlsx.String {
					all[fmt.Sprint(s.Name, row, i)] = c.Raw
				}
			}
			return nil
		}))
	}
	return all
}

func scaled(t *testing.T, v xlsx.Value) int64 {
	t.Helper()
	n, err := v.Scaled(4)
	must(t, err)
	return n
}
