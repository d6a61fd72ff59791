package banking_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"concilia/store/ledger/banking"
)

func TestBankTextIsNormalized(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"two blanks inside are one", "PIX  RECEBIDO", "PIX RECEBIDO"},
		{"blanks and line ends around go", "\t pix recebido \r\n", "PIX RECEBIDO"},
		{"accents fold", "Crédito Ação São João Ü", "CREDITO ACAO SAO JOAO U"},
		{"control characters and marks of direction go", "PIX\x00\u200e RECEBIDO\x1b", "PIX RECEBIDO"},
		{"a hard blank is a blank", "PIX\u00a0RECEBIDO", "PIX RECEBIDO"},
		{"nothing is nothing", " \t", ""},
		{"what is no character goes", "PIX \xff RECEBIDO", "PIX RECEBIDO"},
		{"the cut is at 400 bytes and leaves no blank at the end", strings.Repeat("ABC ", 120), strings.TrimSpace(strings.Repeat("ABC ", 100))},
	} {
		if got := banking.NormalizeText(tt.in); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func FuzzNormalizeText(f *testing.F) {
	f.Add("PIX  RECEBIDO ação")
	f.Add(strings.Repeat("ẞ ", 300))
	f.Add("\u1e97") // t with two dots: there is no such capital letter
	f.Fuzz(func(t *testing.T, s string) {
		got := banking.NormalizeText(s)
		if again := banking.NormalizeText(got); again != got {
			t.Fatalf("%q is normalized to %q", got, again)
		}
		if len(got) > 400 || !utf8.ValidString(got) || strings.TrimSpace(got) != got {
			t.Fatalf("%q", got)
		}
	})
}

// TestEveryLetterOfABankIsNormalizedOnce: to normalize again changes no letter there is.
func TestEveryLetterOfABankIsNormalizedOnce(t *testing.T) {
	for r := range rune(utf8.MaxRune + 1) {
		got := banking.NormalizeText(string(r))
		if again := banking.NormalizeText(got); again != got {
			t.Errorf("%U is normalized to %q, that to %q", r, got, again)
		}
	}
}

func TestBankAmountsAsBanksSpellThem(t *testing.T) {
	for _, tt := range []struct {
		name, in, want string
		marked         bool
	}{
		{"a point", "6000.50", "6000.50", true},
		{"a comma", "6000,5", "6000.50", true},
		{"both, in the Brazilian order", "6.000,00", "6000.00", true},
		{"both, in the English order", "6,000.00", "6000.00", true},
		{"thousands by points, some left out", "6000.000,00", "6000000.00", true},
		{"thousands alone", "1.234", "1234.00", false},
		{"no mark", "357", "357.00", false},
		{"a sign in front", "-12,00", "-12.00", true},
		{"a sign behind", "12,00-", "-12.00", true},
		{"a plus and blanks", " + 12.00 ", "12.00", true},
		{"the currency", "R$ 12,00", "12.00", true},
		{"no integer digits", ",50", "0.50", true},
		{"twelve integer digits", "999.999.999.999,99", "999999999999.99", true},
	} {
		got, marked, err := banking.ParseAmount(tt.in)
		if err != nil || got.Fixed(2) != tt.want || marked != tt.marked {
			t.Errorf("%s: %q is %s, %v, %v; want %s, %v", tt.name, tt.in, got.Fixed(2), marked, err, tt.want, tt.marked)
		}
	}
	for _, bad := range []string{"", "-", "abc", "1.2.3", "12.3456", "1..000", "--5", "1.00.000", "1 000,00", "1e3", "5-5", ".", "1,", "1000000000000.00", "٣.00"} {
		if got, _, err := banking.ParseAmount(bad); err == nil {
			t.Errorf("%q is read as %s", bad, got)
		}
	}
}

func FuzzParseAmount(f *testing.F) {
	for _, s := range []string{"6000.000,00", "-12,00", "12,00-", ".5", "1.234"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, _, err := banking.ParseAmount(s)
		if err != nil {
			return
		}
		if _, err := a.ExactCents(); err != nil {
			t.Fatalf("%q is %s: %v", s, a, err)
		}
		if again, _, err := banking.ParseAmount(a.Fixed(2)); err != nil || again != a {
			t.Fatalf("%q is %s, which is read as %s, %v", s, a, again, err)
		}
	})
}

func TestBankBalanceRows(t *testing.T) {
	for _, tt := range []struct {
		text             string
		balance, closing bool
	}{
		{"SALDO ANTERIOR", true, false},
		{"SALDO DO DIA", true, true},
		{"SALDO DIA 04/11", true, true},
		{"SALDO FINAL", true, true},
		{"SALDO EM CONTA CORRENTE", true, false},
		{"SALDO TOTAL DISPONIVEL", true, false},
		{"SALDO BLOQUEADO 1 DIA", true, false},
		{"SALDO DIAMANTE LTDA", false, false},
		{"SALDO DEVEDOR EMPRESTIMO", false, false},
		{"PIX SALDO DO DIA", false, false},
		{"SALDO", false, false},
	} {
		if balance, closing := banking.IsBalanceText(tt.text); balance != tt.balance || closing != tt.closing {
			t.Errorf("%q: %v, %v", tt.text, balance, closing)
		}
	}
}
