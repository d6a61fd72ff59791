package find

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"concilia/store/ledger"
	"concilia/store/lookup"
)

func describeWord(w *Word) string {
	var keys []string
	for key := range w.keys {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	parts := []string{w.Text, strings.Join(keys, " ")}
	for _, d := range w.dates {
		parts = append(parts, d.String())
	}
	if w.caseID != "" {
		parts = append(parts, "case "+w.caseID)
	}
	if w.subject != nil {
		parts = append(parts, "subject "+w.subject.Kind)
	}
	return strings.Join(parts, " | ")
}

var today = ledger.NewDate(2026, time.November, 18)

const (
	barCode = "00191157500000208790000003001001207160000217"
	line    = "00190.00009 03001.001209 71600.002175 1 15750000020879"
)

func TestParseQuery(t *testing.T) {
	t.Parallel()
	bars := lookup.BarCodeWord.Word(barCode)
	for _, row := range []struct{ because, query, want string }{
		{"Brazil writes a comma before cents", "331,38", "331,38 | m3313800"},
		{"R$ may stand before it", "R$ 1.331,38", "1.331,38 | m13313800"},
		{"also without a blank", "r$331,38", "331,38 | m3313800"},
		{"a point before two decimals is an amount", "331.38", "331.38 | m3313800"},
		{"thousands without cents need the prefix", "amount:1.234", "1.234 | m12340000"},
		{"whole reais need the prefix", "amount:331", "331 | m3310000"},
		{"a prefix may stand apart", "amount: 331,38", "331,38 | m3313800"},
		{"a date as Brazil writes it", "18/11/2026", "18/11/2026 |  | 2026-11-18"},
		{"a date as programs write it", "2026-11-18", "2026-11-18 |  | 2026-11-18"},
		{"without a year the latest not after today", "19/11", "19/11 |  | 2025-11-19"},
		{"today is not after today", "18/11", "18/11 |  | 2026-11-18"},
		{"29 February is of a leap year", "29/02", "29/02 |  | 2024-02-29"},
		{"the last digits of a card", "*5843", "*5843 | c5843"},
		{"as receipts print them", "final 5843", "*5843 | c5843"},
		{"the name of a sale as pages have it", "NSU 076700001 · aut. FW947Q · parcela 1", "076700001 | n76700001\nFW947Q | afw947q"},
		{"and in English", "NSU 076700001 · auth. FW947Q · installment 1", "076700001 | n76700001\nFW947Q | afw947q"},
		{"the name of a slip as pages have it", "Boleto FAT-1001-2", "FAT-1001-2 | afat-1001-2 nfat-1001-2 ofat-1001-2 rfat-1001-2 ufat-1001-2 wfat-1001-2"},
		{"a label before nothing is a text", "nsu", "nsu | ansu nnsu onsu rnsu unsu wnsu"},
		{"a bar code", barCode, barCode + " | " + bars},
		{"a digitable line with dots and blanks is its bar code", line, line + " | " + bars},
		{"and so it is without them", digitsOf(line), digitsOf(line) + " | " + bars},
		{"a slip by prefix, with blanks", "slip: " + line, strings.ReplaceAll(line, " ", "") + " | " + bars},
		{"the id of a slip", "AC3A4301-C629-4A35-BBA9-2A4BEDBCEE74", "AC3A4301-C629-4A35-BBA9-2A4BEDBCEE74 | iac3a4301-c629-4a35-bba9-2a4bedbcee74 oac3a4301-c629-4a35-bba9-2a4bedbcee74 wac3a4301-c629-4a35-bba9-2a4bedbcee74"},
		{"a CNPJ is a beneficiary by its prefix", "beneficiary:12.345.678/0001-95", "12.345.678/0001-95 | b12345678000195"},
		{"hex digits may be a case", "9D9D70", "9D9D70 | a9d9d70 n9d9d70 o9d9d70 r9d9d70 u9d9d70 w9d9d70 | case 9d9d70"},
		{"an NSU has no leading zeros", "nsu:00071", "00071 | n71"},
		{"a subject is itself", "card:1001:2026-11-01:71:A:2", "card:1001:2026-11-01:71:A:2 |  | subject card"},
		{"another text with a colon is a text", "a:b", "a:b | aa:b na:b oa:b ra:b ua:b wa:b"},
		{"all words are kept", "331,38 *5843", "331,38 | m3313800\n*5843 | c5843"},
	} {
		q, err := ParseQuery(row.query, today)
		if err != nil {
			t.Errorf("%s: %v", row.because, err)
			continue
		}
		var got []string
		for i := range q.Words {
			got = append(got, describeWord(&q.Words[i]))
		}
		if s := strings.Join(got, "\n"); s != row.want || len(q.Notes) > 0 {
			t.Errorf("%s: got %s, want %s; notes %v", row.because, s, row.want, q.Notes)
		}
	}
}

func TestParseQueryTellsOfWrongCheckDigits(t *testing.T) {
	t.Parallel()
	wrong := barCode[:43] + "8"
	q, err := ParseQuery(wrong, today)
	if err != nil || len(q.Notes) != 1 || q.Notes[0] != (Note{"check_digit", wrong}) || len(q.Words[0].keys) != 1 {
		t.Errorf("%v, %+v", err, q)
	}
}

func TestParseQueryTellsAllProblems(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ because, query, want string }{
		{"nothing at all", " \t ", "there is nothing to look for"},
		{"each prefix with what does not fit it", "amount:abc date:31/02/2026 card:12 nsu:", "amount:abc is no amount: write 331,38; date:31/02/2026 is no date: write 18/11/2026; card:12 are not the last four digits of a card; there is nothing to look for after nsu:"},
		{"a page that was pasted", strings.Repeat("x ", 11), "11 words: at most 10 are looked for at once"},
		{"amounts that no record has", "0,00 99999999999999999999,00", "amount:0,00 is no amount: write 331,38; amount:99999999999999999999,00 is no amount: write 331,38"},
		{"a word without an end behind a prefix", "nsu: " + strings.Repeat("x", 201), "there is nothing to look for after nsu:; a word of more than 200 characters: xxxxxxxxxxxxxxxxxxxx…"},
		{"a word without an end", strings.Repeat("x", 201), "a word of more than 200 characters: xxxxxxxxxxxxxxxxxxxx…"},
	} {
		if _, err := ParseQuery(row.query, today); err == nil || err.Error() != row.want {
			t.Errorf("%s: %v", row.because, err)
		}
	}
}

