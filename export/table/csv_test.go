package table_test

import (
	"bytes"
	"cmp"
	"strings"
	"testing"
	"testing/iotest"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"concilia/export/table"
	"concilia/store/ledger"
)

func TestCSVFormat(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	err := writeCSV(&out, shares(),
		share("=1+1", "A|B", -3, brl("-0.10"), rate("2.34"), day("2026-11-18")),
		share("a,\"b\"\nc", "", 0, brl("0.005"), rate("-2.34565"), 0),
		share("-\r", "", 7, brl("-0.005"), rate("0.00004"), 0),
	)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitN(out.String(), "\n", 2)
	if !strings.HasPrefix(lines[0], "account,sale_at,nsu,") || !strings.HasSuffix(lines[0], ",codes,row_hash") {
		t.Errorf("header %s", lines[0])
	}
	want := "1001,2026-11-02T10:30:00,'=1+1,A,-3,1,'=1+1,2.3400,-0.1000,-0.10,,2026-11-18,open,A|B,#\n" +
		"1001,2026-11-02T10:30:00,\"a,\"\"b\"\"\nc\",A,0,1,\"a,\"\"b\"\"\nc\",-2.3457,0.0050,0.01,,,open,,#\n" +
		"1001,2026-11-02T10:30:00,\"'-\r\",A,7,1,\"'-\r\",0.0000,-0.0050,-0.01,,,open,,#\n"
	if d := gocmp.Diff(want, withoutHashes(lines[1])); d != "" {
		t.Error(d)
	}
}

// withoutHashes puts # for the sixteen digits that end a row.
func withoutHashes(s string) string {
	rows := strings.SplitAfter(s, "\n")
	for i, r := range rows {
		if at := strings.LastIndexByte(r, ','); at >= 0 && len(r)-at == 18 {
			rows[i] = r[:at+1] + "#\n"
		}
	}
	return strings.Join(rows, "")
}

func TestCSVRefusesToCutDigits(t *testing.T) {
	t.Parallel()
	row := share("x", "", 1, brl("1"), rate("1"), 0)
	row[9] = table.Exact(brl("0.0001"))
	err := writeCSV(&bytes.Buffer{}, shares(), row)
	if err == nil || err.Error() != "table shares: column value: a number with more than 2 decimals" {
		t.Error(err)
	}
	row[9], row[5] = table.Cell{}, table.Cell{}
	err = writeCSV(&bytes.Buffer{}, shares(), row)
	if err == nil || err.Error() != "table shares: column share is absent and may never be" {
		t.Error(err)
	}
}

// What is written is read back as it was, whatever the texts and numbers.
func TestCSVComesBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("aç,;\"'=+-@\t\n\r\v\u200b\uff1d| 0"))).Draw(t, "text")
		row := share(text, rapid.StringMatching(`[A-Z|]*`).Draw(t, "codes"), rapid.Int64().Draw(t, "n"),
			ledger.Amount(rapid.Int64Range(-1e16, 1e16).Draw(t, "money")), ledger.Rate(rapid.Int64Range(-1e12, 1e12).Draw(t, "rate")),
			ledger.Date(rapid.Int64Range(1, 3652059).Draw(t, "day")))
		var out bytes.Buffer
		if err := writeCSV(&out, shares(), row); err != nil {
			t.Fatal(err)
		}
		// Byte by byte, every place in a record is one where what was read so far ends.
		back, err := readCSV(iotest.OneByteReader(bytes.NewReader(out.Bytes())), shares())
		if err != nil || len(back) != 1 {
			t.Fatalf("%v of %q", err, out.String())
		}
		for i := range row {
			a, b := row[i], back[0][i]
			if a.N != b.N || a.S != b.S || a.OK != b.OK {
				t.Fatalf("cell %d went %v and came back %v", i, a, b)
			}
		}
	})
}

