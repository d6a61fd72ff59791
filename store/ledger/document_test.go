package ledger_test

import (
	"strings"
	"testing"

	"concilia/store/ledger"
)

func TestParseDocument(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ why, in, want string }{
		{"a CPF of common public examples", "52998224725", "52998224725"},
		{"a CPF of common public examples", "11144477735", "11144477735"},
		{"a CPF of common public examples", "39053344705", "39053344705"},
		{"a CPF of common public examples", "12345678909", "12345678909"},
		{"a CPF as people write it", "529.982.247-25", "52998224725"},
		{"a CNPJ of common public examples", "11222333000181", "11222333000181"},
		{"a CNPJ of common public examples", "11444777000161", "11444777000161"},
		{"Banco do Brasil, many zeros", "00000000000191", "00000000000191"},
		{"Correios", "34028316000103", "34028316000103"},
		{"Petrobras", "33000167000101", "33000167000101"},
		{"Itaú", "60701190000104", "60701190000104"},
		{"a CNPJ as people write it", "11.222.333/0001-81", "11222333000181"},
		{"the Receita's alphanumeric example", "12ABC34501DE35", "12ABC34501DE35"},
		{"letters only", "ABCDEFGHIJKL80", "ABCDEFGHIJKL80"},
		{"letters in the root only", "1345C3A5000106", "1345C3A5000106"},
		{"a numeric branch after letters", "12ABC345000188", "12ABC345000188"},
		{"letters up to Z", "OGZP0N77444Y42", "OGZP0N77444Y42"},
		{"a root that is a word", "EMPRESA0000147", "EMPRESA0000147"},
		{"letters and digits in turn", "Z9Y8X7W6V5U429", "Z9Y8X7W6V5U429"},
		{"a word and a year", "BRTECH20260057", "BRTECH20260057"},
		{"lower case counts as upper", "12.abc.345/01de-35", "12ABC34501DE35"},
	} {
		got, err := ledger.ParseDocument(tc.in)
		if err != nil || string(got) != tc.want {
			t.Errorf("%s: ParseDocument(%q) = %q, %v", tc.why, tc.in, got, err)
		}
	}
}

func TestParseDocumentRefuses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ why, in, want string }{
		{"a wrong second digit", "52998224724", "document: CPF: second check digit is 4, should be 5"},
		{"a wrong first digit", "52998224735", "document: CPF: first check digit is 3, should be 2"},
		{"eleven equal digits satisfy the sums", "11111111111", "document: CPF: all digits are equal"},
		{"a letter in a CPF", "5299822472A", "document: CPF: character 11 is not a digit"},
		{"a wrong digit of a numeric CNPJ", "11222333000180", "document: CNPJ: second check digit is 0, should be 1"},
		{"a wrong digit of an alphanumeric CNPJ", "12ABC34501DE34", "document: CNPJ: second check digit is 4, should be 5"},
		{"a wrong digit after letters only", "ABCDEFGHIJKL81", "document: CNPJ: second check digit is 1, should be 0"},
		{"a letter as the last check digit", "0000000000019L", "document: CNPJ: character 14 is not allowed there"},
		{"a letter as the first check digit", "000000000001P1", "document: CNPJ: character 13 is not allowed there"},
		{"fourteen zeros satisfy the sums", "00000000000000", "document: CNPJ: all digits are equal"},
		{"nothing", "", "document: empty"},
		{"a CNPJ that lost its leading zeros", "191", "document: 3 characters: a CPF has 11, a CNPJ 14"},
		{"text without end", strings.Repeat("1", 1000), "document: too long for a CPF or a CNPJ"},
	} {
		got, err := ledger.ParseDocument(tc.in)
		if err == nil || err.Error() != tc.want || got != "" {
			t.Errorf("%s: got %q, %v; want error %q", tc.why, got, err, tc.want)
		}
	}
}

func TestDocumentKindAndMask(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		why    string
		in     ledger.Document
		kind   ledger.DocumentKind
		masked string
	}{
		{"a CPF hides its first 3 and last 2", "52998224725", ledger.CPF, "***982247**"},
		{"a CNPJ hides its last 6", "11222333000181", ledger.CNPJ, "11222333******"},
		{"anything else is hidden whole", "1234", ledger.NoDocument, "****"},
		{"no document", "", ledger.NoDocument, ""},
	} {
		if tc.in.Kind() != tc.kind || tc.in.Masked() != tc.masked {
			t.Errorf("%s: kind %d, masked %q", tc.why, tc.in.Kind(), tc.in.Masked())
		}
	}
}

func FuzzParseDocument(f *testing.F) {
	for _, s := range []string{"529.982.247-25", "12ABC34501DE35", "00000000000000", "", "ſ1345C3A500010"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := ledger.ParseDocument(s)
		if err != nil {
			return
		}
		again, err := ledger.ParseDocument(string(d))
		if err != nil || again != d || d.Kind() == ledger.NoDocument || len(d.Masked()) != len(d) {
			t.Errorf("%q became %q, which reads as %q, %v", s, d, again, err)
		}
	})
}

func TestPersonDocumentsAreMasked(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"a CPF alone", "PIX RECEBIDO 12345678909", "PIX RECEBIDO ***456789**"},
		{"a CPF with its signs, and text behind", "PIX 123.456.789-09 MARIA", "PIX ***456789** MARIA"},
		{"two of them", "12345678909 12345678909", "***456789** ***456789**"},
		{"eleven digits that are no CPF", "DOC 12345678900", "DOC 12345678900"},
		{"a longer number", "DOC 1234567890912", "DOC 1234567890912"},
	} {
		if got := ledger.MaskPersonDocuments(tt.in); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
