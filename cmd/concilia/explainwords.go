package main

import "strings"

// explanationWords are the words of the page by language; the second is Portuguese.
var explanationWords = map[string][2]string{
	"case": {"Case", "Caso"}, "account": {"Account", "Conta"}, "subject": {"Subject", "Objeto"}, "happened": {"WHAT HAPPENED", "O QUE ACONTECEU"},
	"sums": {"THE FIGURES", "OS VALORES"}, "formula": {"Formula", "Cálculo"}, "expected": {"Expected", "Esperado"}, "actual": {"Found", "Encontrado"},
	"difference": {"Difference", "Diferença"}, "lost": {"Impact: missing", "Impacto: falta"}, "gained": {"Impact: in excess", "Impacto: a mais"},
	"exposure": {"at stake, not lost", "em risco, não perdido"}, "explained": {"Counted in", "Contado em"}, "record": {"THE RECORD", "O REGISTRO"},
	"versions": {"VERSIONS", "VERSÕES"}, "first": {"first seen", "visto pela primeira vez"}, "gone": {"shown no longer after this", "deixou de ser mostrado depois"},
	"changed": {"changed (not shown)", "alterado (não exibido)"}, "contract": {"CONTRACT IN FORCE", "CONTRATO VIGENTE"}, "line": {"Line", "Linha"},
	"valid": {"Valid from", "Vigente desde"}, "until": {"until", "até"}, "document": {"Document", "Documento"}, "days": {"CALENDAR", "CALENDÁRIO"},
	"business": {"business day", "dia útil"}, "closed": {"no business day", "dia não útil"}, "counter": {"banks settle, branches closed", "há liquidação, agências fechadas"},
	"weekend": {"weekend", "fim de semana"}, "othercal": {"by a calendar that is not the one in force now", "por um calendário que não é o vigente"},
	"evidence": {"EVIDENCE", "EVIDÊNCIAS"}, "rows": {"rows", "linhas"}, "row": {"row", "linha"}, "kept": {"body kept: concilia evidence show", "corpo guardado: concilia evidence show"},
	"past": {"body not kept; its hash is", "corpo não guardado; fica o hash"}, "related": {"RELATED CASES", "CASOS RELACIONADOS"}, "history": {"HISTORY", "HISTÓRICO"},
	"settles": {"WHAT WOULD CLOSE IT", "O QUE ENCERRA O CASO"}, "opened": {"Open since", "Aberto desde"}, "incomplete": {"incomplete", "incompleta"},
	"next": {"NEXT STEP", "PRÓXIMO PASSO"}, "reference": {"Dispute reference", "Protocolo"}, "installment": {"installment", "parcela"},
}

// portugueseStates are the states of cases as a page in Portuguese calls them.
var portugueseStates = map[string]string{
	"pending": "pendente", "open": "aberto", "acknowledged": "reconhecido", "disputed": "em contestação", "waived": "dispensado", "shadow": "em observação",
	"resolved": "resolvido", "closed": "encerrado", "reopened": "reaberto",
}

// portugueseVerbs are what people do about a case, as a page in Portuguese calls it.
var portugueseVerbs = map[string]string{
	"ack": "reconhecimento", "assign": "atribuição", "dispute": "contestação", "waive": "dispensa", "close": "encerramento",
	"reopen": "reabertura",
}

// portugueseStages are how far an act has come that is not done, as a page in Portuguese says it.
var portugueseStages = map[string]string{"proposed": "proposta"}

// portugueseParameters are what verbs are given.
var portugueseParameters = map[string]string{"to": "para", "reference": "protocolo", "until": "até", "cap": "limite R$"}

// portugueseSources are the lists of the service.
var portugueseSources = map[string]string{
	"cards": "cartões", "slips.due": "boletos por vencimento", "slips.payment": "boletos por pagamento",
	"slips.credit": "boletos por crédito", "slips.detail": "boleto por id", "simulator": "simulador",
}

