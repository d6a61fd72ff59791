package catalogue

import (
	"concilia/store/ledger"
)

// Title is the name of a rule in plain words, in "pt-BR" or else in English; empty for an unknown code.
func Title(code, lang string) string {
	if w, ok := PlainWords(code, lang); ok {
		return w.Title
	}
	for _, t := range titles {
		switch {
		case t.code != code:
		case lang == "pt-BR":
			return t.pt
		default:
			return t.en
		}
	}
	return ""
}

// titles has the rules that plainWords has not: they own no bracket, so nobody claims money by them and no step is named.
var titles = []struct{ code, pt, en string }{
	{"RUN_COVERAGE_GAP", "Dia sem resposta completa", "Day without a complete answer"},
	{"RUN_TRUNCATION_SUSPECTED", "Resposta que parece cortada", "Answer that looks cut"},
	{"RUN_WINDOW_LEAK", "Linhas fora do período pedido", "Rows outside the window asked for"},
	{"RUN_CLOCK_SKEW", "Relógio do serviço diferente do nosso", "Clock of the service is off"},
	{"RUN_VOLUME_ANOMALY", "Volume do dia fora do usual", "Volume of the day is unusual"},
	{"SRC_SCHEMA_INVALID", "Linha que não pôde ser lida", "Row that could not be read"},
	{"SRC_FIELD_UNKNOWN", "Campo que a documentação não prevê", "Member the document does not name"},
	{"SRC_VANISHED", "Registro que sumiu", "Row that vanished"},
	{"SRC_RESTATED", "Valor alterado depois de informado", "Value restated by the service"},
	{"SRC_CHANGED_AFTER_CLOSE", "Mudança em período fechado", "Change in a closed period"},
	{"ENUM_UNMAPPED", "Palavra sem mapeamento", "Spelling without a mapping"},
	{"LEDGER_BRIDGE_RESIDUAL", "Ponte que não fecha", "Bridge that does not close"},
	{"LEDGER_CONTINUITY_BROKEN", "Continuidade que não fecha", "Continuity that does not close"},
	{"REPORT_TIE_FAILED", "Relatório que não confere com o razão", "Report that does not tie"},
	{"RATE_TABLE_DRIFT", "Taxa média mudou de um mês para outro", "Average rate moved against the month before"},
	{"TOLERANCE_BUDGET_EXCEEDED", "Limite de tolerância do mês excedido", "Tolerance of the month exceeded"},
	{"PROFILE_UNCALIBRATED", "Leitura do serviço sem calibração", "Reading of the service not calibrated"},
	{"REC_DUPLICATE_ROW", "Linha repetida", "Row that repeats"},
	{"REC_DUPLICATE_KEY", "Duas parcelas com a mesma chave", "Two installments under one key"},
	{"REC_INSTALLMENT_RANGE", "Número de parcela impossível", "Number of installment out of range"},
	{"REC_INSTALLMENTS_OVER_LIMIT", "Mais de 12 parcelas", "More than 12 installments"},
	{"REC_NEGATIVE_AMOUNT", "Valor negativo", "Amount below zero"},
	{"REC_DATE_ORDER", "Data anterior à venda", "Date before the sale"},
	{"REC_CARD_NOT_MASKED", "Cartão recebido sem máscara", "Card number sent in the clear"},
	{"TXN_INSTALLMENTS_MISSING", "Parcela da venda que não veio", "Installment of the sale is missing"},
	{"TXN_INSTALLMENTS_EXTRA", "Parcela repetida na venda", "Installment repeats inside the sale"},
	{"TXN_COUNT_CONFLICT", "Quantidade de parcelas em conflito", "Counts of installments differ"},
	{"TXN_TOTAL_CONFLICT", "Total da venda em conflito", "Totals of the sale differ"},
	{"TXN_TOTAL_MISMATCH", "Parcelas não somam o total da venda", "Installments do not add up to the sale"},
	{"TXN_INSTALLMENT_UNEVEN", "Parcelas desiguais", "Installments are uneven"},
	{"TXN_ATTR_CONFLICT", "Dados da venda em conflito", "Attributes of the sale differ"},
	{"TXN_TRN_FEE_ALLOCATION_MISMATCH", "Tarifa de transação mal rateada", "Transaction fee badly allocated"},
	{"TXN_ANTIFRAUD_FEE_ALLOCATION_MISMATCH", "Tarifa antifraude mal rateada", "Antifraud fee badly allocated"},
	{"TXN_POSSIBLE_DOUBLE_CHARGE", "Possível cobrança em dobro", "Possible double charge"},
	{"MDR_CONTRACT_MISSING", "Venda sem linha de contrato", "Sale without a contract line"},
	{"MDR_TXN_TOTAL_MISMATCH", "MDR da venda não confere com a taxa", "MDR of the sale does not follow from its rate"},
	{"MDR_RATE_INCONSISTENT", "Taxa de MDR varia dentro da venda", "MDR rate differs inside the sale"},
	{"FEE_EXCEEDS_GROSS", "Descontos maiores que o valor", "Deductions above the value"},
	{"SIMULATOR_DRIFT", "Simulador diferente do custo contratado ou praticado", "Simulator off the agreed or practised cost"},
	{"ANTICIPATION_ORDER_UNFILLED", "Ordem de antecipação não cumprida", "Anticipation order not filled"},
	{"EARLY_PAYMENT_WITHOUT_COST", "Pago antes, sem custo", "Paid early at no cost"},
	{"RECEIVED_VALUE_WITHOUT_DATE", "Recebido sem data", "Received without a date"},
	{"RECEIVED_LATE", "Recebido com atraso", "Received late"},
	{"RECEIVED_IN_FUTURE", "Recebimento com data futura", "Receipt dated in the future"},
	{"RECEIVED_NON_BUSINESS_DAY", "Recebido em dia não útil", "Received on no business day"},
	{"FORECAST_MOVED", "Previsão de recebimento mudou", "Forecast moved"},
	{"FORECAST_MISSING", "Parcela sem previsão", "Installment without a forecast"},
	{"FORECAST_DATE_MISMATCH", "Previsão fora do prazo do contrato", "Forecast off the contract's term"},
	{"FORECAST_NON_BUSINESS_DAY", "Previsão em dia não útil", "Forecast on no business day"},
	{"STATUS_REGRESSION", "Situação que voltou atrás", "Status went back"},
	{"STATUS_FIELD_CONFLICT", "Situação em conflito com os campos", "Status contradicts its fields"},
	{"CANCELLED_STILL_FORECAST", "Cancelada e ainda prevista", "Cancelled and still forecast"},
	{"SPLIT_CHANGED_AFTER_RECEIPT", "Split alterado depois do recebimento", "Split changed after the receipt"},
	{"SPLIT_BENEFICIARY_UNKNOWN", "Beneficiário fora do cadastro", "Beneficiary not in the register"},
	{"SPLIT_BASE_INCONSISTENT", "Bases de split diferentes na parcela", "Splits of one installment state different bases"},
	{"SPLIT_SUM_MISMATCH", "Splits não somam a base", "Splits do not add up to their base"},
	{"SPLIT_PCT_SUM", "Percentuais de split não somam 100", "Split shares do not add up to 100"},
	{"SPLIT_EXCEEDS_NET", "Split maior que o líquido", "Split above the net"},
	{"SPLIT_DUPLICATE_BENEFICIARY", "Beneficiário repetido no split", "Beneficiary repeats in the split"},
	{"SPLIT_UNEVEN_ACROSS_INSTALLMENTS", "Percentual de split varia entre parcelas", "Split share differs among installments"},
	{"SLIP_PAYMENT_WITHOUT_STATUS", "Boleto com pagamento e sem situação de pago", "Slip with a payment and no status of paid"},
	{"SLIP_PAID_NOT_ALLOWED", "Boleto pago fora do prazo aceito", "Slip paid later than allowed"},
	{"SLIP_CANCEL_INCOMPLETE", "Cancelamento de boleto sem motivo", "Slip cancelled without a reason"},
	{"SLIP_STATUS_REGRESSION", "Situação do boleto voltou atrás", "Status of the slip went back"},
	{"SLIP_STATUS_LAG", "Boleto vencido ainda não marcado", "Slip past due and not marked so"},
	{"SLIP_CREDIT_BEFORE_PAYMENT", "Boleto creditado antes do pagamento", "Slip credited before it was paid"},
	{"SLIP_CREDIT_NON_BUSINESS_DAY", "Boleto creditado em dia não útil", "Slip credited on no business day"},
	{"SLIP_DUPLICATE_ID", "Boleto repetido com outro conteúdo", "Slip twice with different content"},
	{"SLIP_OUT_OF_WINDOW", "Boleto fora do período pedido", "Slip outside the window asked for"},
	{"SLIP_DETAIL_UNAVAILABLE", "Detalhe do boleto indisponível", "Detail of the slip not available"},
	{"SLIP_DETAIL_CONFLICT", "Lista e detalhe do boleto em conflito", "List and detail of the slip differ"},
	{"SLIP_LIST_FIELD_CONFLICT", "Listas de boletos em conflito", "Lists of slips differ"},
	{"SLIP_PAYMENT_LIST_NOT_PAID", "Lista de pagos com boleto não pago", "Slip not paid in the list of the paid"},
	{"SLIP_MISSING_IN_DUE_LIST", "Boleto ausente da lista por vencimento", "Slip missing in the list by due date"},
	{"SLIP_MISSING_IN_PAYMENT_LIST", "Boleto ausente da lista por pagamento", "Slip missing in the list by payment"},
	{"SLIP_MISSING_IN_CREDIT_LIST", "Boleto ausente da lista por crédito", "Slip missing in the list by credit"},
	{"SLIP_CODE_INVALID", "Código de barras ou linha digitável inválida", "Barcode or digitable line not valid"},
	{"SLIP_CODE_AMOUNT_MISMATCH", "Código do boleto com outro valor", "Code of the slip asks for another amount"},
	{"SLIP_CODE_DUE_MISMATCH", "Código do boleto com outro vencimento", "Code of the slip has another due date"},
	{"SLIP_DOCUMENT_INVALID", "Documento do pagador inválido", "Document of the payer not valid"},
	{"WEBHOOK_NOT_IN_PULL", "Notificação sem parcela", "Notification without an installment"},
	{"WEBHOOK_AMBIGUOUS", "Notificação com mais de uma parcela possível", "Notification that fits several installments"},
	{"WEBHOOK_CHAIN_BROKEN", "Sequência de notificações quebrada", "Chain of notifications broken"},
	{"WEBHOOK_OUT_OF_ORDER", "Notificação fora de ordem", "Notification out of order"},
	{"WEBHOOK_DUPLICATE", "Notificação repetida", "Notification that repeats"},
	{"WEBHOOK_ID_REUSED", "Notificação repetida com outro conteúdo", "Notification again with another content"},
	{"WEBHOOK_LATE", "Notificação atrasada", "Notification late"},
	{"WEBHOOK_STATE_CONFLICT", "Notificação em conflito com a parcela", "Notification contradicts the installment"},
	{"PULL_CHANGE_WITHOUT_WEBHOOK", "Mudança sem notificação", "Change without a notification"},
	{"WEBHOOK_SILENCE", "Notificações pararam de chegar", "Notifications have stopped"},
	{"WEBHOOK_SUBSCRIPTION_DRIFT", "Assinatura de notificações aponta para outro lugar", "Notifications are sent elsewhere"},
}

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
