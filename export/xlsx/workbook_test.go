package xlsx_test

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"concilia/export/xlsx"
)

// TestSameCallsSameBytes writes one workbook in several directories, with one processor and with all, and compares the bytes.
func TestSameCallsSameBytes(t *testing.T) {
	want := sample(t, 3000, xlsx.Options{RowsPerSheet: 1000})
	for range 3 {
		if got := sample(t, 3000, xlsx.Options{RowsPerSheet: 1000, TempDir: t.TempDir()}); !bytes.Equal(got, want) {
			t.Fatal("a second writing has other bytes")
		}
	}
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	if got := sample(t, 3000, xlsx.Options{RowsPerSheet: 1000}); !bytes.Equal(got, want) {
		t.Fatal("with one processor the bytes are others")
	}
}

// Readers that compare the names of elements as they are spelled, ExcelJS for one, know those of the core properties only with
// their prefixes.
func TestOnlyTheRootOfTheCorePropertiesHasNoPrefix(t *testing.T) {
	t.Parallel()
	book := sample(t, 3, xlsx.Options{Creator: "concilia", Title: "a set"})
	z, err := zip.NewReader(bytes.NewReader(book), int64(len(book)))
	if err != nil {
		t.Fatal(err)
	}
	part, err := z.Open("docProps/core.xml")
	if err != nil {
		t.Fatal(err)
	}
	defer part.Close()
	var names []string
	for d := xml.NewDecoder(part); ; {
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok {
			names = append(names, start.Name.Space+":"+start.Name.Local)
		}
	}
	want := []string{":coreProperties", "dc:title", "dc:creator", "dcterms:created", "dcterms:modified"}
	if !slices.Equal(names, want) {
		t.Errorf("elements %q, want %q", names, want)
	}
}

// TestCells writes one cell of each kind and compares its XML.
func TestCells(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		why  string
		cell xlsx.Cell
		want xlsx.Value
	}{
		{"an absent cell is not written", xlsx.Cell{}, xlsx.Value{}},
		{"an empty text is absent", xlsx.Text(""), xlsx.Value{}},
		{"an empty text by hand is absent too", xlsx.Cell{Kind: xlsx.KindText}, xlsx.Value{}},
		{"a number as text keeps its zeros", xlsx.Text("000123"), text("000123")},
		{"what looks like a formula is text", xlsx.Text("=1+1"), text("=1+1")},
		{"so is a command", xlsx.Text("+cmd|' /C calc'!A0"), text("+cmd|' /C calc'!A0")},
		{"markup is text", xlsx.Text(`<b a="x">&amp;</b>`), text(`<b a="x">&amp;</b>`)},
		{"blanks at the ends stay", xlsx.Text("  a  b "), text("  a  b ")},
		{"line ends become LF", xlsx.Text("a\r\nb\rc\n"), text("a\nb\nc\n")},
		{"a tab stays", xlsx.Text("a\tb"), text("a\tb")},
		{"control characters show as replaced", xlsx.Text("a\x00b\x1bc"), text("a\uFFFDb\uFFFDc")},
		{"bytes that are no text show as replaced", xlsx.Text("a\xffb\xed\xa0\x80"), text("a\uFFFDb\uFFFD\uFFFD\uFFFD")},
		{"characters that XML does not know are replaced", xlsx.Text("\uFFFE\uFFFF"), text("\uFFFD\uFFFD")},
		{"a text like an escape stays a text", xlsx.Text("_x0041_ _x005F_x0041_ _x00"), text("_x0041_ _x005F_x0041_ _x00")},
		{"accents and emoji", xlsx.Text("ação 😀"), text("ação 😀")},
		{"a whole number", xlsx.Int(-1234567), number("-1234567")},
		{"the largest whole number", xlsx.Int(math.MaxInt64), number("9223372036854775807")},
		{"cents", xlsx.Money2(1234_5600), number("1234.56")},
		{"a tenth of a real", xlsx.Money2(-1000), number("-0.1")},
		{"zero has no sign", xlsx.Money2(0), number("0")},
		{"four decimals", xlsx.Money4(-1), number("-0.0001")},
		{"the largest amount", xlsx.Money4(math.MaxInt64), number("922337203685477.5807")},
		{"the smallest amount", xlsx.Money4(math.MinInt64), number("-922337203685477.5808")},
		{"a rate", xlsx.Rate4(2_340_000), number("2.34")},
		{"a rate keeps more places than are shown", xlsx.Rate4(1), number("0.000001")},
		{"a plain number", xlsx.Number2(1_5000), number("1.5")},
		{"a day", xlsx.Date(day), number("46344")},
		{"the last day", xlsx.Date(3652059), number("2958465")},
		{"a day before all calendars agree is text", xlsx.Date(693654), text("1900-02-28")},
		{"no day at all is text", xlsx.Date(0), text("0000-12-31")},
		{"midnight", xlsx.DateTime(day, 0), number("46344")},
		{"noon", xlsx.DateTime(day, 43200), number("46344.5")},
		{"a second past midnight", xlsx.DateTime(day, 1), number("46344.000011574074")},
		{"a second before the next", xlsx.DateTime(day, 86399), number("46344.999988425926")},
	} {
		got := readBack(t, oneCell(t, c.cell))
		if got != c.want {
			t.Errorf("%s: wrote %+v, read %+v", c.why, c.cell, got)
		}
	}
}

