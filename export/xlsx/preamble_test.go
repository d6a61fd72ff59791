package xlsx_test

import (
	"bytes"
	"testing"

	"concilia/export/xlsx"
)

// A preamble is between title and header, and the table below it is read like any other.
func TestPreamble(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	wb, err := xlsx.Create(&out, xlsx.Options{TempDir: t.TempDir(), RowsPerSheet: 2})
	must(t, err)
	s, err := wb.AddSheet(xlsx.SheetSpec{Name: "A", Title: []string{"A"}, Columns: []xlsx.Column{{Header: "N", Kind: xlsx.KindInt, Subtotal: true}}})
	must(t, err)
	must(t, s.AddPreamble([][]xlsx.Cell{{xlsx.Text("ok").WithStyle(xlsx.Good), xlsx.Money2(5_0000)}, nil, {xlsx.Text("end")}}))
	for n := range int64(3) {
		must(t, s.AppendRow([]xlsx.Cell{xlsx.Int(n + 1)}))
	}
	must(t, s.AddTotals([]xlsx.Cell{xlsx.Int(6)}))
	must(t, wb.Close())

	book := open(t, out.Bytes())
	sheets := book.Sheets()
	// Title, blank, three lines, blank, header, two rows; then a sheet without a preamble.
	if len(sheets) != 2 || sheets[0].Header != 7 || sheets[0].Last != 9 || sheets[1].Header != 3 || sheets[1].Last != 4 {
		t.Fatalf("sheets %+v", sheets)
	}
	var rows []int
	must(t, book.Rows("A", func(n int, cells []xlsx.Value) error {
		rows = append(rows, n)
		if n == 3 && (cells[0].Raw != "ok" || cells[1].Raw != "5") {
			t.Errorf("the first line is %+v", cells)
		}
		return nil
	}))
	for i := 1; i < len(rows); i++ {
		if rows[i] <= rows[i-1] {
			t.Errorf("rows %v do not rise", rows)
		}
	}
}

// The header of a table stands above the lines of a headed preamble, too, and the table below is read like any other.
func TestHeadedPreamble(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	wb, err := xlsx.Create(&out, xlsx.Options{TempDir: t.TempDir()})
	must(t, err)
	s, err := wb.AddSheet(xlsx.SheetSpec{Name: "A", Title: []string{"A"}, Columns: []xlsx.Column{{Header: "N", Kind: xlsx.KindInt, Subtotal: true}}})
	must(t, err)
	must(t, s.AddHeadedPreamble([][]xlsx.Cell{{xlsx.Int(3)}}))
	must(t, s.AppendRow([]xlsx.Cell{xlsx.Int(3)}))
	must(t, s.AddTotals([]xlsx.Cell{xlsx.Int(3)}))
	must(t, wb.Close())
	book := open(t, out.Bytes())
	if sheets := book.Sheets(); sheets[0].Header != 6 || sheets[0].Last != 7 {
		t.Errorf("sheets %+v", sheets)
	}
	got := map[int]string{}
	must(t, book.Rows("A", func(n int, cells []xlsx.Value) error {
		got[n] = cells[0].Raw
		return nil
	}))
	if got[3] != "N" || got[4] != "3" || got[6] != "N" || got[7] != "3" {
		t.Errorf("rows %v", got)
	}
}

func TestPreambleComesFirst(t *testing.T) {
	t.Parallel()
	line := [][]xlsx.Cell{{xlsx.Text("x")}}
	for _, tc := range []struct {
		why  string
		free bool
		do   func(s *xlsx.Sheet) error
	}{
		{"after a row", false, func(s *xlsx.Sheet) error { return s.AppendRow([]xlsx.Cell{xlsx.Int(1)}) }},
		{"a second time", false, func(s *xlsx.Sheet) error { return s.AddPreamble(line) }},
		{"on a free sheet", true, func(*xlsx.Sheet) error { return nil }},
	} {
		var out bytes.Buffer
		wb, err := xlsx.Create(&out, xlsx.Options{TempDir: t.TempDir()})
		must(t, err)
		s, err := wb.AddSheet(xlsx.SheetSpec{Name: "A", Freeform: tc.free, Columns: []xlsx.Column{{Header: "N", Kind: xlsx.KindInt}}})
		must(t, err)
		must(t, tc.do(s))
		if err := s.AddPreamble(line); err == nil {
			t.Errorf("%s: it was taken", tc.why)
		}
		if err := wb.Close(); err == nil {
			t.Errorf("%s: the workbook was closed", tc.why)
		}
		wb.Abort()
	}
}
