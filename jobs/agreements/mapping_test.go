package agreements_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/jobs/agreements"
	"concilia/store/ledger"
)

func mapping(t testing.TB, text string) *agreements.Mapping {
	t.Helper()
	m, err := agreements.ParseMapping("mapping.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Every default spelling, asked for in three ways.
func TestDefaultSpellings(t *testing.T) {
	t.Parallel()
	m := agreements.DefaultMapping()
	for class, spellings := range map[ledger.Class]string{
		ledger.Open:       "|Authorized|Autorizado|Autorizada|Approved|Aprovado|Aprovada|Pending|Pendente|Previsto|Prevista|Scheduled|Agendado|Agendada|A receber",
		ledger.Received:   "Paid|Pago|Paga|Received|Recebido|Recebida|Liquidado|Liquidada|Settled|Antecipado|Antecipada",
		ledger.Blocked:    "Blocked|Bloqueado|Bloqueada",
		ledger.Cancelled:  "Canceled|Cancelled|Cancelado|Cancelada|Estornado|Estornada|Devolvido|Devolvida|Refunded|Reversed",
		ledger.Chargeback: "Chargeback|Contestado|Contestada|Disputa",
	} {
		for s := range strings.SplitSeq(spellings, "|") {
			for _, raw := range []string{s, strings.ToUpper(s), "  " + strings.ToLower(s) + " "} {
				if got, ok := m.Status(raw); got != class || !ok {
					t.Errorf("status %q is %q (%v), want %q", raw, got, ok, class)
				}
			}
		}
	}
}

func TestSpellings(t *testing.T) {
	t.Parallel()
	m := mapping(t, `
status: {received: [Compensado, 7], open: [Em análise], blocked: [Pendente]}
received_type: {anticipated: [Antecip.], normal: [D+1]}
product: {credit: [CREDITO A VISTA]}
brand: {hipercard: [HIPER], Cabal: [], Banescard: [banes card]}
`)
	status := func(raw string) (string, bool) { v, ok := m.Status(raw); return string(v), ok }
	received := func(raw string) (string, bool) { v, ok := m.ReceivedType(raw); return string(v), ok }
	product := func(raw string) (string, bool) { v, ok := m.Product(raw); return string(v), ok }
	for _, row := range []struct {
		because string
		of      func(string) (string, bool)
		raw     string
		want    string // empty: unknown
	}{
		{"the file adds a spelling", status, "COMPENSADO", "received"},
		{"a number in the file is its text", status, "7", "received"},
		{"accents do not count, composed", status, "Em análise", "open"},
		{"accents do not count, decomposed", status, "Em ana\u0301lise", "open"},
		{"accents do not count, left out", status, "EM  ANALISE", "open"},
		{"the file wins over a default", status, "pendente", "blocked"},
		{"nobody knows this one", status, "Em disputa judicial", ""},
		{"part of a known spelling is not the spelling", status, "Pag", ""},
		{"anticipated though its status class is received", received, "Antecipado", "anticipated"},
		{"with accents", received, "ANTECIPAÇÃO", "anticipated"},
		{"the file adds one", received, "antecip.", "anticipated"},
		{"normal by its name", received, "normal", "normal"},
		{"normal because its class is open", received, "Previsto", "normal"},
		{"normal because its class is received, by the file", received, "Compensado", "normal"},
		{"normal by the file", received, "D+1", "normal"},
		{"empty is normal", received, "", "normal"},
		{"a cancelled spelling is no received type", received, "Cancelado", ""},
		{"a status moved out of open by the file is no longer normal", received, "Pendente", ""},
		{"products fold", product, "credito", "credit"},
		{"products fold", product, "Débito", "debit"},
		{"the file adds one", product, "Crédito à vista", "credit"},
		{"an empty product is unknown", product, "", ""},
		{"a product nobody knows", product, "PREPAID", ""},
		{"a brand by its name", m.Brand, "VISA", "visa"},
		{"a brand by its other name", m.Brand, "American Express", "amex"},
		{"a brand by its other name", m.Brand, "Master", "mastercard"},
		{"the file adds a spelling", m.Brand, "Hiper", "hipercard"},
		{"the file adds a brand, known by its name", m.Brand, "CABAL", "cabal"},
		{"the file adds a brand, known by a spelling", m.Brand, "Banes Card", "banescard"},
		{"a brand nobody knows", m.Brand, "Sorocred", ""},
		{"an empty brand is unknown", m.Brand, "", ""},
	} {
		for range 2 { // the second answer is the kept one
			if got, ok := row.of(row.raw); got != row.want && row.want != "" || ok != (row.want != "") {
				t.Errorf("%s: %q is %q (%v), want %q", row.because, row.raw, got, ok, row.want)
			}
		}
	}
}

func TestProblemsOfAMapping(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		because, text string
		want          []string
	}{
		{
			"one spelling, two classes", "status:\n  open: [Em análise]\n  received: [EM ANALISE]",
			[]string{`mapping.yaml line 3 status.received[0]: "EM ANALISE": named under open before (case and accents do not count): keep one`},
		},
		{
			"a class of no installment", "status: {payed: [Quitado]}",
			[]string{`mapping.yaml line 1 status.payed: unknown key: one of open, received, blocked, cancelled, chargeback`},
		},
		{"a class misspelt", "status: {canceled: [Anulado]}", []string{`mapping.yaml line 1 status.canceled: unknown key: did you mean cancelled?`}},
		{
			"a spelling that is no list", "product: {credit: CREDITO A VISTA}",
			[]string{`mapping.yaml line 1 product.credit: "CREDITO A VISTA": a list: of spellings`},
		},
		{
			"an empty element", "product: {credit: [~]}",
			[]string{`mapping.yaml line 1 product.credit[0]: "~": a spelling of the service`},
		},
		{"a brand of signs", "brand: {\"v!sa\": [x]}", []string{`mapping.yaml line 1 brand.v!sa: a brand is named by letters, digits and blanks, at most 30`}},
		{"a list where keys belong", "[status]", []string{`mapping.yaml line 1: a block of keys and values`}},
	} {
		_, err := agreements.ParseMapping("mapping.yaml", []byte(row.text))
		if err == nil {
			t.Errorf("%s: accepted", row.because)
			continue
		}
		if diff := cmp.Diff(strings.Join(row.want, "\n"), err.Error()); diff != "" {
			t.Errorf("%s:\n%s", row.because, diff)
		}
	}
}

func TestMappingTextReadsAsTheSame(t *testing.T) {
	t.Parallel()
	plain := agreements.DefaultMapping()
	golden(t, "mapping.yaml", string(plain.Text()))
	if mapping(t, "# nothing\n").Hash() != plain.Hash() || mapping(t, string(plain.Text())).Hash() != plain.Hash() {
		t.Error("an empty file or the canonical text is not the default mapping")
	}
	one := mapping(t, "status: {open: [Em análise]}\nbrand: {cabal: }")
	if one.Hash() == plain.Hash() || one.Hash() != mapping(t, "brand: {Cabal: [CABAL]}\nstatus: {open: [em analise]}").Hash() {
		t.Error("the hash does not say what the mapping says")
	}
}

func TestASpellingSeenBeforeAllocatesNothing(t *testing.T) {
	m := agreements.DefaultMapping()
	m.Status("Cancelada")
	m.Brand("Sorocred")
	if n := testing.AllocsPerRun(100, func() {
		if class, ok := m.Status("Cancelada"); class != ledger.Cancelled || !ok {
			t.Error("wrong class")
		}
		if _, ok := m.Brand("Sorocred"); ok {
			t.Error("known brand")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestManySpellingsFromManySides(t *testing.T) {
	t.Parallel()
	m := agreements.DefaultMapping()
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 1500 { // more than are kept
				if _, ok := m.Status(fmt.Sprint("unknown ", i*(w+1))); ok {
					t.Error("known")
				}
				if c, ok := m.Status("PAGO"); !ok || c != ledger.Received {
					t.Error("PAGO is not received")
				}
			}
		})
	}
	wg.Wait()
}
