package export_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"concilia/export"
	"concilia/store/ledger"
)

func TestSpellings(t *testing.T) {
	t.Parallel()
	rows := []export.Row{
		splitsRow("=1+1", "A|B", -3, brl("-0.10"), rate("2.34"), day("2026-11-18")),
		splitsRow("a;\"b\"\nc", "", 0, brl("1234567.005"), rate("-2.34565"), 0),
	}
	for _, tc := range []struct {
		why      string
		format   export.Format
		language export.Language
		want     string // without the header of a csv-br, every row_hash #
	}{
		{
			"csv-br: semicolons, decimal commas, days first, CRLF, no thousands separator, a formula guarded, ids in words",
			export.CSVBR, export.Portuguese,
			"1001;02/11/2026 10:30:00;'=1+1;A;-3;1;visa;1;'=1+1;P;2,3400;-0,10;-0,10;;;;18/11/2026;aberta;ok;A|B\r\n" +
				"1001;02/11/2026 10:30:00;\"a;\"\"b\"\"\nc\";A;0;1;visa;1;\"a;\"\"b\"\"\nc\";P;-2,3457;1234567,01;1234567,01;;;;;aberta;ok;\r\n",
		},
		{
			"csv-br in English keeps the ids", export.CSVBR, export.English,
			"1001;02/11/2026 10:30:00;'=1+1;A;-3;1;visa;1;'=1+1;P;2,3400;-0,10;-0,10;;;;18/11/2026;open;ok;A|B\r\n" +
				"1001;02/11/2026 10:30:00;\"a;\"\"b\"\"\nc\";A;0;1;visa;1;\"a;\"\"b\"\"\nc\";P;-2,3457;1234567,01;1234567,01;;;;;open;ok;\r\n",
		},
		{
			"jsonl: members in column order, counts as numbers, amounts as text, absent as null, texts unguarded",
			export.JSONL, export.Portuguese,
			`{"account":"1001","sale_at":"2026-11-02T10:30:00","nsu":"=1+1","auth":"A","installment":-3,"installments":1,"brand":"visa",` +
				`"split":1,"beneficiary":"=1+1","split_type":"P","pct":"2.3400","base":"-0.10","value":"-0.10","expected_value":null,` +
				`"contract_pct":null,"difference":null,"effective_date":"2026-11-18","class":"open","verdict":"ok","codes":"A|B","row_hash":"#"}` + "\n" +
				`{"account":"1001","sale_at":"2026-11-02T10:30:00","nsu":"a;\"b\"\u000ac","auth":"A","installment":0,"installments":1,"brand":"visa",` +
				`"split":1,"beneficiary":"a;\"b\"\u000ac","split_type":"P","pct":"-2.3457","base":"1234567.01","value":"1234567.01","expected_value":null,` +
				`"contract_pct":null,"difference":null,"effective_date":null,"class":"open","verdict":"ok","codes":null,"row_hash":"#"}` + "\n",
		},
	} {
		t.Run(tc.why, func(t *testing.T) {
			t.Parallel()
			out, err := export.Spell(tc.format, "splits", tc.language, rows)
			if err != nil {
				t.Fatal(err)
			}
			got := string(out)
			if tc.format == export.CSVBR {
				head, rest, _ := strings.Cut(got, "\r\n")
				first := map[export.Language]string{export.Portuguese: "\uFEFFConta;Data da venda;", export.English: "\uFEFFAccount;Sale date and time;"}
				if !strings.HasPrefix(head, first[tc.language]) {
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

// What is written in any format counts and adds up the same when it is read back.
func TestSpellingsComeBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("aç,;\"'\\=+-@\t\n\r| 0.\u2028"))).Draw(t, "text")
		row := splitsRow(text, rapid.StringMatching(`[A-Z|]*`).Draw(t, "codes"), rapid.Int64().Draw(t, "n"),
			ledger.Amount(rapid.Int64Range(-1e16, 1e16).Draw(t, "money")), ledger.Rate(rapid.Int64Range(-1e12, 1e12).Draw(t, "rate")),
			ledger.Date(rapid.Int64Range(1, 3652059).Draw(t, "day")))
		var plain bytes.Buffer
		if err := export.WriteCSV(&plain, "splits", []export.Row{row}); err != nil {
			t.Fatal(err)
		}
		for _, f := range []export.Format{export.CSVBR, export.JSONL} {
			out, err := export.Spell(f, "splits", export.Portuguese, []export.Row{row})
			if err != nil {
				t.Fatal(err)
			}
			sums, err := export.ReadSpelled(f, bytes.NewReader(out), "splits")
			if err != nil || sums.Rows != 1 {
				t.Fatalf("%s: %v of %q", f, err, out)
			}
			for i, c := range []string{"installment", "pct", "value"} {
				if want := []int64{row[4].N, row[10].N, row[12].N}[i]; sums.Columns[c] != want {
					t.Fatalf("%s: %s went %d and came back %d", f, c, want, sums.Columns[c])
				}
			}
		}
	})
}

func TestSpelledFilesAreProven(t *testing.T) {
	t.Parallel()
	formats := []export.Format{export.CSVBR, export.JSONL}
	t.Run("published, verified, and the same again", func(t *testing.T) {
		t.Parallel()
		tg, out := target(t)
		j := job()
		j.Formats = formats
		r := render(t, j, everyClass(), tg)
		report, err := export.Verify(context.Background(), out.root)
		if err != nil || len(report.Faults) > 0 {
			t.Fatal(err, report.Faults)
		}
		for _, f := range r.Files {
			if f.Kind == export.ControlKind && f.Format == export.CSV {
				continue // always there
			}
			if f.Format != export.CSVBR && f.Format != export.JSONL {
				t.Errorf("%s is of no format asked for", f.Path)
			}
			b, err := os.ReadFile(filepath.Join(out.root, r.Dir, f.Path))
			if err != nil {
				t.Fatal(err)
			}
			golden(t, f.Path, b)
		}
		j.Standing = &export.Standing{Revision: r.Revision, Marks: r.Marks}
		if again := render(t, j, everyClass(), tg); !again.Unchanged {
			t.Errorf("a second rendering wrote %v", again.Why)
		}
	})
	for _, tc := range []struct{ why, file, from, to, want string }{
		{
			"a decimal comma moves", "summary.br.csv", ";145,11;", ";1451,1;",
			`summary.br.csv: table summary: row 2: column mdr_effective_pct: "1451,1": not a number`,
		},
		{"a digit flips", "summary.br.csv", ";145,11;", ";145,12;", "summary.br.csv, "},
		{"a digit flips in a jsonl", "summary.jsonl", `"145.11"`, `"145.12"`, "summary.jsonl: table summary: line 1: row_hash is "},
		{"a member goes missing", "summary.jsonl", `"mdr":`, `"mdx":`, "summary.jsonl: table summary: line 1: member mdr is not in its place"},
	} {
		t.Run(tc.why, func(t *testing.T) {
			t.Parallel()
			tg, out := target(t)
			j := job()
			j.Formats = formats
			j.AfterWrite(func(dir string) { flip(filepath.Join(dir, tc.file), tc.from, tc.to) })
			_, err := export.Render(context.Background(), j, everyClass(), tg)
			if err == nil || !strings.HasPrefix(err.Error(), strings.SplitN(tc.want, ": column", 2)[0]) || len(out.puts) > 0 {
				t.Errorf("error %v\nwant  %s\npublished %v", err, tc.want, out.puts)
			}
		})
	}
}

// A reader never panics, and what it accepts it counts.
func FuzzReadSpelled(f *testing.F) {
	rows := []export.Row{splitsRow("=1", "A", 1, brl("1.10"), rate("2"), day("2026-11-18"))}
	for i, format := range []export.Format{export.CSVBR, export.JSONL} {
		out, err := export.Spell(format, "splits", export.Portuguese, rows)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(i == 1, out)
	}
	f.Fuzz(func(t *testing.T, jsonl bool, in []byte) {
		format := export.CSVBR
		if jsonl {
			format = export.JSONL
		}
		sums, err := export.ReadSpelled(format, bytes.NewReader(in), "splits")
		if err == nil && sums.Rows < 0 {
			t.Fatal("fewer rows than none")
		}
	})
}
