package xlsx_test

import (
	"io"
	"os"
	"testing"

	"github.com/xuri/excelize/v2"

	"concilia/export/xlsx"
)

// benchRows is the rows of one iteration; CONCILIA_LONG=1 makes it the million of the goal.
func benchRows() int64 {
	if os.Getenv("CONCILIA_LONG") != "" {
		return 1_000_000
	}
	return 20_000
}

// wideRow is 24 cells of the kinds an installment has.
func wideRow(n int64, row []xlsx.Cell) []xlsx.Cell {
	row = sampleRow(n, row)
	return append(row, row[1], row[2], row[6], row[7], row[9], row[10], row[12], row[3])
}

// BenchmarkWorkbook writes rows of 24 cells with references, dimension and totals.
func BenchmarkWorkbook(b *testing.B) {
	columns := sampleColumns()
	for _, i := range []int{1, 2, 6, 7, 9, 10, 12, 3} {
		columns = append(columns, columns[i])
	}
	rows := benchRows()
	b.ReportAllocs()
	for b.Loop() {
		wb, err := xlsx.Create(io.Discard, xlsx.Options{TempDir: b.TempDir()})
		must(b, err)
		s, err := wb.Sheet(xlsx.SheetSpec{Name: "a", Columns: columns})
		must(b, err)
		var row []xlsx.Cell
		for n := range rows {
			row = wideRow(n, row)
			must(b, s.Append(row))
		}
		must(b, s.Totals(nil))
		must(b, wb.Close())
	}
	b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

// BenchmarkExcelize is what it is held against: the same values through the bare stream of excelize.
func BenchmarkExcelize(b *testing.B) {
	rows := benchRows()
	b.ReportAllocs()
	for b.Loop() {
		f := excelize.NewFile()
		s, err := f.NewStreamWriter("Sheet1")
		must(b, err)
		var row []xlsx.Cell
		values := make([]any, 24)
		for n := range rows {
			row = wideRow(n, row)
			for i, c := range row {
				switch c.Kind {
				case xlsx.KindEmpty:
					values[i] = nil
				case xlsx.KindText:
					values[i] = c.Text
				case xlsx.KindRate4:
					values[i] = float64(c.N) / 1e6
				case xlsx.KindMoney2, xlsx.KindMoney4, xlsx.KindNumber2:
					values[i] = float64(c.N) / 1e4
				default:
					values[i] = c.N
				}
			}
			cell, err := excelize.CoordinatesToCellName(1, int(n)+1)
			must(b, err)
			must(b, s.SetRow(cell, values))
		}
		must(b, s.Flush())
		must(b, f.Write(io.Discard))
		must(b, f.Close())
	}
	b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

// BenchmarkRead reads a sheet back, cell by cell.
func BenchmarkRead(b *testing.B) {
	rows := benchRows()
	workbook := sample(b, rows, xlsx.Options{})
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		must(b, open(b, workbook).Rows("Parcelas", func(int, []xlsx.Value) error { n++; return nil }))
		if int64(n) < rows {
			b.Fatal(n)
		}
	}
	b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
