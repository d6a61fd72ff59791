package cnab_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/export/cnab"
	"concilia/store/ledger"
)

// shop is the account of the samples.
var shop = cnab.Account{
	BankCode: "001", Branch: "1234", BranchDigit: "5", Number: "67890", NumberDigit: "1",
	Agreement: "123456", BankName: "Banco do Brasil S.A.", Document: "11222333000181", HolderName: "Loja Exemplo Ltda",
}

func on(month time.Month, d int) ledger.Date { return ledger.NewDate(2026, month, d) }

func c(cents int64) ledger.Amount { return ledger.FromCents(cents) }

// installments are the titles of the sample of the same name: money taken back, a short payment, an open
// installment and a cancelled sale.
var installments = []cnab.Title{
	{
		Movement: cnab.FeesDebited, TitleNumber: "1", DocumentNumber: "000123450007", Due: on(10, 21), Face: c(5000),
		CompanyUse: "01/01 G7H8I9 PEDIDO-0977", Motive: "06", OtherExpenses: c(4843), EventDate: on(11, 19),
	},
	{
		Movement: cnab.Paid, TitleNumber: "2", DocumentNumber: "000123456789", Due: on(11, 18), Face: c(10000),
		Fee: c(339), CompanyUse: "01/02 A1B2C3 PEDIDO-1001", Motive: "06", Paid: c(10000), Net: c(9651),
		OtherExpenses: c(10), EventDate: on(11, 19), CreditDate: on(11, 19),
		Splits: []cnab.SplitLine{{Amount: c(966), Beneficiary: "11444777000161", Ordinal: 1, CreditDate: on(11, 19)}},
	},
	{
		Movement: cnab.Entered, TitleNumber: "3", DocumentNumber: "000123456789", Due: on(12, 18), Face: c(10000),
		Fee: c(339), CompanyUse: "02/02 A1B2C3 PEDIDO-1001", EventDate: on(10, 19),
		Splits: []cnab.SplitLine{{Amount: c(966), Beneficiary: "11444777000161", Ordinal: 1}},
	},
	{
		Movement: cnab.WrittenOff, TitleNumber: "4", DocumentNumber: "000123456790", Due: on(11, 19), Face: c(5000),
		Fee: c(157), CompanyUse: "01/01 D4E5F6 PEDIDO-1002", Motive: "11", EventDate: on(11, 5),
	},
}

func write(t testing.TB, h cnab.Header, titles ...cnab.Title) ([]byte, cnab.Totals) {
	t.Helper()
	var out bytes.Buffer
	w, err := cnab.NewWriter(&out, h)
	if err != nil {
		t.Fatal(err)
	}
	for _, title := range titles {
		if err := w.WriteTitle(title); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), w.Totals()
}

func TestWriterMakesTheInstallmentsSample(t *testing.T) {
	t.Parallel()
	got, totals := write(t, cnab.Header{Account: shop, Profile: cnab.Febraban, AsOf: on(11, 20), NSA: 43}, installments...)
	if d := cmp.Diff(lines(sample(t, "installments.ret")), lines(got)); d != "" {
		t.Errorf("not the sample:\n%s", d)
	}
	want := cnab.Totals{
		Records: 14, Lotes: 1, Titles: 4, Face: c(30000), Fee: c(835), Paid: c(10000), Net: c(9651),
		OtherExpenses: c(4853), Splits: 2, SplitAmount: c(1932),
	}
	if d := cmp.Diff(want, totals); d != "" {
		t.Errorf("totals:\n%s", d)
	}
}

func TestReaderAndWriterAgree(t *testing.T) {
	t.Parallel()
	raw, totals := write(t, cnab.Header{Account: shop, Profile: cnab.Febraban, AsOf: on(11, 20), NSA: 43}, installments...)
	file, err := cnab.Read(bytes.NewReader(raw), cnab.ReadOptions{StrictIdentities: true})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(totals, file.Totals); d != "" {
		t.Errorf("totals:\n%s", d)
	}
	for i, got := range file.Lotes[0].Titles {
		want := installments[i]
		want.TitleNumber = strings.Repeat("0", 19) + want.TitleNumber
		want.Portfolio = 1
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("title %d:\n%s", i, d)
		}
	}
	if h := file.Header; h.NSA != 43 || h.Created != on(11, 20) || h.Account.Document != shop.Document {
		t.Errorf("header: %+v", h)
	}
}

