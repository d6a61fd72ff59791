package rules_test

import (
	"testing"

	"concilia/jobs/rules/catalogue"
	"concilia/jobs/rules/runs"
	"concilia/store/ledger"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	late := ledger.Finding{
		Code: "RECEIVED_LATE", Expected: ledger.Day(day("2024-11-19")), Actual: ledger.Day(day("2024-11-21")),
		Numbers: []ledger.Number{{Name: "days", Value: "1"}},
	}
	limit := []ledger.Number{{Name: "credit", Value: "2024-11-19"}, {Name: "bank", Value: "itau-1"}, {Name: "limit", Value: "2024-11-21"}}
	priced := late
	priced.Numbers = append(priced.Numbers[:1:1], ledger.Number{Name: "cost", Value: "1234567.05"})
	for _, c := range []struct {
		says, lang string
		f          ledger.Finding
		want       string
	}{
		{"a number nobody has takes its part of the sentence along", "en", late, "Paid on 2024-11-21, 1 business day after 2024-11-19."},
		{
			"dates and amounts as the language writes them", "pt-BR", priced,
			"Parcela paga em 21/11/2024, 1 dia útil depois de 19/11/2024; custo do dinheiro R$ 1.234.567,05.",
		},
		{"more than one of what is counted", "pt-BR", ledger.Finding{
			Code: "RECEIVED_LATE", Expected: ledger.Day(day("2024-11-19")), Actual: ledger.Day(day("2024-11-25")), Numbers: []ledger.Number{{Name: "days", Value: "3"}},
		}, "Parcela paga em 25/11/2024, 3 dias úteis depois de 19/11/2024."},
		{"a list in words, a month as people write it, a rate without idle zeros", "pt-BR", ledger.Finding{
			Code: runs.RateDrift, Expected: ledger.Text("2.4900"), Actual: ledger.Text("2.4955"), Numbers: []ledger.Number{
				{Name: "brand", Value: "visa"},
				{Name: "product", Value: "credit"},
				{Name: "band", Value: "1"},
				{Name: "month", Value: "2024-11"},
				{Name: "cost", Value: "5.50"},
				{Name: "gross", Value: "100000.00"},
			},
		}, "O MDR de visa crédito 1 foi de 2,49% para 2,4955% em 11/2024: R$ 5,50 sobre R$ 100.000,00."},
		{"a sentence that a list begins", "en", ledger.Finding{
			Code: runs.CoverageGap, Numbers: []ledger.Number{{Name: "source", Value: "slips.credit"}, {Name: "day", Value: "2024-11-19"}},
		}, "Slips by credit date: 2024-11-19 was never pulled completely after the day had ended."},
		{"a difference without its sign", "en", ledger.Finding{
			Code: "SLIP_OVERPAID", Expected: ledger.Money(reais("100")), Actual: ledger.Money(reais("110.5")),
		}, "R$ 110.50 was paid on a slip of R$ 100.00: R$ 10.50 too much."},
		{"a spelling of the service is not translated", "pt-BR", ledger.Finding{
			Code: runs.EnumUnmapped, Actual: ledger.Text("open"), Numbers: []ledger.Number{{Name: "member", Value: "receivedStatus"}, {Name: "rows", Value: "3"}},
		}, "Situação do recebimento traz open, que o mapeamento não conhece: 3 registros."},
		{"late payment that was not allowed", "en", ledger.Finding{
			Code: "SLIP_PAID_NOT_ALLOWED", Actual: ledger.Day(day("2024-11-21")), Numbers: []ledger.Number{{Name: "allowed", Value: "false"}},
		}, "Paid on 2024-11-21, although late payment was not allowed."},
		{"late payment that was allowed for a time", "pt-BR", ledger.Finding{
			Code: "SLIP_PAID_NOT_ALLOWED", Actual: ledger.Day(day("2024-11-21")), Numbers: []ledger.Number{{Name: "until", Value: "2024-11-20"}},
		}, "Pago em 21/11/2024, embora o pagamento em atraso fosse permitido só até 20/11/2024."},
		{"a document that is none", "pt-BR", ledger.Finding{
			Code: "SLIP_DOCUMENT_INVALID", Numbers: []ledger.Number{{Name: "document", Value: "***456**"}, {Name: "what", Value: "no CPF or CNPJ"}},
		}, "Documento do pagador ***456**: CPF ou CNPJ inválido."},
		{"a limit that is still to come", "pt-BR", ledger.Finding{
			Code: "BANK_CREDIT_MISSING", Expected: ledger.Money(reais("100")), BreakOn: day("2024-11-22"), Numbers: limit,
		}, "R$ 100,00 que a operadora informa ter creditado em 19/11/2024 não estão na conta bancária itau-1; a tolerância termina em 21/11/2024."},
		{"a limit that is past", "pt-BR", ledger.Finding{
			Code: "BANK_CREDIT_MISSING", Expected: ledger.Money(reais("100")), Numbers: limit,
		}, "R$ 100,00 que a operadora informa ter creditado em 19/11/2024 não estão na conta bancária itau-1; a tolerância terminou em 21/11/2024."},
		{"a limit that is past, in English", "en", ledger.Finding{
			Code: "BANK_CREDIT_MISSING", Expected: ledger.Money(reais("100")), Numbers: limit,
		}, "R$ 100.00 that the service credited on 2024-11-19 is not in bank account itau-1; the limit was 2024-11-21."},
		{"a whole rate has no decimals, another one two", "pt-BR", ledger.Finding{
			Code: "SPLIT_AMOUNT_MISMATCH", Expected: ledger.Money(reais("21.35")), Actual: ledger.Money(reais("218.49")),
			Numbers: []ledger.Number{{Name: "pct", Value: "10.0000"}, {Name: "base", Value: "213.49"}},
		}, "O split foi de R$ 218,49; 10% de R$ 213,49 seriam R$ 21,35."},
		{"a rule nobody knows any more", "en", ledger.Finding{Code: "OLD_RULE"}, "OLD_RULE"},
		{"a number that is missing shows as a dash", "en", ledger.Finding{Code: "RECEIVED_VALUE_WITHOUT_DATE"}, "– received without a date."},
	} {
		if got := (catalogue.Voice{Language: c.lang}).Explain(c.f); got != c.want {
			t.Errorf("%s: %q, want %q", c.says, got, c.want)
		}
	}
}

