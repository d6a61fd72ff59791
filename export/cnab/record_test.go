package cnab_test

import (
	"strings"
	"testing"

	"concilia/export/cnab"
	"concilia/store/ledger"
)

func TestTextBecomesPlain(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ why, in, want string }{
		{"accents and cedilla go", "João da Conceição", "JOAO DA CONCEICAO"},
		{"already decomposed ones too", "Jo\u0061\u0303o", "JOAO"},
		{"small letters grow", "loja 7", "LOJA 7"},
		{"what has no ASCII letter is a blank", "Nº 5 – Øre", "N  5    RE"},
		{"control characters are blanks", "a\tb\r\nc\x00d", "A B  C D"},
		{"a broken byte is a blank", "a\xffb", "A B"},
		{"blanks around go", "  x  ", "X"},
		{"punctuation stays", "R&D, Ltda. (SP)", "R&D, LTDA. (SP)"},
		{"too long is cut", strings.Repeat("ã", 50), strings.Repeat("A", 40)},
	} {
		r := cnab.NewRecord(cnab.SegmentT)
		r.SetText("nome_pagador", tc.in)
		if err := r.Err(); err != nil || r.Text("nome_pagador") != tc.want {
			t.Errorf("%s: %q, %v; want %q", tc.why, r.Text("nome_pagador"), err, tc.want)
		}
	}
}

func TestRecordReportsEveryError(t *testing.T) {
	t.Parallel()
	r := cnab.NewRecord(cnab.SegmentU)
	r.SetNum("no_such", 1)
	r.SetNum("valor_pago", -1)
	r.SetText("valor_pago", "12")
	r.SetDigits("banco_corresp", "12A")
	r.SetDigits("banco_corresp", "1234")
	r.SetAmount("desconto", 150)
	r.SetDate("data_ocorrencia", on(11, 20))
	want := strings.Join([]string{
		`cnab segment U: no field "no_such"`,
		`cnab segment U field "valor_pago" (78-92): negative`,
		`cnab segment U field "valor_pago" (78-92): is of kind num`,
		`cnab segment U field "banco_corresp" (211-213): not a number`,
		`cnab segment U field "banco_corresp" (211-213): 4 characters do not fit`,
		`cnab segment U field "desconto" (33-47): 0.015 is not whole cents`,
	}, "\n")
	if err := r.Err(); err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	if d, err := r.Date("data_ocorrencia"); err != nil || d != on(11, 20) {
		t.Errorf("what was right is set: %s, %v", d, err)
	}
	r.Reset(cnab.SegmentU)
	if r.Err() != nil || r.Raw("data_ocorrencia") != "00000000" {
		t.Error("a record that was reset remembers")
	}
}

func TestRecordReadsWhatItSets(t *testing.T) {
	t.Parallel()
	r := cnab.NewRecord(cnab.SegmentT)
	r.SetAmount("valor_titulo", c(15990))
	r.SetDigits("numero_inscricao_pagador", "12ABC34501DE35")
	if raw := r.Raw("valor_titulo"); raw != "000000000015990" {
		t.Errorf("valor_titulo %q", raw)
	}
	if raw := r.Raw("numero_inscricao_pagador"); raw != "012ABC34501DE35" {
		t.Errorf("an alphanumeric CNPJ stands as %q", raw)
	}
	if a, err := r.Amount("valor_titulo"); err != nil || a != c(15990) {
		t.Errorf("%s, %v", a, err)
	}
	if _, err := r.Num("nosso_numero"); err != nil {
		t.Errorf("blank is nothing: %v", err)
	}
	for _, bad := range []string{"31022026", "00112026", "01132026", "01010000"} {
		r.SetDigits("vencimento", bad)
		if d, err := r.Date("vencimento"); err == nil {
			t.Errorf("%s is %s", bad, d)
		}
	}
	if d, err := r.Date("cnab_224"); err != nil || d != ledger.Date(0) {
		t.Errorf("blank is no date: %s, %v", d, err)
	}
}