// TestLongText checks that a text longer than a cell may be is cut.
func TestLongText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		why, in, want string
	}{
		{"as long as can be", strings.Repeat("a", 32767), strings.Repeat("a", 32767)},
		{"one more", strings.Repeat("a", 32768), strings.Repeat("a", 32766) + "…"},
		{"accents count once", strings.Repeat("ã", 32767), strings.Repeat("ã", 32767)},
		{"emoji count twice", strings.Repeat("😀", 16384), strings.Repeat("😀", 16383) + "…"},
	} {
		var out bytes.Buffer
		wb, s := oneColumn(t, &out, xlsx.Options{})
		must(t, s.AppendRow([]xlsx.Cell{xlsx.Text(c.in)}))
		must(t, wb.Close())
		if got := readBack(t, out.Bytes()); got.Raw != c.want {
			t.Errorf("%s: read %d bytes, want %d", c.why, len(got.Raw), len(c.want))
		}
	}
}

// TestRefused checks that calls that would make a wrong or damaged workbook are errors, and that nothing is written then.
func TestRefused(t *testing.T) {
	t.Parallel()
	kinds := []xlsx.Column{{Header: "valor", Kind: xlsx.KindMoney2, Subtotal: true}, {Header: "texto", Kind: xlsx.KindText}}
	for _, c := range []struct {
		why, want string
		do        func(*xlsx.Sheet) error
	}{
		{"a fraction of a cent in two decimals", "whole cents", func(s *xlsx.Sheet) error { return s.AppendRow([]xlsx.Cell{xlsx.Money2(1)}) }},
		{"text in a money column", "column 1 (valor)", func(s *xlsx.Sheet) error { return s.AppendRow([]xlsx.Cell{xlsx.Text("1")}) }},
		{"money of another scale", "column 1 (valor)", func(s *xlsx.Sheet) error { return s.AppendRow([]xlsx.Cell{xlsx.Money4(1)}) }},
		{"more cells than columns", "3 cells", func(s *xlsx.Sheet) error { return s.AppendRow(make([]xlsx.Cell, 3)) }},
		{"data after the totals", "after the totals", func(s *xlsx.Sheet) error {
			return errors.Join(s.AddTotals(nil), s.AppendRow(nil))
		}},
		{"totals twice", "once", func(s *xlsx.Sheet) error { return errors.Join(s.AddTotals(nil), s.AddTotals(nil)) }},
		{"a sum out of range", "out of range", func(s *xlsx.Sheet) error {
			big := []xlsx.Cell{xlsx.Money2(math.MaxInt64 / 100 * 100)}
			return errors.Join(s.AppendRow(big), s.AppendRow(big))
		}},
		{"a time before all days", "without a number", func(s *xlsx.Sheet) error {
			return s.AddNotes([][]xlsx.Cell{{xlsx.DateTime(-1, 0)}})
		}},
	} {
		var out bytes.Buffer
		wb, err := xlsx.Create(&out, xlsx.Options{TempDir: t.TempDir()})
		must(t, err)
		s, err := wb.AddSheet(xlsx.SheetSpec{Name: "a", Columns: kinds})
		must(t, err)
		if err := c.do(s); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.why, err)
		}
		if err := wb.Close(); err == nil || out.Len() > 0 {
			t.Errorf("%s: closed with %v, %d bytes written", c.why, err, out.Len())
		}
	}
}