// Whatever is typed, a query is refused or has words that lead somewhere, and the same text is read the same way.
func FuzzParseQuery(f *testing.F) {
	for _, s := range []string{"331,38", "R$ 1.331,38 18/11", line, barCode, "final 5843", "nsu:007 auth:a", "NSU 7 · aut. A · parcela 1", "beneficiary:529.982.247-25", "slip:", "card:1001:2026-11-01:7:A:1", "\x00:\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := ParseQuery(text, today)
		if err != nil {
			if q != nil || !utf8.ValidString(err.Error()) {
				t.Fatalf("%+v with %q", q, err)
			}
			return
		}
		if len(q.Words) == 0 || len(q.Words) > maxWords {
			t.Fatalf("%d words", len(q.Words))
		}
		for i := range q.Words {
			w := &q.Words[i]
			if len(w.As) == 0 {
				t.Errorf("%q is looked for as nothing", w.Text)
			}
			for key, kinds := range w.keys {
				if len(key) < 2 || len(key) > 80 || len(kinds) == 0 || !utf8.ValidString(key) || strings.ContainsRune(key, 0) {
					t.Errorf("%q of %q is no word", key, w.Text)
				}
			}
		}
		again, err := ParseQuery(text, today)
		if err != nil || fmt.Sprintf("%+v", again) != fmt.Sprintf("%+v", q) && len(q.Words) != len(again.Words) {
			t.Errorf("read again: %v", err)
		}
	})
}