// TestCSVReaderIsStrict: what no csv of the table has is not read.
func TestCSVReaderIsStrict(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := writeCSV(&out, shares(), share("a;b", "A", 1, brl("1.10"), rate("2"), day("2026-11-18"))); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, old, changed, want string }{
		{"a cell goes on behind its quotes", `"a;b",`, `"a;b"c,`, "row 2: cell 3 goes on behind its quotes"},
		{"a quote is in a cell without quotes", "1001,", `10"01,`, `row 2: cell 1: '"' in a cell without quotes`},
		{"lines end as those of Windows do", "\n", "\r\n", `header: cell 15: '\r' in a cell without quotes`},
		{"a cell is missing", "1001,", "", "row 2: 14 cells, should be 15"},
		{"a line is empty", "1001,", "\n1001,", "row 2: 1 cells, should be 15"},
		{"the last line is cut", "\n\x00", "", "row 2: the row does not end in a line feed"},
		{"quotes are not closed", `;b"`, ";b", "row 2: cell 3 goes on behind its quotes"},
		{"a text is another one", "a;b", "a;c", "row 2: row_hash is "},
	} {
		text := strings.Replace(out.String()+"\x00", c.old, c.changed, 1)
		_, err := readCSV(strings.NewReader(strings.TrimSuffix(text, "\x00")), shares())
		if err == nil || !strings.HasPrefix(err.Error(), "table shares: "+c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestNoReaderFindsAFormula reads texts with every separator a spreadsheet may go by, and as lines: no cell begins as a
// formula does, whatever quotes mean to the reader.
func TestNoReaderFindsAFormula(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"=1+1", "+1", "-1", "@SUM(A1)", "x;=1+1", "x,=1+1", "x\t=1+1", "x\n=1+1", "x; y;-2", "\n=1", "\v=1", "\f=1", "\uff1d1+1",
		"\u200b=1+1", "x;\u200b=1", `x;"=1+1"`, `x;"";=1`, "x;;=1", "'=1", ";=1", "x;'=1", "x;\"\"=1",
	} {
		var out bytes.Buffer
		if err := writeCSV(&out, shares(), share(text, "A", 1, brl("1.10"), rate("2"), day("2026-11-18"))); err != nil {
			t.Fatal(err)
		}
		_, body, _ := strings.Cut(out.String(), "\n")
		for _, separator := range ",;\t" {
			cells := strings.FieldsFunc(body, func(r rune) bool { return r == separator || r == '\n' || r == '\r' })
			for _, cell := range cells {
				cell = strings.TrimLeft(cell, "\"\v\f\u200b")
				if strings.HasPrefix(cell, "-0.10") || cell == "-3" {
					continue // numbers of the row
				}
				if cell != "" && strings.ContainsRune("=+-@\uff1d", []rune(cell)[0]) {
					t.Errorf("%q: with %q a cell is %q in %q", text, separator, cell, body)
				}
			}
		}
	}
}

// A reader that accepts bytes accepts only what the writer would have written.
func FuzzReadCSV(f *testing.F) {
	var out bytes.Buffer
	if err := writeCSV(&out, shares(), share("=1", "A", 1, brl("1.10"), rate("2"), day("2026-11-18"))); err != nil {
		f.Fatal(err)
	}
	f.Add(out.Bytes())
	f.Add([]byte("account\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		rows, err := readCSV(bytes.NewReader(in), shares())
		if err != nil {
			return
		}
		var again bytes.Buffer
		if err := writeCSV(&again, shares(), rows...); err != nil {
			t.Fatal(err)
		}
		if read, err := table.ReadCSV(&again, shares(), nil); err != nil || read.Rows != int64(len(rows)) {
			t.Errorf("%d rows, %v", read.Rows, err)
		}
	})
}

// A row is written with the same bytes and read as the same row whatever row is above it, also where one between them was refused.
func TestCSVRowIsAlikeBelowAnyOther(t *testing.T) {
	t.Parallel()
	rows := []table.Row{
		share("a", "A", 1, brl("10.05"), rate("2"), day("2026-11-18")),
		share("a", "A", 2, brl("10.05"), rate("2"), 0),
		share("", "A", 2, brl("0"), rate("0"), day("2026-11-18")),
		share("=a", "", -2, brl("-10.0549"), rate("-2.00005"), day("2026-11-19")),
		share(`a,"`, "A|B", 1, brl("10.0549"), rate("2"), day("2026-11-18")),
	}
	for above := range rows {
		for below := range rows {
			var header, alone, both, refused bytes.Buffer
			if err := cmp.Or(writeCSV(&header, shares()), writeCSV(&alone, shares(), rows[below]), writeCSV(&both, shares(), rows[above], rows[below])); err != nil {
				t.Fatal(err)
			}
			w, err := table.NewCSVWriter(&refused, shares())
			if err == nil {
				err = addCSV(w, rows[above])
			}
			tooFine := share("b", "B", 3, 1, rate("3"), day("2026-11-20"))
			tooFine[9].N = 1
			if addCSV(w, tooFine) == nil {
				t.Fatal("a number with more decimals than its column was written")
			}
			if err := cmp.Or(err, addCSV(w, rows[below]), w.Flush()); err != nil {
				t.Fatal(err)
			}
			line := alone.Bytes()[header.Len():]
			if !bytes.HasSuffix(both.Bytes(), line) || !bytes.Equal(refused.Bytes(), both.Bytes()) {
				t.Errorf("below row %d, row %d is written otherwise:\n%s\n%s", above, below, both.Bytes(), refused.Bytes())
			}
			want, errAlone := readCSV(&alone, shares())
			read, errBoth := readCSV(&both, shares())
			if err := cmp.Or(errAlone, errBoth); err != nil {
				t.Fatal(err)
			}
			if d := gocmp.Diff(want, read[1:]); d != "" {
				t.Errorf("below row %d, row %d is read otherwise: %s", above, below, d)
			}
		}
	}
}
