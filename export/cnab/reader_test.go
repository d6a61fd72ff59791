package cnab_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/export/cnab"
)

// at is one change of a sample: the columns of a line, from that column on, overwritten.
type at struct {
	line, column int
	text         string
}

func edited(raw []byte, edits ...at) []byte {
	out := bytes.Clone(raw)
	for _, e := range edits {
		copy(out[(e.line-1)*(cnab.Width+2)+e.column-1:], e.text)
	}
	return out
}

// picked is a file of those lines of another, in that order.
func picked(raw []byte, numbers ...int) []byte {
	all := lines(raw)
	var out strings.Builder
	for _, n := range numbers {
		out.WriteString(all[n-1] + "\r\n")
	}
	return []byte(out.String())
}

func TestReaderNamesFaults(t *testing.T) {
	t.Parallel()
	cards, statement := sample(t, "installments.ret"), sample(t, "statement.ret")
	replaced := func(old, text string) []byte { return bytes.Replace(cards, []byte(old), []byte(text), 1) }
	for _, tc := range []struct {
		why  string
		raw  []byte
		want []string // every fault, in order
	}{
		// One column at fault.
		{"a letter in an amount", edited(cards, at{11, 211, "00A"}), []string{
			`cnab line 11 segment T field "tarifa_custas" (199-213): not a number`,
		}},
		{"no such day", edited(cards, at{3, 74, "31022026"}), []string{
			`cnab line 3 segment T field "vencimento" (74-81): not a date (DDMMAAAA)`,
		}},
		{"no such hour", edited(cards, at{1, 152, "250000"}), []string{
			`cnab line 1 file header field "hora_geracao" (152-157): "250000": not a time (HHMMSS)`,
		}},
		{"another bank in one record", edited(cards, at{4, 1, "237"}), []string{
			`cnab line 4 segment U field "banco" (1-3): "237": should be 001, as in the file header`,
		}},
		{"a remessa", edited(cards, at{1, 143, "1"}), []string{
			`cnab line 1 file header field "rem_ret" (143-143): "1": should be 2 (retorno)`,
		}},
		{"a lote of payments", edited(cards, at{2, 10, "20"}), []string{
			`cnab line 2 cobrança lote header field "servico" (10-11): "20": should be 01 (cobrança)`,
		}},
		{"a payer's name is not repeated", edited(cards, at{3, 149, "JOS\xc9"}), []string{
			`cnab line 3 segment T field "nome_pagador" (149-188): not plain ASCII`,
		}},
		{"nor is a payer's document", edited(cards, at{3, 133, "10000529#8224725"}), []string{
			`cnab line 3 segment T field "numero_inscricao_pagador" (134-148): not digits and capital letters`,
		}},

		// Numbers out of turn.
		{"a record number", edited(cards, at{6, 9, "00005"}), []string{
			`cnab line 6 segment U field "numero_registro" (9-13): "00005": should be 00004`,
		}},
		{"the number of a lote", edited(cards, at{2, 4, "0002"}), []string{
			`cnab line 2 cobrança lote header field "lote" (4-7): "0002": should be 0001`,
		}},
		{"a record of another lote", edited(cards, at{3, 4, "0007"}), []string{
			`cnab line 3 segment T field "lote" (4-7): "0007": should be 0001, as in the header of its lote`,
		}},

		// What follows from another record.
		{"a U of another movement", edited(cards, at{12, 16, "02"}), []string{
			`cnab line 12 segment U field "movimento" (16-17): "02": should be 09, as in the T of its title`,
		}},
		{"a Y of another title", edited(cards, at{10, 59, "9"}), []string{
			`cnab line 10 segment Y-50 field "nosso_numero" (40-59): "00000000000000000009": should be 00000000000000000003, as in the T of its title`,
		}},
		{"a face that nothing else knows", edited(cards, at{11, 96, "1"}), []string{
			`cnab line 13 cobrança lote trailer field "valor_simples" (30-46): "00000000000030000": should be 300.01`,
		}},
		{"a net a cent short", edited(cards, at{6, 107, "0"}), []string{
			`cnab line 5 segment T: valor_liquido is 96.50, should be 96.51 (valor_pago - tarifa_custas - outras_despesas + outros_creditos)`,
		}},
		{"counters", edited(cards, at{13, 23, "3"}, at{13, 29, "5"}, at{14, 23, "2"}, at{14, 29, "5"}, at{14, 35, "1"}), []string{
			`cnab line 13 cobrança lote trailer field "qtde_registros_lote" (18-23): "000013": should be 12`,
			`cnab line 13 cobrança lote trailer field "qtde_simples" (24-29): "000005": should be 4`,
			`cnab line 14 file trailer field "qtde_lotes" (18-23): "000002": should be 1`,
			`cnab line 14 file trailer field "qtde_registros" (24-29): "000015": should be 14`,
			`cnab line 14 file trailer field "qtde_contas_concil" (30-35): "000001": should be 0`,
		}},

		// Records missing or out of order.
		{"nothing", nil, []string{`cnab line 1: the file is empty`}},
		{"cut off inside a lote", picked(cards, 1, 2, 3, 4), []string{
			`cnab line 4: lote 0001 has no trailer`, `cnab line 4: the file has no trailer`,
		}},
		{"cut off before the file trailer", picked(cards, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13), []string{
			`cnab line 13: the file has no trailer`,
		}},
		{"something after the file trailer", append(bytes.Clone(cards), "x\r\n"...), []string{
			`cnab line 15: something follows the file trailer`,
		}},
		{"no file header", picked(edited(cards, at{14, 29, "3"}), 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14), []string{
			`cnab line 1 cobrança lote header: the file does not begin with its header`,
		}},
		{"a second file header", picked(edited(cards, at{14, 29, "5"}), 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14), []string{
			`cnab line 2 file header: a second file header`,
		}},
		{"a record of another type", edited(cards, at{3, 8, "2"})[:3*242], []string{
			`cnab line 3: record type "2" is none of 0, 1, 3, 5 and 9`,
			`cnab line 3: lote 0001 has no trailer`, `cnab line 3: the file has no trailer`,
		}},
		{"a segment of payments", edited(cards, at{3, 14, "A"}, at{4, 14, "B"})[:4*242], []string{
			`cnab line 3 detail record: segment "A" does not belong into a lote of service 01`,
			`cnab line 4 detail record: segment "B" does not belong into a lote of service 01`,
			`cnab line 4: lote 0001 has no trailer`, `cnab line 4: the file has no trailer`,
		}},
		{"a T without its U", picked(edited(cards, at{5, 9, "00002"}, at{6, 9, "00003"}), 1, 2, 3, 5, 6)[:5*242], []string{
			`cnab line 4 segment T: the T of line 3 has no U`,
			`cnab line 5: lote 0001 has no trailer`, `cnab line 5: the file has no trailer`,
		}},
		{"a U without its T", picked(edited(cards, at{4, 9, "00001"}), 1, 2, 4), []string{
			`cnab line 3 segment U: stands without its T right before it`,
			`cnab line 3: lote 0001 has no trailer`, `cnab line 3: the file has no trailer`,
		}},
		{"a Y without its title", picked(edited(cards, at{7, 9, "00001"}), 1, 2, 7), []string{
			`cnab line 3 segment Y-50: stands without a title before it`,
			`cnab line 3: lote 0001 has no trailer`, `cnab line 3: the file has no trailer`,
		}},
		{"details and a trailer outside a lote", picked(edited(cards, at{14, 23, "0"}, at{14, 28, "04"}), 1, 3, 13, 14), []string{
			`cnab line 2 detail record: stands outside a lote`,
			`cnab line 3 cobrança lote trailer: stands outside a lote`,
		}},
		{"two services in one file", append(cards[:13*242:13*242], statement[242:2*242]...), []string{
			`cnab line 14 extrato lote header: a lote of another service than the first: a file holds one`,
			`cnab line 14 extrato lote header field "lote" (4-7): "0001": should be 0002`,
			`cnab line 14: lote 0002 has no trailer`, `cnab line 14: the file has no trailer`,
		}},

		// Lines that are no records. Money of a title that was not read is in no sum.
		{"a line a byte short", replaced("D4E5F6 PEDIDO-1002 ", "D4E5F6 PEDIDO-1002"), []string{
			`cnab line 11: 239 bytes, should be 240`,
			`cnab line 13 cobrança lote trailer field "qtde_simples" (24-29): "000004": should be 3`,
			`cnab line 13 cobrança lote trailer field "valor_simples" (30-46): "00000000000030000": should be 250.00`,
		}},
		{"an accent of two bytes", replaced("LOJA EXEMPLO", "LOJ\u00c1 EXEMPLO"), []string{
			`cnab line 1: 241 bytes, should be 240`,
		}},
		{"a blank line", append([]byte("\r\n"), cards...), []string{`cnab line 1: 0 bytes, should be 240`}},
		{"a file without line ends", bytes.Repeat([]byte("0010000 "), 20_000), []string{
			`cnab line 1: 160000 bytes, should be 240`,
			`cnab line 1: record type " " is none of 0, 1, 3, 5 and 9`,
			`cnab line 1: the file has no trailer`,
		}},

		// Statements.
		{"a category of the other side", edited(statement, at{3, 169, "D"}, at{7, 168, "0D"})[:3*242], []string{
			`cnab line 3 segment E field "categoria" (170-172): "222": does not agree with D/C "D"`,
			`cnab line 3: lote 0001 has no trailer`, `cnab line 3: the file has no trailer`,
		}},
		{"a sign that is none", edited(statement, at{3, 169, "+"})[:3*242], []string{
			`cnab line 3 segment E field "tipo_dc" (169-169): "+": should be C or D`,
			`cnab line 3 segment E field "categoria" (170-172): "222": does not agree with D/C "+"`,
			`cnab line 3: lote 0001 has no trailer`, `cnab line 3: the file has no trailer`,
		}},
		{"a closing balance that does not follow", edited(statement, at{7, 168, "1"}), []string{
			`cnab line 7 extrato lote trailer field "valor_saldo_final" (151-168): "000000000000109171": should be 1091.70 (opening + credits - debits, D when negative)`,
		}},
		{"sums of entries", edited(statement, at{7, 194, "1"}, at{7, 212, "1"}, at{7, 176, "7"}), []string{
			`cnab line 7 extrato lote trailer field "qtde_registros_lote" (171-176): "000007": should be 6`,
			`cnab line 7 extrato lote trailer field "soma_debitos" (177-194): "000000000000040351": should be 403.50`,
			`cnab line 7 extrato lote trailer field "soma_creditos" (195-212): "000000000000049521": should be 495.20`,
		}},
		{"an amount beyond any", edited(statement, at{3, 151, "999999999999999999"})[:3*242], []string{
			`cnab line 3 segment E field "valor" (151-168): larger than any amount`,
			`cnab line 3: lote 0001 has no trailer`, `cnab line 3: the file has no trailer`,
		}},
	} {
		_, err := cnab.Read(bytes.NewReader(tc.raw), cnab.ReadOptions{StrictIdentities: true})
		var got []string
		if err != nil {
			got = strings.Split(err.Error(), "\n")
		}
		if d := cmp.Diff(tc.want, got); d != "" {
			t.Errorf("%s:\n%s", tc.why, d)
		}
	}
}