// portugueseMembers are the members of records and the terms of contracts. Splits have a number before them.
var portugueseMembers = map[string]string{
	"transactionDate": "Data da venda", "terminal": "Terminal", "cardNumber": "Cartão", "cardType": "Produto", "cardName": "Bandeira",
	"codAuth": "Autorização", "nsu": "NSU", "installmentNumber": "Parcela", "installmentsCount": "Parcelas da venda",
	"installmentValue": "Valor da parcela", "transactionTotalValue": "Valor da venda", "installmentStatus": "Situação da parcela",
	"discountMdrValue": "MDR", "discountMdrTax": "Taxa de MDR, %",
	"discountTrnRateInstalmentValue":        "Tarifa de transação da parcela",
	"discountTrnRateTransactionValue":       "Tarifa de transação da venda",
	"discountAntifraudRateInstalmentValue":  "Tarifa antifraude da parcela",
	"discountAntifraudRateTransactionValue": "Tarifa antifraude da venda",
	"discountAntecipationValue":             "Custo da antecipação", "discountAntecipationTax": "Taxa de antecipação, %",
	"receivedValue": "Valor recebido", "receivedDateForeast": "Previsão de crédito", "receivedDateEffective": "Data de crédito",
	"receivedType": "Tipo de recebimento", "receivedStatus": "Situação do recebimento",
	"tipoSplit": "tipo", "pctSplit": "percentual", "valorBaseSplit": "base", "valorSplit": "valor",

	"id": "Id do boleto", "value": "Valor", "issueDate": "Data de emissão", "dueDate": "Vencimento", "statusBill": "Situação do boleto",
	"statusIntegration": "Status de registro", "effectivePaymentDate": "Data de pagamento", "effectivePaymentValue": "Valor pago",
	"effectiveCreditDate": "Data de crédito", "overduePaymentAllow": "Aceita pagamento vencido",
	"overduePaymentDateLimit": "Limite do pagamento vencido", "overduePaymentPenalty": "Multa, %", "overduePenaltyReceived": "Multa recebida",
	"overduePaymentInterest": "Juros ao mês, %", "overdueInterestReceived": "Juros recebidos", "cancelDate": "Cancelamento",
	"payer": "Pagador", "barCode": "Código de barras", "digitableLine": "Linha digitável", "pixEmv": "Código Pix", "ourNumber": "Nosso número",
	"referenceCode": "Referência", "cancellationReason": "Motivo do cancelamento",

	"Brand": "Bandeira", "netValue": "Líquido pedido", "installment": "Parcelas", "amount": "Valor da venda",

	"brand": "Bandeira", "product": "Produto", "installments": "Parcelas", "mdr": "MDR", "transaction_fee": "Tarifa de transação",
	"antifraud_fee": "Tarifa antifraude", "anticipation": "Antecipação ao mês", "settlement": "Prazo de pagamento",
}

// portugueseValues are values of ours among those of records and contracts; what the service wrote is shown as it wrote it.
var portugueseValues = map[string]string{
	"true": "sim", "false": "não", "credit": "crédito", "debit": "débito", "voucher": "voucher", "adjustment": "ajuste",
	"/ installment": "por parcela", "/ sale": "por venda",
}

func (p *explanationPage) word(key string) string {
	w := explanationWords[key]
	if p.lang == "pt-BR" {
		return w[1]
	}
	return w[0]
}

// translate is the page's word for an id of ours, which in English is the id.
func (p *explanationPage) translate(words map[string]string, id string) string {
	if w, ok := words[id]; ok && p.lang == "pt-BR" {
		return w
	}
	return id
}

func (p *explanationPage) state(s string) string { return p.translate(portugueseStates, s) }

// value spells amounts and dates as the language does, and translates values of ours.
func (p *explanationPage) value(s string) string { return p.spell(p.translate(portugueseValues, s)) }

// member names a member of a record: in English as the interface document does, in Portuguese in words. Behind it may stand
// the list that alone shows it so, before it the split that it is of.
func (p *explanationPage) member(name string) string {
	name, list, ofList := strings.Cut(name, " (")
	split, of, inSplit := strings.Cut(name, "].")
	if inSplit && p.lang == "pt-BR" {
		name = "Split " + strings.TrimPrefix(split, "splits[") + ": " + p.translate(portugueseMembers, of)
	}
	name = p.translate(portugueseMembers, name)
	if ofList {
		name += " (" + p.translate(portugueseSources, strings.TrimSuffix(list, ")")) + ")"
	}
	return name
}

// versionOf names what a version is of: an installment by its number, or a list.
func (p *explanationPage) versionOf(of string) string {
	if of != "" && strings.Trim(of, "0123456789") == "" {
		return p.word("installment") + " " + of
	}
	return p.translate(portugueseSources, of)
}
