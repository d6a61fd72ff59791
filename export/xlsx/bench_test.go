package xlsx_test

import (
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"concilia/export/xlsx"
)

// benchRows is the rows of a round: the million of the goal unless CONCILIA_BENCH_ROWS is set.
func benchRows(b *testing.B) int64 {
	text := os.Getenv("CONCILIA_BENCH_ROWS")
	if text == "" {
		return 1_000_000
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		b.Fatalf("CONCILIA_BENCH_ROWS=%q: a count of rows", text)
	}
	return n
}

// wideRow is 24 cells of the kinds an installment has.
func wideRow(n int64, row []xlsx.Cell) []xlsx.Cell {
	row = sampleRow(n, row)
	return append(row, row[1], row[2], row[6], row[7], row[9], row[10], row[12], row[3])
}

// BenchmarkWorkbook writes rows of 24 cells with references, dimension and totals, and holds it against the same values
// through the bare stream of excelize with its default zip, and against CONCILIA_BASELINE, a command that writes as many such rows, such
// as a program with libxlsxwriter and constant_memory. They take turns.
func BenchmarkWorkbook(b *testing.B) {
	n := benchRows(b)
	baseline := os.Getenv("CONCILIA_BASELINE")
	if baseline == "" {
		b.Log("CONCILIA_BASELINE names no command: it is held against excelize alone")
	}
	var ours, theirs, others []time.Duration
	for b.Loop() {
		before := loadavg()
		for range 5 {
			theirs = append(theirs, timed(b, n, streamed))
			ours = append(ours, timed(b, n, written))
			if baseline != "" {
				others = append(others, timed(b, n, func(b *testing.B, _ int64) { runCommand(b, baseline) }))
			}
		}
		b.Logf("%d rows, load %s before, %s after", n, before, loadavg())
	}
	median := func(all []time.Duration) float64 { return slices.Sorted(slices.Values(all))[len(all)/2].Seconds() }
	b.Logf("excelize's stream %v, median %.2f s", theirs, median(theirs))
	b.Logf("ours              %v, median %.2f s", ours, median(ours))
	b.ReportMetric(median(ours)/median(theirs), "ours/theirs")
	if len(others) > 0 {
		b.Logf("the baseline      %v, median %.2f s", others, median(others))
		b.ReportMetric(median(ours)/median(others), "ours/baseline")
	}
	b.ReportMetric(float64(n)/median(ours), "rows/s")
}

func runCommand(b *testing.B, command string) {
	b.Helper()
	if out, err := exec.Command("sh", "-c", command).CombinedOutput(); err != nil {
		b.Fatalf("%s: %v\n%s", command, err, out)
	}
}

func loadavg() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(text))
}

func timed(b *testing.B, n int64, write func(*testing.B, int64)) time.Duration {
	b.Helper()
	runtime.GC()
	began := time.Now()
	write(b, n)
	return time.Since(began)
}

func written(b *testing.B, rows int64) {
	columns := sampleColumns()
	for _, i := range []int{1, 2, 6, 7, 9, 10, 12, 3} {
		columns = append(columns, columns[i])
	}
	wb, err := xlsx.Create(io.Discard, xlsx.Options{TempDir: b.TempDir()})
	must(b, err)
	s, err := wb.AddSheet(xlsx.SheetSpec{Name: "a", Columns: columns})
	must(b, err)
	var row []xlsx.Cell
	for n := range rows {
		row = wideRow(n, row)
		must(b, s.AppendRow(row))
	}
	must(b, s.AddTotals(nil))
	must(b, wb.Close())
}

func streamed(b *testing.B, rows int64) {
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

// BenchmarkRead reads a sheet back, cell by cell.
func BenchmarkRead(b *testing.B) {
	rows := benchRows(b)
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