func TestReaderWarns(t *testing.T) {
	t.Parallel()
	cards := sample(t, "installments.ret")
	for _, tc := range []struct {
		why  string
		raw  []byte
		code string
		want string
	}{
		{"one 0x1A at the end", append(bytes.Clone(cards), 0x1a), cnab.CodeEndOfFile, "cnab line 15: one 0x1A after the last record"},
		{"no CR LF at the end", cards[:len(cards)-2], cnab.CodeLastLine, "cnab line 14: no CR LF after the last record"},
		{"LF alone, said once", bytes.ReplaceAll(cards, []byte("\r\n"), []byte("\n")), cnab.CodeLineEnd, "cnab line 1: ends in LF, should be CR LF"},
		{
			"blanks for zeros", edited(cards, at{3, 189, "          "}), cnab.CodeBlank,
			`cnab line 3 segment T field "numero_contrato" (189-198): "          ": blank; unused digits are zeros`,
		},
		{
			"an X as a digit", edited(cards, at{3, 23, "X"}), cnab.CodeXDigit,
			`cnab line 3 segment T field "dv_agencia" (23-23): "X": a letter where the standard wants a digit`,
		},
		{
			"another edition", edited(cards, at{1, 164, "087"}), cnab.CodeVersion,
			`cnab line 1 file header field "layout_arquivo" (164-166): "087": another edition's or bank's layout, read by the columns of edition 10.6`,
		},
		{
			"an edition nobody knows", edited(cards, at{2, 14, "999"}), cnab.CodeVersion,
			`cnab line 2 cobrança lote header field "layout_lote" (14-16): "999": a layout number never seen, read by the columns of edition 10.6`,
		},
		{
			"something in a filler", edited(cards, at{1, 9, "BETA"}), cnab.CodeFiller,
			`cnab line 1 file header field "cnab_9" (9-17): "BETA     ": the standard leaves these columns blank`,
		},
		{
			"small letters", edited(cards, at{3, 106, "pedido"}), cnab.CodeCase,
			`cnab line 3 segment T field "uso_da_empresa" (106-130): small letters`,
		},
		{
			"a tax id whose check fails", edited(cards, at{1, 32, "2"}), cnab.CodeDocument,
			`cnab line 1 file header field "numero_inscricao" (19-32): "11222333000182": CNPJ: second check digit is 2, should be 1`,
		},
		{
			"a payer's, not repeated", edited(cards, at{3, 133, "1000052998224724"}), cnab.CodeDocument,
			`cnab line 3 segment T field "numero_inscricao_pagador" (134-148): CPF: second check digit is 4, should be 5`,
		},
		{"a share in percent", edited(cards, at{7, 61, "1"}), cnab.CodeSplit, `cnab line 7 segment Y-50: a share in percent: it is in no sum`},
		{
			"identities that a bank does not keep", edited(cards, at{6, 107, "0"}), cnab.CodeIdentity,
			`cnab line 5 segment T: valor_liquido is 96.50, should be 96.51 (valor_pago - tarifa_custas - outras_despesas + outros_creditos)`,
		},
		{
			"an optional record of a bank", edited(cards, at{7, 18, "04"}), cnab.CodeRecord,
			`cnab line 7 detail record: an optional record other than Y-50: passed over`,
		},
	} {
		file, err := cnab.Read(bytes.NewReader(tc.raw), cnab.ReadOptions{})
		if err != nil {
			t.Errorf("%s: %v", tc.why, err)
		}
		if len(file.Warnings.List) != 1 || file.Warnings.List[0].String() != tc.want || file.Warnings.List[0].Code != tc.code {
			t.Errorf("%s: got\n%v\nwant code %s\n%s", tc.why, file.Warnings, tc.code, tc.want)
		}
	}
}

