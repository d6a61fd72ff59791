package rules_test

import (
	"testing"

	"concilia/jobs/rules/catalogue"
	"concilia/store/ledger"
)

// A sentence has words for what its numbers hold: members of a slip, codes, one or several.
func TestSentencesName(t *testing.T) {
	t.Parallel()
	missing := func(numbers string) ledger.Finding {
		return ledger.Finding{Code: "TXN_INSTALLMENTS_MISSING", Numbers: []ledger.Number{
			{Name: "count", Value: "3"}, {Name: "missing", Value: numbers},
		}}
	}
	member := func(code, name, expected, actual string) ledger.Finding {
		return ledger.Finding{
			Code: code, Expected: ledger.Text(expected), Actual: ledger.Text(actual),
			Numbers: []ledger.Number{{Name: "member", Value: name}},
		}
	}
	checked := func(name, why string) ledger.Finding {
		return ledger.Finding{Code: "SLIP_CODE_INVALID", Numbers: []ledger.Number{
			{Name: "member", Value: name}, {Name: "why", Value: why},
		}}
	}
	const lists, detail = "SLIP_LIST_FIELD_CONFLICT", "SLIP_DETAIL_CONFLICT"
	for _, c := range []struct {
		says   string
		f      ledger.Finding
		en, pt string
	}{
		{"one installment is missing", missing("3"), "Of a sale in 3 installments, number 3 was not sent.", "A venda é em 3x, mas a parcela 3 não foi informada."},
		{"two are", missing("2, 3"), "Of a sale in 3 installments, numbers 2, 3 were not sent.", "A venda é em 3x, mas as parcelas 2, 3 não foram informadas."},
		{
			"a member in words", member(lists, "statusIntegration", "1", "2"),
			"Registration status: one list says 1, another 2.",
			"Status de registro: uma lista diz 1, outra diz 2.",
		},
		{
			"a date, and the detail", member(detail, "dueDate", "2024-11-19", "2024-11-20"),
			"Due date: the list says 2024-11-19, the detail 2024-11-20.",
			"Vencimento: a lista diz 19/11/2024, o detalhe diz 20/11/2024.",
		},
		{
			"members of a row that could not be read",
			ledger.Finding{Code: "SRC_SCHEMA_INVALID", Numbers: []ledger.Number{
				{Name: "source", Value: "cards"},
				{Name: "day", Value: "2024-11-19"},
				{Name: "why", Value: "installmentValue: not a number exact to 4 decimals; splits[0].tipoSplit: not a text; added: not a list; and 3 more"},
			}},
			"A row of card sales of 2024-11-19 could not be read: value of the installment: not a number exact to 4 decimals; split 1, type: not a text; added: not a list; and 3 more.",
			"Uma linha de vendas com cartão de 19/11/2024 não pôde ser lida: valor da parcela: não é um número exato com 4 decimais; split 1, tipo: não é um texto; added: não é uma lista; e mais 3.",
		},
		{
			"a member within a sentence",
			ledger.Finding{Code: "TXN_ATTR_CONFLICT", Numbers: []ledger.Number{{Name: "member", Value: "transactionDate"}}},
			"The rows of the sale disagree on sale date.", "As linhas da venda divergem em: data da venda.",
		},
		{
			"a name of capitals", member("SRC_RESTATED", "discountMdrValue", "1", "2"), "MDR was 1 and is 2 since –.", "MDR era 1 e agora é 2, desde –.",
		},
		{
			"a member without words", member(detail, "another", "1", "2"),
			"another: the list says 1, the detail 2.", "another: a lista diz 1, o detalhe diz 2.",
		},
		{
			"a typed line", checked("digitableLine", "check digits"), "The digitable line of the slip does not agree with its check digits.",
			"A linha digitável do boleto não confere com os dígitos verificadores.",
		},
		{
			"a barcode", checked("barCode", "check digits"), "The barcode of the slip does not agree with its check digits.",
			"O código de barras do boleto não confere com os dígitos verificadores.",
		},
		{
			"two codes", checked("digitableLine", "barCode"), "The digitable line of the slip does not agree with the barcode.",
			"A linha digitável do boleto não confere com o código de barras.",
		},
	} {
		if got := (catalogue.Voice{Language: "en"}).Explain(c.f); got != c.en {
			t.Errorf("%s: %q, want %q", c.says, got, c.en)
		}
		if got := (catalogue.Voice{Language: "pt-BR"}).Explain(c.f); got != c.pt {
			t.Errorf("%s: %q, want %q", c.says, got, c.pt)
		}
	}
}