// Sentences group thousands as their language does, like every amount of the terminal.
func TestExplainGroupsThousands(t *testing.T) {
	t.Parallel()
	f := ledger.Finding{
		Code: "SLIP_OVERPAID", Expected: ledger.Money(reais("1100")), Actual: ledger.Money(reais("1829.35")),
	}
	next := ledger.Finding{Code: "X", Expected: ledger.Day(day("2024-11-20")), Actual: ledger.Day(day("2024-11-21"))}
	for _, c := range []struct{ says, got, want string }{
		{"English", catalogue.Voice{Language: "en"}.Explain(f), "R$ 1,829.35 was paid on a slip of R$ 1,100.00: R$ 729.35 too much."},
		{"Portuguese", catalogue.Voice{Language: "pt-BR"}.Explain(f), "R$ 1.829,35 pagos em um boleto de R$ 1.100,00: R$ 729,35 a mais."},
		{"the formula", catalogue.Formula(f, nil, "en"), "found R$ 1,829.35 − expected R$ 1,100.00 = R$ 729.35"},
		{"a figure alone", catalogue.Spell("-1234567.5", "en"), "-1,234,567.5"},
		{"a figure alone, Portuguese", catalogue.Spell("-1234567.50", "pt-BR"), "-1.234.567,50"},
		{"a rate", catalogue.SpellRate("2.9000", "en"), "2.90 %"},
		{"what is no number", catalogue.Spell("071800006", "en"), "071800006"},
		{"one day", catalogue.Formula(next, nil, "en"), "found 2024-11-21 − expected 2024-11-20 = 1 day"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.says, c.got, c.want)
		}
	}
}
