package rules

import "concilia/store/ledger"

// PlainText is a finding in plain words: its title, who takes the next step, and the step.
type PlainText struct{ Title, Owner, Next string }

// PlainWords returns the words for a rule that owns a bracket, in "pt-BR" or else in English; false for any other code.
func PlainWords(code, lang string) (PlainText, bool) {
	for _, w := range plainWords {
		if w.code != code {
			continue
		}
		who := owners[w.owner]
		if lang == "pt-BR" {
			return PlainText{w.pt, who.pt, w.nextPt}, true
		}
		return PlainText{w.en, who.en, w.nextEn}, true
	}
	return PlainText{}, false
}

// NextStep returns the words of Plain for a case: one in dispute is claimed already, so that its next step is to follow the
// dispute up. False where nothing is to be done that the catalogue knows of.
func NextStep(f ledger.Finding, lang string) (PlainText, bool) {
	w, ok := PlainWords(f.Code, lang)
	if f.State != ledger.Disputed {
		return w, ok
	}
	w.Title = Title(f.Code, lang)
	if lang == "pt-BR" {
		w.Owner, w.Next = owners[finance].pt, "Acompanhar a contestação "+f.Reference+" até a resposta."
	} else {
		w.Owner, w.Next = owners[finance].en, "Follow dispute "+f.Reference+" up until it is answered."
	}
	return w, true
}

type owner int

const (
	service  owner = iota // the payment service answers for it
	finance               // the merchant's finance team does
	contract              // whoever keeps the contract does, with the service
)

var owners = [...]struct{ pt, en string }{
	service:  {"Serviço", "Service"},
	finance:  {"Financeiro", "Finance"},
	contract: {"Contrato", "Contract"},
}

