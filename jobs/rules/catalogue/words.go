package catalogue

import (
	"strings"

	"concilia/jobs/rules"
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
				values["named"] = inLanguage(w, t) + " (" + n.Value + ")"
			}
			if w, ok := codeWords[n.Value]; ok {
				values["code"] = inLanguage(w, t)
			}
		case "why":
			values["against"] = n.Value
			if w, ok := againstWords[n.Value]; ok {
				values["against"] = inLanguage(w, t)
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

func inLanguage(s rules.Sentence, t language) string {
	if t == portuguese {
		return s.Pt
	}
	return s.En
}

// memberWords are the members that two views of a slip are compared by, as they begin a sentence.
var memberWords = map[string]rules.Sentence{
	"value":                 {En: "Value", Pt: "Valor"},
	"effectivePaymentDate":  {En: "Payment date", Pt: "Data de pagamento"},
	"effectiveCreditDate":   {En: "Credit date", Pt: "Data de crédito"},
	"effectivePaymentValue": {En: "Paid value", Pt: "Valor pago"},
	"issueDate":             {En: "Issue date", Pt: "Data de emissão"},
	"dueDate":               {En: "Due date", Pt: "Vencimento"},
	"barCode":               {En: "Barcode", Pt: "Código de barras"},
	"digitableLine":         {En: "Digitable line", Pt: "Linha digitável"},
	"pixEmv":                {En: "Pix code", Pt: "Código Pix"},
	"statusBill":            {En: "Status of the slip", Pt: "Situação do boleto"},
	"statusIntegration":     {En: "Registration status", Pt: "Status de registro"},
	"payerDocument":         {En: "Payer's document", Pt: "Documento do pagador"},
	"payerName":             {En: "Payer's name", Pt: "Nome do pagador"},
	"payerStreetAndNumber":  {En: "Payer's street and number", Pt: "Logradouro e número do pagador"},
	"payerZipCode":          {En: "Payer's postal code", Pt: "CEP do pagador"},
	"payerCity":             {En: "Payer's city", Pt: "Cidade do pagador"},
	"payerCityState":        {En: "Payer's state", Pt: "UF do pagador"},
	"payerNeighborhood":     {En: "Payer's neighborhood", Pt: "Bairro do pagador"},
	"payerPhoneNumber":      {En: "Payer's telephone", Pt: "Telefone do pagador"},
}

// codeWords are the numbers on a slip that check themselves, as they begin a sentence.
var codeWords = map[string]rules.Sentence{
	"barCode":       {En: "The barcode", Pt: "O código de barras"},
	"digitableLine": {En: "The digitable line", Pt: "A linha digitável"},
}

// againstWords are what such a number is checked with.
var againstWords = map[string]rules.Sentence{
	"check digits": {En: "its check digits", Pt: "os dígitos verificadores"},
	"barCode":      {En: "the barcode", Pt: "o código de barras"},
}
