package table_test

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"concilia/export/table"
	"concilia/store/ledger"
)

// csvSpeedRows is of how many rows BenchmarkCSV writes: the million of the goal unless CONCILIA_BENCH_ROWS is set.
func csvSpeedRows(b *testing.B) int {
	text := os.Getenv("CONCILIA_BENCH_ROWS")
	if text == "" {
		return 1_000_000
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		b.Fatalf("CONCILIA_BENCH_ROWS=%q: a count of rows", text)
	}
	return n
}

// BenchmarkCSV holds the csv writer, with its row hashes and its counters, against encoding/csv fed by Sprintf with the
// same 24 columns of the same rows, which makes neither. The two take turns.
func BenchmarkCSV(b *testing.B) {
	n := csvSpeedRows(b)
	ours, theirs := make([]time.Duration, 0, 5), make([]time.Duration, 0, 5)
	for b.Loop() {
		before := loadavg()
		for range 5 {
			theirs = append(theirs, timed(b, n, sprintfCSV))
			ours = append(ours, timed(b, n, tableCSV))
		}
		b.Logf("%d rows, load %s before, %s after", n, before, loadavg())
	}
	median := func(all []time.Duration) float64 { return slices.Sorted(slices.Values(all))[len(all)/2].Seconds() }
	b.Logf("encoding/csv + Sprintf %v, median %.2f s", theirs, median(theirs))
	b.Logf("ours                   %v, median %.2f s", ours, median(ours))
	b.ReportMetric(median(ours)/median(theirs), "ours/theirs")
	b.ReportMetric(float64(n)/median(ours), "rows/s")
}

func loadavg() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(text))
}

func timed(b *testing.B, n int, write func(io.Writer, int) error) time.Duration {
	b.Helper()
	f, err := os.Create(b.TempDir() + "/out.csv")
	if err != nil {
		b.Fatal(err)
	}
	began := time.Now()
	if err := write(f, n); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	return time.Since(began)
}

// speedTable has 24 columns, as the first of the installments have them.
func speedTable() *table.Table {
	t := &table.Table{ID: "speed", Layout: 1}
	for i, of := range []table.Type{
		table.TypeText, table.TypeDateTime, table.TypeText, table.TypeText, table.TypeEnum, table.TypeText, table.TypeText, table.TypeText,
		table.TypeText, table.TypeText, table.TypeInt, table.TypeInt, table.TypeMoney, table.TypeMoney,
		table.TypeMoney, table.TypeRate, table.TypeRate, table.TypeMoney, table.TypeMoney, table.TypeMoney, table.TypeMoney,
		table.TypeMoney, table.TypeRate, table.TypeInt, table.TypeHash,
	} {
		c := table.Column{ID: "column_" + strconv.Itoa(i), Type: of, Decimals: 2, Null: "never"}
		if of == table.TypeRate || i == 12 || i == 13 {
			c.Decimals = 4
		}
		t.Columns = append(t.Columns, c)
	}
	return t
}

const speedDay = ledger.Date(739938) // 2026-11-18

func speedRow(row table.Row, n int) {
	gross, at := ledger.Amount(n%97+1)*12_3400, ledger.LocalTimeOf(speedDay.Time().Add(time.Duration(n)*time.Second), time.UTC)
	nsu := strconv.Itoa(100_000_000 + n*37%1_000_000)
	copy(row, table.Row{
		table.Text("1001"), table.Clock(at), table.Text("T0000001"), table.Text("visa"), table.Text("credit"),
		table.Text("411111******1111"), table.Text(nsu), table.Text(nsu[3:]), table.Text("order-0000012345"),
		table.Text("a3f1c2d4-0000-4000-8000-000000012345"), table.Int(int64(n%12 + 1)), table.Int(12), table.Exact(12 * gross), table.Exact(gross),
		table.Cents(gross / 40), table.Pct(2_340_000), table.Pct(2_340_000), table.Cents(1000), table.Cents(1000), table.Cents(3000),
		table.Cents(3000), table.Cents(0), table.Pct(1_090_000), table.Int(0),
	})
}

func tableCSV(w io.Writer, n int) error {
	t := speedTable()
	c, err := table.NewCSVWriter(w, t)
	if err != nil {
		return err
	}
	row := t.NewRow()
	for i := range n {
		speedRow(row, i)
		if err := addCSV(c, row); err != nil {
			return err
		}
	}
	return c.Flush()
}

func sprintfCSV(w io.Writer, n int) error {
	c := csv.NewWriter(w)
	row, fields := speedTable().NewRow(), make([]string, 24)
	for i := range n {
		speedRow(row, i)
		for k, cell := range row {
			switch cell.Type {
			case table.TypeInt:
				fields[k] = fmt.Sprintf("%d", cell.N)
			case table.TypeMoney:
				fields[k] = fmt.Sprintf("%d.%04d", cell.N/10_000, cell.N%10_000)
			case table.TypeRate:
				fields[k] = fmt.Sprintf("%d.%06d", cell.N/1_000_000, cell.N%1_000_000)
			case table.TypeDateTime:
				s := cell.N / table.TicksPerSecond % 86_400
				y, m, d := ledger.LocalTime(cell.N).Date().Time().Date()
				fields[k] = fmt.Sprintf("%04d-%02d-%02dT%02d:%02d:%02d", y, m, d, s/3600, s/60%60, s%60)
			default:
				fields[k] = cell.S
			}
		}
		if err := c.Write(fields); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}