func TestReaderCapsItsFaults(t *testing.T) {
	t.Parallel()
	raw := bytes.ReplaceAll(sample(t, "installments.ret"), []byte("001000"), []byte("002000"))
	file, err := cnab.Read(bytes.NewReader(raw), cnab.ReadOptions{Limit: 2})
	var faults cnab.Faults
	if !errors.As(err, &faults) || len(faults.List) != 2 || faults.More == 0 || faults.Count() != 2+faults.More {
		t.Fatalf("faults: %v", err)
	}
	if want := fmt.Sprintf("\ncnab: and %d more", faults.More); !strings.HasSuffix(err.Error(), want) {
		t.Errorf("%q does not end in %q", err, want)
	}
	if file.Totals.Titles != 4 {
		t.Errorf("a file at fault is read all the same: %+v", file.Totals)
	}
}

func TestReaderStreams(t *testing.T) {
	t.Parallel()
	stop := errors.New("enough")
	var at []int
	file, err := cnab.Read(bytes.NewReader(sample(t, "installments.ret")), cnab.ReadOptions{
		OnTitle: func(line int, _ cnab.Title) error {
			at = append(at, line)
			if len(at) == 3 {
				return stop
			}
			return nil
		},
	})
	if !errors.Is(err, stop) || !cmp.Equal(at, []int{3, 5, 8}) {
		t.Errorf("titles at %v, %v", at, err)
	}
	for _, l := range file.Lotes {
		if len(l.Titles) > 0 {
			t.Error("titles are kept although a callback takes them")
		}
	}
}

func TestReadStatement(t *testing.T) {
	t.Parallel()
	file, err := cnab.Read(bytes.NewReader(sample(t, "statement.ret")), cnab.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if tot := file.Totals; file.Service != "04" || tot.Entries != 4 || tot.Credits != c(49520) || tot.Debits != c(40350) {
		t.Errorf("service %s, %+v", file.Service, tot)
	}
	want := cnab.Entry{
		Booked: on(11, 20), Posted: on(11, 20), Amount: c(40000), Debit: true, Category: "103", History: "0103",
		Text: "ESTORNO VISA 02/03", Document: "000123450000 AUT 654321 P02/03",
	}
	if d := cmp.Diff(want, file.Lotes[0].Entries[3]); d != "" {
		t.Error(d)
	}
}