func TestWriterOfNothing(t *testing.T) {
	t.Parallel()
	raw, totals := write(t, cnab.Header{Account: shop, Profile: cnab.Febraban, AsOf: on(11, 20), NSA: 1})
	if n := len(lines(raw)); n != 4 || totals.Lotes != 1 || totals.Records != 4 {
		t.Errorf("%d lines, totals %+v: want header, an empty lote and trailer", n, totals)
	}
	file, err := cnab.Read(bytes.NewReader(raw), cnab.ReadOptions{})
	if err != nil || file.Totals != totals || len(file.Lotes) != 1 {
		t.Errorf("read back: %+v, %v", file.Totals, err)
	}
}

func TestProfiles(t *testing.T) {
	t.Parallel()
	x := shop
	x.BranchDigit, x.NumberDigit, x.Digit = "X", "x", "7"
	for _, tc := range []struct {
		why     string
		account cnab.Account
		profile cnab.Profile
		line    int
		from    int
		want    string
	}{
		{"febraban: edition and density", shop, cnab.Febraban, 1, 164, "10301600"},
		{"febraban: lote edition", shop, cnab.Febraban, 2, 14, "060"},
		{"febraban: no second digit is a blank", shop, cnab.Febraban, 1, 72, " "},
		{"bb: edition and density", shop, cnab.BB, 1, 164, "08406250"},
		{"bb: lote edition", shop, cnab.BB, 2, 14, "043"},
		{"bb: the bank's name is fixed", shop, cnab.BB, 1, 103, "BANCO DO BRASIL  "},
		{"bb: no second digit is a zero", shop, cnab.BB, 1, 72, "0"},
		{"bb: in the lote header too", shop, cnab.BB, 2, 73, "0"},
		{"a numeric agreement has nine digits", shop, cnab.Febraban, 1, 33, "000123456  "},
		{"an X stands in headers", x, cnab.Febraban, 1, 58, "X000000067890X7"},
		{"an X in T is a zero", x, cnab.Febraban, 3, 23, "0000000067890"},
		{"a digit in T stays", x, cnab.Febraban, 3, 36, "07"},
	} {
		raw, _ := write(t, cnab.Header{Account: tc.account, Profile: tc.profile, AsOf: on(11, 20), NSA: 1}, installments[1])
		l := lines(raw)[tc.line-1]
		if got := l[tc.from-1 : tc.from-1+len(tc.want)]; got != tc.want {
			t.Errorf("%s: %q, want %q", tc.why, got, tc.want)
		}
	}
}