// plainWords has every rule that owns a bracket of a bridge, or of the splits beside it.
var plainWords = []struct {
	code           string
	owner          owner
	pt, en         string
	nextPt, nextEn string
}{
	{
		"MDR_CHARGED_ZERO", contract, "MDR não cobrado", "MDR not charged",
		"Confirmar se há isenção; sem ela, esperar a cobrança posterior.", "Confirm whether there is an exemption; without one expect the charge later.",
	},
	{
		"MDR_RATE_MISMATCH", contract, "Taxa de MDR fora do contrato", "MDR rate off the contract",
		"Pedir ao serviço a correção da taxa e o estorno da diferença.", "Ask the service to correct the rate and refund the difference.",
	},
	{
		"MDR_AMOUNT_MISMATCH", service, "Valor de MDR não confere com a taxa", "MDR amount does not follow from its rate",
		"Pedir ao serviço o estorno, com bruto, taxa e valor de cada parcela.", "Ask the service for a refund, with gross, rate and amount of each installment.",
	},
	{
		"FEE_UNEXPECTED", contract, "Tarifa que o contrato não prevê", "Fee that the contract does not have",
		"Contestar a tarifa, ou incluir no contrato a que foi combinada.", "Dispute the fee, or add to the contract what was agreed.",
	},
	{
		"TRN_FEE_MISMATCH", contract, "Tarifa de transação fora do contrato", "Transaction fee off the contract",
		"Pedir o estorno da diferença por parcela.", "Ask for the refund of the difference per installment.",
	},
	{
		"ANTIFRAUD_FEE_MISMATCH", contract, "Tarifa antifraude fora do contrato", "Antifraud fee off the contract",
		"Pedir o estorno da diferença por parcela.", "Ask for the refund of the difference per installment.",
	},
	{
		"ANTICIPATION_NOT_ORDERED", finance, "Antecipação sem pedido", "Anticipation nobody ordered",
		"Confirmar com a tesouraria; se ninguém pediu, contestar o custo.", "Confirm with treasury; if nobody ordered it dispute the cost.",
	},
	{
		"ANTICIPATION_WITHOUT_EARLY_DATE", service, "Antecipação cobrada sem adiantamento", "Anticipation charged without early payment",
		"Contestar: o custo foi cobrado e o crédito não veio antes.", "Dispute it: the cost was charged and the credit did not come early.",
	},
	{
		"ANTICIPATION_RATE_MISMATCH", contract, "Taxa de antecipação fora do contrato", "Anticipation rate off the contract",
		"Pedir a correção da taxa e o estorno da diferença.", "Ask for the rate to be corrected and the difference refunded.",
	},
	{
		"ANTICIPATION_AMOUNT_MISMATCH", service, "Custo de antecipação não confere", "Anticipation cost does not follow from its rate",
		"Pedir a memória de cálculo: base, taxa e dias.", "Ask for the calculation: base, rate and days.",
	},
	{
		"SPLIT_MISSING", finance, "Split do contrato não aplicado", "Split of the contract not applied",
		"Conferir o cadastro do beneficiário e acertar o repasse.", "Check the beneficiary's registration and settle the share.",
	},
	{
		"SPLIT_CONTRACT_PCT_MISMATCH", contract, "Percentual de split fora do contrato", "Split share off the contract",
		"Corrigir o percentual no serviço ou no contrato.", "Correct the share at the service or in the contract.",
	},
	{
		"SPLIT_AMOUNT_MISMATCH", service, "Valor de split não confere com o percentual", "Split amount does not follow from its share",
		"Pedir ao serviço a correção do repasse.", "Ask the service to correct the share.",
	},
	{
		"SPLIT_BASE_MISMATCH", service, "Base de split não confere", "Base of the split is not the installment's",
		"Pedir ao serviço a base usada em cada parcela.", "Ask the service which base each installment used.",
	},
	{
		"RECEIVED_NEGATIVE", service, "Estorno do que não constava pago", "Taken back though never seen paid",
		"Pedir o motivo e o recebimento de origem.", "Ask for the reason and for the receipt it takes back.",
	},
	{
		"CANCELLED_BUT_RECEIVED", finance, "Cancelada ou contestada, mas recebida", "Cancelled or charged back, yet received",
		"Reservar o valor: o serviço pode tomá-lo de volta.", "Set the amount aside: the service may take it back.",
	},
	{
		"RECEIVED_REVERSED", service, "Recebimento desfeito", "Receipt undone",
		"Pedir o motivo do desfazimento e a nova data.", "Ask why it was undone and for the new date.",
	},
	{
		"RECEIVED_DATE_WITHOUT_VALUE", service, "Data de pagamento sem valor", "Payment date without an amount",
		"Conferir o extrato do dia; sem crédito, cobrar do serviço.", "Check the statement of the day; without a credit claim it from the service.",
	},
	{
		"RECEIVED_PARTIAL", service, "Recebida só uma parte", "Only a part received",
		"Cobrar do serviço o restante da parcela.", "Claim the rest of the installment from the service.",
	},
	{
		"RECEIVED_VALUE_MISMATCH", service, "Recebido diferente do líquido", "Received is not the net",
		"Pedir a composição do crédito e cobrar a diferença.", "Ask what the credit is made of and claim the difference.",
	},
	{
		"BLOCKED_AGEING", service, "Parcela bloqueada", "Installment blocked",
		"Pedir o motivo do bloqueio e a data de liberação.", "Ask why it is blocked and when it is released.",
	},
	{
		"RECEIVED_OVERDUE", service, "Parcela vencida e não recebida", "Installment due and not received",
		"Cobrar do serviço o pagamento das parcelas vencidas.", "Claim the payment of the overdue installments from the service.",
	},
	{
		"SLIP_LATE_PENALTY_MISMATCH", service, "Multa de boleto não confere", "Penalty of a slip is not as due",
		"Pedir a correção da multa.", "Ask for the penalty to be corrected.",
	},
	{
		"SLIP_LATE_INTEREST_MISMATCH", service, "Juros de boleto não conferem", "Interest of a slip is not as due",
		"Pedir a memória de cálculo dos juros.", "Ask for the calculation of the interest.",
	},
	{
		"SLIP_CHARGE_NOT_DUE", service, "Encargo em boleto pago em dia", "Charge on a slip paid on time",
		"Devolver ao pagador ou pedir a correção.", "Return it to the payer or ask for the correction.",
	},
	{
		"SLIP_PAID_INCOMPLETE", service, "Boleto pago sem data ou valor", "Slip paid without date or amount",
		"Pedir a data e o valor do pagamento.", "Ask for the date and the amount of the payment.",
	},
	{
		"SLIP_SHORT_PAID", finance, "Boleto pago a menor", "Slip paid short",
		"Cobrar a diferença do pagador ou aceitar o abatimento.", "Claim the difference from the payer or accept the reduction.",
	},
	{
		"SLIP_OVERPAID", finance, "Boleto pago a maior", "Slip paid in excess",
		"Devolver ao pagador ou reservar o valor.", "Return it to the payer or set it aside.",
	},
	{
		"SLIP_PAYMENT_COMPOSITION_MISMATCH", service, "Composição do pagamento não confere", "Parts of the payment do not add up",
		"Pedir valor, multa e juros de cada boleto.", "Ask for amount, penalty and interest of each slip.",
	},
	{
		"SLIP_CANCELLED_BUT_PAID", finance, "Boleto cancelado, mas pago", "Slip cancelled, yet paid",
		"Devolver ao pagador ou reativar a cobrança.", "Return it to the payer or revive the charge.",
	},
	{
		"SLIP_CREDIT_OVERDUE", service, "Boleto pago e não creditado", "Slip paid and not credited",
		"Cobrar do serviço o crédito, com a data de pagamento.", "Claim the credit from the service, with the date of payment.",
	},
	{
		"SLIP_INTEGRATION_FAILED", finance, "Boleto recusado no registro", "Slip refused at registration",
		"Corrigir os dados e emitir de novo.", "Correct the data and issue it again.",
	},
	{
		"SLIP_INTEGRATION_STUCK", service, "Boleto parado no registro", "Slip stuck at registration",
		"Pedir ao serviço o registro, ou emitir de novo.", "Ask the service to register it, or issue it again.",
	},
}
