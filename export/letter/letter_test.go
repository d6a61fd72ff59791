package letter_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/export/letter"
	"concilia/export/xlsx"
	"concilia/store/ledger"
)

// sample is a letter with hostile texts in it.
func sample() *letter.Letter {
	return &letter.Letter{
		Language: "pt-BR", Account: 1001, Name: "Loja <b>Centro</b>", Document: "11222333000181", Service: "PagX", To: []string{"Central de <b>Contestações</b>", "contestacao@pagx.example"}, AsOf: ledger.NewDate(2026, 11, 18),
		Causes: []letter.Cause{
			{Title: "Taxa fora do contrato", Items: []letter.Item{{
				Case: "00112233aabbccdd", Code: "MDR_RATE_MISMATCH", Sentence: "MDR de R$ 3,02", SoldOn: ledger.NewDate(2026, 9, 22), NSU: "=1+1", Auth: "A1",
				Gross: ledger.Some(ledger.Amount(1041400)), Contracted: ledger.Some(ledger.Rate(2340000)), Effective: ledger.Some(ledger.Rate(2899900)),
				Due: ledger.Some(ledger.Amount(24400)), Charged: ledger.Some(ledger.Amount(30200)), Difference: 5800,
				Basis: letter.Basis{
					Contract: "1001/2026-01-01/visa/credit/1", ValidFrom: ledger.NewDate(2026, 1, 1), ValidTo: ledger.NewDate(2026, 12, 31),
					Answers: []letter.Answer{{On: ledger.NewDate(2026, 9, 23), SHA256: strings.Repeat("a1", 32)}},
				},
			}}},
			{Title: "Boleto não creditado", Items: []letter.Item{
				{Case: "1", Code: "SLIP_CREDIT_OVERDUE", Sentence: "<script>alert(1)</script>", OurNumber: "0001", Difference: 1234567800},
				{Case: "2", Code: "BANK_CREDIT_MISSING", DueOn: ledger.NewDate(2026, 11, 10), Difference: 100, Basis: letter.Basis{
					Closed:  []letter.ClosedDay{{Day: ledger.NewDate(2026, 11, 2), Name: "Finados"}, {Day: ledger.NewDate(2026, 11, 7)}},
					Answers: []letter.Answer{{On: ledger.NewDate(2026, 11, 11), SHA256: strings.Repeat("0b", 32)}, {On: ledger.NewDate(2026, 11, 12), SHA256: strings.Repeat("0c", 32)}},
				}},
			}},
		},
	}
}

func write(t *testing.T, l *letter.Letter, format string) string {
	t.Helper()
	var b bytes.Buffer
	if err := l.Write(&b, format); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The formats say the same items and sums, the same letter has the same bytes, and foreign text is text.
func TestFormats(t *testing.T) {
	t.Parallel()
	l := sample()
	if n, sum := l.Count(), l.Sum(); n != 3 || sum != 5800+1234567800+100 {
		t.Errorf("%d items, %s", n, sum)
	}
	for _, format := range letter.Formats() {
		if write(t, l, format) != write(t, sample(), format) {
			t.Errorf("%s: the same letter has other bytes", format)
		}
	}
	for _, row := range []struct{ format, want string }{
		{"html", "Loja &lt;b&gt;Centro"},
		{"html", "&lt;script&gt;"},
		{"html", "<li>Para: PagX</li><li>Central de &lt;b&gt;Contestações&lt;/b&gt;</li><li>contestacao@pagx.example</li>"},
		{"html", `<td class="n">2,34%</td><td class="n">2,90%</td>`},
		{"html", "123.456,78"},
		{"html", "Subtotal, 2 itens"},
		{"html", `<td>crédito previsto em <span class="id">10/11/2026</span></td>`},
		{"csv-br", ";'=1+1;"},
		{"csv-br", ";123456,78;"},
		{"csv-br", ";2,3400;2,8999;2,44;3,02;0,58;"},
	} {
		if text := write(t, l, row.format); !strings.Contains(text, row.want) {
			t.Errorf("%s lacks %q:\n%s", row.format, row.want, text)
		}
	}
	book := write(t, l, "xlsx")
	if _, err := xlsx.Open(strings.NewReader(book), int64(len(book))); err != nil {
		t.Error(err)
	}
	if err := l.Write(&bytes.Buffer{}, "pdf"); err == nil {
		t.Error("a format that there is not is written")
	}
}

// TestGoldenLetters: the page and the table of a letter, in both languages, with what each item rests on.
func TestGoldenLetters(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"pt-BR", "en"} {
		l := sample()
		l.Language = language
		for format, ext := range map[string]string{"html": "html", "csv-br": "br.csv"} {
			path, got := filepath.Join("testdata", "letter."+language+"."+ext), write(t, l, format)
			if os.Getenv("UPDATE_GOLDEN") == "1" {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s differs (UPDATE_GOLDEN=1 rewrites it):\n%s", path, diff)
			}
		}
	}
}

// The name says the account, the day and what is in it.
func TestFileName(t *testing.T) {
	t.Parallel()
	a, b := sample(), sample()
	b.Causes[0].Items[0].Difference += 100
	for format, ext := range map[string]string{"html": ".html", "csv-br": ".br.csv", "xlsx": ".xlsx"} {
		one, err := a.FileName(format)
		if err != nil {
			t.Fatal(err)
		}
		other, err := b.FileName(format)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(one, "letter_1001_asof_20261118_20261118_x") || !strings.HasSuffix(one, ext) || len(one) != len("letter_1001_asof_20261118_20261118_x01234567")+len(ext) {
			t.Errorf("%s: %s", format, one)
		}
		if one == other {
			t.Errorf("%s: two letters are named %s", format, one)
		}
	}
}