func TestWriterRefusesTitles(t *testing.T) {
	t.Parallel()
	paid := installments[1]
	for _, tc := range []struct {
		why    string
		change func(*cnab.Title)
		want   string
	}{
		{
			"paid a cent less than face", func(x *cnab.Title) { x.Paid -= ledger.Cent },
			"valor_pago is 99.99, should be 100.00 (valor_titulo + acrescimos - desconto - abatimento)",
		},
		{
			"net a cent too much", func(x *cnab.Title) { x.Net += ledger.Cent },
			"valor_liquido is 96.52, should be 96.51 (valor_pago - tarifa_custas - outras_despesas + outros_creditos)",
		},
		{
			"a payment after write-off keeps the identities too", func(x *cnab.Title) { x.Movement, x.Net = cnab.PaidLate, 0 },
			"valor_liquido is 0.00, should be 96.51",
		},
		{"nothing is paid by an entry", func(x *cnab.Title) { x.Movement = cnab.Entered }, "valor_pago is 100.00, should be 0.00 in movement 02"},
		{"nothing is credited by a rejection", func(x *cnab.Title) { x.Movement = cnab.Rejected }, "valor_liquido is 96.51, should be 0.00 in movement 03"},
		{"nothing is paid by a write-off", func(x *cnab.Title) { x.Movement = cnab.WrittenOff }, "valor_pago is 100.00, should be 0.00 in movement 09"},
		{"nothing is paid by a fee", func(x *cnab.Title) { x.Movement = cnab.FeesDebited }, "valor_pago is 100.00, should be 0.00 in movement 28"},
		{"a part of a cent", func(x *cnab.Title) { x.Movement, x.Face = 61, 1 }, `cnab segment T field "valor_titulo" (82-96): 0.0001 is not whole cents`},
		{"a negative amount", func(x *cnab.Title) { x.Movement, x.Fee = 61, -100 }, `cnab segment T field "tarifa_custas" (199-213): -0.01 is negative; the columns have no sign`},
		{"a title number that is not one", func(x *cnab.Title) { x.TitleNumber = "12A" }, `cnab segment T field "nosso_numero" (38-57): not a number of at most 20 digits`},
		{"a title number of 21 digits", func(x *cnab.Title) { x.TitleNumber = strings.Repeat("1", 21) }, `cnab segment T field "nosso_numero" (38-57): not a number`},
		{"an amount wider than its columns", func(x *cnab.Title) { x.Movement, x.Face = 61, 10*ledger.MaxAmount }, `cnab segment T field "valor_titulo" (82-96): 16 characters do not fit`},
		{"six motives", func(x *cnab.Title) { x.Motive = "010203040506" }, `cnab segment T field "motivos" (214-223): 12 characters do not fit`},
		{"a share without its number", func(x *cnab.Title) { x.Splits = []cnab.SplitLine{{}} }, `cnab segment Y-50 field "parcela" (140-145): not between 1 and 999999`},
		{"a portfolio of two digits", func(x *cnab.Title) { x.Portfolio = 10 }, `cnab segment T field "carteira" (58-58): 2 characters do not fit`},
	} {
		w, err := cnab.NewWriter(io.Discard, cnab.Header{Account: shop, Profile: cnab.Febraban, AsOf: on(11, 20), NSA: 1})
		if err != nil {
			t.Fatal(err)
		}
		title := paid
		tc.change(&title)
		err = w.WriteTitle(title)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v, want %q", tc.why, err, tc.want)
		}
		if n := w.Totals(); n.Titles != 0 || n.Records != 1 {
			t.Errorf("%s: something of it was written: %+v", tc.why, n)
		}
		if err := errors.Join(w.WriteTitle(paid), w.Close()); err != nil {
			t.Errorf("%s: the file cannot go on: %v", tc.why, err)
		}
	}
}

func TestWriterRefusesHeaders(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		why    string
		change func(*cnab.Header)
		want   string
	}{
		{"bb is for one bank", func(h *cnab.Header) { h.Profile, h.Account.BankCode = cnab.BB, "237" }, `profile bb is for bank 001, not "237"`},
		{"no such profile", func(h *cnab.Header) { h.Profile = "itau" }, `no profile "itau"`},
		{"no agreement", func(h *cnab.Header) { h.Account.Agreement = "" }, "cnab account: no agreement"},
		{"no digit", func(h *cnab.Header) { h.Account.NumberDigit = " " }, "cnab account: no account digit"},
		{"a branch too wide", func(h *cnab.Header) { h.Account.Branch = "123456" }, `cnab file header field "agencia" (53-57): 6 characters do not fit`},
		{"an agreement too wide is not cut", func(h *cnab.Header) { h.Account.Agreement = strings.Repeat("1", 21) }, `field "convenio" (33-52): 21 characters do not fit`},
		{"a document that is none", func(h *cnab.Header) { h.Account.Document = "123" }, "neither a CPF nor a CNPJ"},
		{"no day", func(h *cnab.Header) { h.AsOf = 0 }, "need a day"},
		{"an NSA of seven digits", func(h *cnab.Header) { h.NSA = 1_000_000 }, "NSA 1000000"},
	} {
		h := cnab.Header{Account: shop, Profile: cnab.Febraban, AsOf: on(11, 20), NSA: 1}
		tc.change(&h)
		_, err := cnab.NewWriter(io.Discard, h)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v, want %q", tc.why, err, tc.want)
		}
	}
}

func lines(raw []byte) []string {
	return strings.Split(strings.TrimSuffix(string(raw), "\r\n"), "\r\n")
}
