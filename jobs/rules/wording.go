package rules

import (
	"strings"

	"concilia/store/ledger"
)

// addWordValues are the words that sentences have for what a finding's numbers hold: {named} is a member of a slip, in words and
// as the service spells it; {code} and {against} are the number on a slip and what it was checked with; {one} or {several}
// is set with how many installments are missing.
func addWordValues(numbers []ledger.Number, t language, values map[string]string) {
	for _, n := range numbers {
		switch n.Name {
		case "member":
			values["named"], values["code"] = n.Value, n.Value
			if w, ok := memberWords[n.Value]; ok {
				values["named"] = w.inLanguage(t) + " (" + n.Value + ")"
			}
			if w, ok := codeWords[n.Value]; ok {
				values["code"] = w.inLanguage(t)
			}
		case "why":
			values["against"] = n.Value
			if w, ok := againstWords[n.Value]; ok {
				values["against"] = w.inLanguage(t)
			}
		case "missing":
			if strings.Contains(n.Value, ",") {
				values["several"] = n.Value
			} else {
				values["one"] = n.Value
			}
		}
	}
}

func (s Sentence) inLanguage(t language) string {
	if t == portuguese {
		return s.Pt
	}
	return s.En
}

// memberWords are the members that two views of a slip are compared by, as they begin a sentence.
var memberWords = map[string]Sentence{
	"value":                 {"Value", "Valor"},
	"effectivePaymentDate":  {"Payment date", "Data de pagamento"},
	"effectiveCreditDate":   {"Credit date", "Data de crédito"},
	"effectivePaymentValue": {"Paid value", "Valor pago"},
	"issueDate":             {"Issue date", "Data de emissão"},
	"dueDate":               {"Due date", "Vencimento"},
	"barCode":               {"Barcode", "Código de barras"},
	"digitableLine":         {"Digitable line", "Linha digitável"},
	"pixEmv":                {"Pix code", "Código Pix"},
	"statusBill":            {"Status of the slip", "Situação do boleto"},
	"statusIntegration":     {"Registration status", "Status de registro"},
	"payerDocument":         {"Payer's document", "Documento do pagador"},
	"payerName":             {"Payer's name", "Nome do pagador"},
	"payerStreetAndNumber":  {"Payer's street and number", "Logradouro e número do pagador"},
	"payerZipCode":          {"Payer's postal code", "CEP do pagador"},
	"payerCity":             {"Payer's city", "Cidade do pagador"},
	"payerCityState":        {"Payer's state", "UF do pagador"},
	"payerNeighborhood":     {"Payer's neighborhood", "Bairro do pagador"},
	"payerPhoneNumber":      {"Payer's telephone", "Telefone do pagador"},
}

// codeWords are the numbers on a slip that check themselves, as they begin a sentence.
var codeWords = map[string]Sentence{
	"barCode":       {"The barcode", "O código de barras"},
	"digitableLine": {"The digitable line", "A linha digitável"},
}

// againstWords are what such a number is checked with.
var againstWords = map[string]Sentence{
	"check digits": {"its check digits", "os dígitos verificadores"},
	"barCode":      {"the barcode", "o código de barras"},
}
