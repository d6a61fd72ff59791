package export_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"concilia/export"
	"concilia/store/ledger"
)

// row fills a row of splits, which has a column of every type but int-valued money.
func splitsRow(text, codes string, n int64, money ledger.Amount, rate ledger.Rate, on ledger.Date) export.Row {
	return export.Row{
		export.Text("1001"), export.Clock(at("2026-11-02T10:30:00")), export.Text(text), export.Text("A"), export.Int(n), export.Int(1),
		export.Text("visa"), export.Int(1), export.Text(text), export.Text("P"), export.Pct(rate), export.Cents(money),
		export.Cents(money),
		{},
		{},
		{},
		export.Day(on), export.Text("open"), export.Text("ok"), export.Text(codes),
	}
}

func TestCSVSpelling(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	err := export.WriteCSV(&out, "splits", []export.Row{
		splitsRow("=1+1", "A|B", -3, brl("-0.10"), rate("2.34"), day("2026-11-18")),
		splitsRow("a,\"b\"\nc", "", 0, brl("0.005"), rate("-2.34565"), 0),
		splitsRow("-\r", "", 7, brl("-0.005"), rate("0.00004"), 0),
	})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitN(out.String(), "\n", 2)
	if !strings.HasPrefix(lines[0], "account,sale_at,nsu,") || !strings.HasSuffix(lines[0], ",codes,row_hash") {
		t.Errorf("header %s", lines[0])
	}
	want := "1001,2026-11-02T10:30:00,'=1+1,A,-3,1,visa,1,'=1+1,P,2.3400,-0.10,-0.10,,,,2026-11-18,open,ok,A|B,#\n" +
		"1001,2026-11-02T10:30:00,\"a,\"\"b\"\"\nc\",A,0,1,visa,1,\"a,\"\"b\"\"\nc\",P,-2.3457,0.01,0.01,,,,,open,ok,,#\n" +
		"1001,2026-11-02T10:30:00,\"'-\r\",A,7,1,visa,1,\"'-\r\",P,0.0000,-0.01,-0.01,,,,,open,ok,,#\n"
	if d := cmp.Diff(want, withoutHashes(lines[1])); d != "" {
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
	row := splitsRow("x", "", 1, brl("1"), rate("1"), 0)
	row[12] = export.Exact(brl("0.0001"))
	err := export.WriteCSV(&bytes.Buffer{}, "splits", []export.Row{row})
	if err == nil || err.Error() != "table splits: column value: a number with more than 2 decimals" {
		t.Error(err)
	}
	row[12], row[7] = export.Cell{}, export.Cell{}
	err = export.WriteCSV(&bytes.Buffer{}, "splits", []export.Row{row})
	if err == nil || err.Error() != "table splits: column split is absent and may never be" {
		t.Error(err)
	}
}

// What is written is read back as it was, whatever the texts and numbers.
func TestCSVComesBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("aç,\"'=+-@\t\n| 0"))).Draw(t, "text")
		if strings.HasPrefix(text, "'") {
			text = "x" + text // an apostrophe of our own and one that was sent look alike
		}
		row := splitsRow(text, rapid.StringMatching(`[A-Z|]*`).Draw(t, "codes"), rapid.Int64().Draw(t, "n"),
			ledger.Amount(rapid.Int64Range(-1e16, 1e16).Draw(t, "money")), ledger.Rate(rapid.Int64Range(-1e12, 1e12).Draw(t, "rate")),
			ledger.Date(rapid.Int64Range(1, 3652059).Draw(t, "day")))
		var out bytes.Buffer
		if err := export.WriteCSV(&out, "splits", []export.Row{row}); err != nil {
			t.Fatal(err)
		}
		back, err := export.ReadRows(bytes.NewReader(out.Bytes()), "splits")
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

// A reader that accepts bytes accepts only what the writer would have written.
func FuzzReadCSV(f *testing.F) {
	var out bytes.Buffer
	if err := export.WriteCSV(&out, "splits", []export.Row{splitsRow("=1", "A", 1, brl("1.10"), rate("2"), day("2026-11-18"))}); err != nil {
		f.Fatal(err)
	}
	f.Add(out.Bytes())
	f.Add([]byte("account\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		rows, err := export.ReadRows(bytes.NewReader(in), "splits")
		if err != nil {
			return
		}
		var again bytes.Buffer
		if err := export.WriteCSV(&again, "splits", rows); err != nil {
			t.Fatal(err)
		}
		if n, err := export.ReadCSV(&again, "splits"); err != nil || n != int64(len(rows)) {
			t.Errorf("%d rows, %v", n, err)
		}
	})
}
