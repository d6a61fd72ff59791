package table_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"concilia/export/table"
	"concilia/store/ledger"
)

func TestRowFormats(t *testing.T) {
	t.Parallel()
	rows := []table.Row{
		share("=1+1", "A|B", -3, brl("-0.10"), rate("2.34"), day("2026-11-18")),
		share("a;\"b\"\nc", "", 0, brl("1234567.005"), rate("-2.34565"), 0),
	}
	for _, tc := range []struct {
		why      string
		spelling table.RowFormat
		language table.Language
		head     string
		want     string // without the header of a csv-br, every row_hash #
	}{
		{
			"csv-br: semicolons, decimal commas, days first, CRLF, no thousands separator, a formula guarded, ids in words",
			table.BrazilianCSV(), table.Portuguese, "\uFEFFConta;Data da venda;",
			"1001;02/11/2026 10:30:00;'=1+1;A;-3;1;'=1+1;2,3400;-0,1000;-0,10;;18/11/2026;aberta;A|B\r\n" +
				"1001;02/11/2026 10:30:00;\"a;\"\"b\"\"\nc\";A;0;1;\"a;\"\"b\"\"\nc\";-2,3457;1234567,0050;1234567,01;;;aberta;\r\n",
		},
		{
			"csv-br in English keeps the ids", table.BrazilianCSV(), table.English, "\uFEFFAccount;Sale date and time;",
			"1001;02/11/2026 10:30:00;'=1+1;A;-3;1;'=1+1;2,3400;-0,1000;-0,10;;18/11/2026;open;A|B\r\n" +
				"1001;02/11/2026 10:30:00;\"a;\"\"b\"\"\nc\";A;0;1;\"a;\"\"b\"\"\nc\";-2,3457;1234567,0050;1234567,01;;;open;\r\n",
		},
		{
			"jsonl: members in column order, counts as numbers, amounts as text, absent as null, texts unguarded, no header",
			table.JSONLines(), table.Portuguese, "",
			`{"account":"1001","sale_at":"2026-11-02T10:30:00","nsu":"=1+1","auth":"A","installment":-3,"share":1,` +
				`"beneficiary":"=1+1","pct":"2.3400","base":"-0.1000","value":"-0.10","difference":null,` +
				`"effective_date":"2026-11-18","class":"open","codes":"A|B","row_hash":"#"}` + "\n" +
				`{"account":"1001","sale_at":"2026-11-02T10:30:00","nsu":"a;\"b\"\u000ac","auth":"A","installment":0,"share":1,` +
				`"beneficiary":"a;\"b\"\u000ac","pct":"-2.3457","base":"1234567.0050","value":"1234567.01","difference":null,` +
				`"effective_date":null,"class":"open","codes":null,"row_hash":"#"}` + "\n",
		},
	} {
		t.Run(tc.why, func(t *testing.T) {
			t.Parallel()
			out, err := spell(tc.spelling, shares(), tc.language, rows...)
			if err != nil {
				t.Fatal(err)
			}
			got := string(out)
			if tc.head != "" {
				head, rest, _ := strings.Cut(got, "\r\n")
				if !strings.HasPrefix(head, tc.head) {
					t.Errorf("header %q", head)
				}
				got = rest
			}
			lines := strings.SplitAfter(got, "\n")
			for i, l := range lines {
				if at := strings.Index(l, `"row_hash":"`); at >= 0 {
					lines[i] = l[:at] + `"row_hash":"#"}` + "\n"
				}
			}
			if d := cmp.Diff(tc.want, strings.Join(lines, "")); d != "" {
				t.Error(d)
			}
		})
	}
}

// What is written in any format counts and adds up the same when it is read back, also where a row repeats cells of the row above.
func TestFormatsComeBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SampledFrom(rapid.SliceOfN(rapid.StringOf(rapid.RuneFrom([]rune("aç,;\"'\\=+-@\t\n\r| 0.\u2028"))), 1, 3).Draw(t, "texts"))
		codes := rapid.SampledFrom([]string{"", "A", "A|B"})
		counts := rapid.SampledFrom(rapid.SliceOfN(rapid.Int64Range(-1e18, 1e18), 1, 3).Draw(t, "counts"))
		amounts := rapid.SampledFrom(rapid.SliceOfN(rapid.Int64Range(-1e16, 1e16), 1, 3).Draw(t, "amounts"))
		rates := rapid.SampledFrom(rapid.SliceOfN(rapid.Int64Range(-1e12, 1e12), 1, 3).Draw(t, "rates"))
		days := rapid.SampledFrom(rapid.SliceOfN(rapid.Int64Range(1, 3652059), 1, 3).Draw(t, "days"))
		var rows []table.Row
		var want [3]int64
		for range rapid.IntRange(1, 4).Draw(t, "rows") {
			row := share(texts.Draw(t, "text"), codes.Draw(t, "codes"), counts.Draw(t, "count"), ledger.Amount(amounts.Draw(t, "amount")),
				ledger.Rate(rates.Draw(t, "rate")), ledger.Date(days.Draw(t, "day")))
			rows = append(rows, row)
			want[0], want[1], want[2] = want[0]+row[4].N, want[1]+row[7].N, want[2]+row[9].N
		}
		for _, f := range formats() {
			out, err := f.write(shares(), rows...)
			if err != nil {
				t.Fatal(err)
			}
			read, err := f.read(bytes.NewReader(out), shares())
			if err != nil || read.Rows != int64(len(rows)) {
				t.Fatalf("%s: %v of %q", f.name, err, out)
			}
			for i, c := range []string{"installment", "pct", "value"} {
				if read.Sum(c) != want[i] {
					t.Fatalf("%s: %s went %d and came back %d", f.name, c, want[i], read.Sum(c))
				}
			}
		}
	})
}

// A value that is missing is not taken for that of the line above.
func TestJSONLinesWithoutAValue(t *testing.T) {
	t.Parallel()
	row := share("x", "A", 12, brl("1.10"), rate("2"), day("2026-11-18"))
	out, err := spell(table.JSONLines(), shares(), table.Portuguese, row, row)
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range []string{`12`, `"1.10"`, `"x"`, `"A"`} {
		at := bytes.LastIndex(out, []byte(":"+value+",")) + 1
		cut := slices.Concat(out[:at], out[at+len(value):])
		if _, err := table.JSONLines().ReadBack(bytes.NewReader(cut), shares()); err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("without %s: %v", value, err)
		}
	}
}

// A reader never panics, and what it accepts it counts.
func FuzzReadSpelled(f *testing.F) {
	spellings := []table.RowFormat{table.BrazilianCSV(), table.JSONLines()}
	for i, s := range spellings {
		out, err := spell(s, shares(), table.Portuguese, share("=1", "A", 1, brl("1.10"), rate("2"), day("2026-11-18")))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(i == 1, out)
	}
	f.Fuzz(func(t *testing.T, jsonl bool, in []byte) {
		s := spellings[0]
		if jsonl {
			s = spellings[1]
		}
		read, err := s.ReadBack(bytes.NewReader(in), shares())
		if err == nil && read.Rows < 0 {
			t.Fatal("fewer rows than none")
		}
	})
}