// TestSpecs checks that specifications that spreadsheets would not open are errors.
func TestSpecs(t *testing.T) {
	t.Parallel()
	column := []xlsx.Column{{Kind: xlsx.KindText}, {Kind: xlsx.KindText}}
	for _, c := range []struct {
		why  string
		spec xlsx.SheetSpec
	}{
		{"no name", xlsx.SheetSpec{Columns: column}},
		{"a name of 32 characters", xlsx.SheetSpec{Name: strings.Repeat("ã", 32), Columns: column}},
		{"a name with a slash", xlsx.SheetSpec{Name: "a/b", Columns: column}},
		{"a name with an apostrophe", xlsx.SheetSpec{Name: "d'água", Columns: column}},
		{"a reserved name", xlsx.SheetSpec{Name: "HISTORY", Columns: column}},
		{"a name taken, in another case", xlsx.SheetSpec{Name: "TAKEN", Columns: column}},
		{"no columns", xlsx.SheetSpec{Name: "b"}},
		{"all columns frozen", xlsx.SheetSpec{Name: "b", Columns: column, Frozen: 2}},
		{"a column without kind", xlsx.SheetSpec{Name: "b", Columns: []xlsx.Column{{}}}},
		{"a total of rates", xlsx.SheetSpec{Name: "b", Columns: []xlsx.Column{{Kind: xlsx.KindRate4, Subtotal: true}}}},
		{"a total of texts", xlsx.SheetSpec{Name: "b", Columns: []xlsx.Column{{Kind: xlsx.KindText, Subtotal: true}}}},
	} {
		wb, err := xlsx.Create(io.Discard, xlsx.Options{TempDir: t.TempDir()})
		must(t, err)
		_, err = wb.AddSheet(xlsx.SheetSpec{Name: "taken", Columns: column})
		must(t, err)
		if _, err := wb.AddSheet(c.spec); err == nil {
			t.Errorf("%s: no error", c.why)
		}
		wb.Abort()
	}
	wb, err := xlsx.Create(io.Discard, xlsx.Options{})
	must(t, err)
	if wb.Close() == nil {
		t.Error("a workbook without a sheet was written")
	}
}

// TestNothingLeft checks that the temporary files are removed by Close and by Abort.
func TestNothingLeft(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sample(t, 50, xlsx.Options{TempDir: dir, RowsPerSheet: 10})
	wb, s := oneColumn(t, io.Discard, xlsx.Options{TempDir: dir})
	must(t, s.AppendRow([]xlsx.Cell{xlsx.Text("a")}))
	wb.Abort()
	wb.Abort()
	if wb.Close() == nil {
		t.Error("an aborted workbook was closed without error")
	}
	wb, s = oneColumn(t, brokenWriter{}, xlsx.Options{TempDir: dir})
	must(t, s.AppendRow([]xlsx.Cell{xlsx.Text("a")}))
	if err := wb.Close(); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("a broken writer: %v", err)
	}
	left, err := os.ReadDir(dir)
	must(t, err)
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func text(s string) xlsx.Value   { return xlsx.Value{Kind: xlsx.String, Raw: s} }
func number(s string) xlsx.Value { return xlsx.Value{Kind: xlsx.Number, Raw: s} }

func oneColumn(tb testing.TB, w io.Writer, o xlsx.Options) (*xlsx.Workbook, *xlsx.Sheet) {
	tb.Helper()
	if o.TempDir == "" {
		o.TempDir = tb.TempDir()
	}
	wb, err := xlsx.Create(w, o)
	must(tb, err)
	s, err := wb.AddSheet(xlsx.SheetSpec{Name: "a", Columns: []xlsx.Column{{Header: "h", Kind: xlsx.KindAny}}})
	must(tb, err)
	return wb, s
}

func oneCell(tb testing.TB, c xlsx.Cell) []byte {
	tb.Helper()
	var out bytes.Buffer
	wb, s := oneColumn(tb, &out, xlsx.Options{})
	must(tb, s.AppendRow([]xlsx.Cell{c}))
	must(tb, wb.Close())
	return out.Bytes()
}

// readBack is the cell under the header of the one column.
func readBack(tb testing.TB, workbook []byte) (got xlsx.Value) {
	tb.Helper()
	must(tb, open(tb, workbook).Rows("a", func(row int, cells []xlsx.Value) error {
		if row == 2 {
			got = cells[0]
		}
		return nil
	}))
	return got
}

func open(tb testing.TB, workbook []byte) *xlsx.Book {
	tb.Helper()
	b, err := xlsx.Open(bytes.NewReader(workbook), int64(len(workbook)))
	must(tb, err)
	return b
}
