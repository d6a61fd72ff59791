package catalogue

import (
	"slices"

	"concilia/jobs/rules"
	"concilia/jobs/rules/cards"
	"concilia/jobs/rules/runs"
	"concilia/store/ledger"
)

// ending is what closes the cases of some codes.
type ending struct {
	codes []string
	// lost is for cases that cost something, or whose rule has no impact; gained for those that are in the merchant's favour.
	// Without words for the latter the general ones hold.
	lost, gained rules.Sentence
}

// DescribeEnding describes what would close the case, in "pt-BR" or else in English: what the service, the payer or a person
// would have to do, and what a later pull would have to show.
func DescribeEnding(f ledger.Finding, lang string) string {
	r, ok := Find(f.Code)
	if !ok {
		return ""
	}
	s := endingOf(&f, &r)
	t := languageOf(lang)
	values := valuesOf(f, t)
	if f.Impact.OK {
		values["amount"] = formatValue(ledger.Money(f.Impact.V.Abs()), t)
	}
	if t == portuguese {
		return fillPlaceholders(dropUnfilled(s.Pt, values), values)
	}
	return fillPlaceholders(dropUnfilled(s.En, values), values)
}

func endingOf(f *ledger.Finding, r *rules.Rule) rules.Sentence {
	switch {
	case f.State == ledger.Pending:
		return rules.Sentence{
			En: "It opens by itself on {break_on}, unless the service shows the record settled before.",
			Pt: "Abre sozinho em {break_on}, a menos que o serviço mostre o registro liquidado antes.",
		}
	case f.ExplainedBy != "":
		return rules.Sentence{
			En: "The case that explains it, " + f.ExplainedBy + ": the money is counted there.",
			Pt: "O caso que o explica, " + f.ExplainedBy + ": o dinheiro é contado lá.",
		}
	}
	for _, e := range ruleEndings() {
		switch {
		case !slices.Contains(e.codes, f.Code):
		case f.Impact.V >= 0:
			return e.lost
		case e.gained.En != "":
			return e.gained
		}
	}
	switch {
	case r.HasImpact() && f.Impact.V < 0:
		return rules.Sentence{
			En: "The service takes {amount} back or corrects it, and a later pull shows it; or a person closes it once it is agreed who keeps the money.",
			Pt: "O serviço toma de volta ou corrige {amount}, e uma coleta posterior mostra isso; ou alguém encerra o caso quando estiver acertado com quem fica o dinheiro.",
		}
	case r.HasImpact() && f.Impact.V > 0:
		return rules.Sentence{
			En: "The service pays or corrects {amount}, and a later pull shows it; until then a person may dispute, waive or close it.",
			Pt: "O serviço paga ou corrige {amount}, e uma coleta posterior mostra isso; até lá alguém pode contestar, dispensar ou encerrar o caso.",
		}
	}
	return rules.Sentence{
		En: "A later pull shows the record so that the rule passes; or a person who closes it with a reason.",
		Pt: "Uma coleta posterior em que o registro cumpra a regra; ou alguém que o encerre com um motivo.",
	}
}

// ruleEndings are the words of the codes that have their own.
func ruleEndings() []ending {
	fact := rules.Sentence{
		En: "What happened does not change any more: a person acknowledges it, or closes it with a reason once nothing more is asked for it.",
		Pt: "O que aconteceu não muda mais: alguém reconhece o caso, ou o encerra com um motivo quando nada mais for cobrado por ele.",
	}
	return []ending{
		{codes: []string{runs.TruncationSuspected}, lost: rules.Sentence{
			En: "An answer that is not cut. If the operator cuts its lists there, set service.list_cap and have it raise the cap; if it does not, a person closes the case, or service.list_cap names a higher number.",
			Pt: "Uma resposta que não esteja cortada. Se o operador corta as listas nesse número, defina service.list_cap e peça que ele aumente o limite; se não corta, alguém encerra o caso, ou service.list_cap indica um número maior.",
		}},
		{codes: []string{runs.VolumeAnomaly}, lost: rules.Sentence{
			En: "An answer of the day begun seven days after it or later that shows the same rows: then the volume is what it is. It resolves by itself.",
			Pt: "Uma resposta do dia iniciada sete dias depois dele ou mais tarde que mostre as mesmas linhas: então o volume é esse mesmo. Resolve-se sozinho.",
		}},
		{codes: []string{cards.OrderUnfilled}, lost: rules.Sentence{
			En: "What was not paid by the day asked for does not change any more: ask the operator why, and a person closes the case with the answer. A listed installment that is cancelled, or an order corrected in the orders file, resolves it.",
			Pt: "O que não foi pago até o dia pedido não muda mais: pergunte o motivo ao operador, e alguém encerra o caso com a resposta. Se a parcela listada for cancelada, ou a ordem corrigida no arquivo de ordens, o caso se resolve.",
		}},
		{codes: []string{cards.SimulatorDrift}, lost: rules.Sentence{
			En: "A later answer of the simulator, which is asked every seventh night, with the agreed cost; or the contract file with the rates that hold now. Sales that were charged otherwise have cases of their own.",
			Pt: "Uma resposta posterior do simulador, consultado a cada sete noites, com o custo acordado; ou o arquivo do contrato com as taxas que valem agora. Vendas cobradas de outra forma têm casos próprios.",
		}},
		{codes: []string{runs.CoverageGap}, lost: rules.Sentence{
			En: "A complete pull of the day, begun after the day has ended: concilia run, or concilia pull.",
			Pt: "Uma coleta completa do dia, iniciada depois que ele terminou: concilia run ou concilia pull.",
		}},
		{codes: []string{runs.ProofFailed}, lost: rules.Sentence{
			En: "A publication of the set whose files tie: the next night, or concilia report for its period. It happening twice is a fault of concilia, or of the disk: keep concilia version --json with it.",
			Pt: "Uma publicação do conjunto cujos arquivos confiram: a próxima noite, ou concilia report do período. Se acontecer duas vezes, é falha do concilia ou do disco: guarde com ela concilia version --json.",
		}},
		{codes: []string{runs.EnumUnmapped}, lost: rules.Sentence{
			En: "The spelling named in mapping.yaml; the next night judges again what was left out.",
			Pt: "A palavra incluída em mapping.yaml; a noite seguinte volta a julgar o que ficou de fora.",
		}},
		{codes: []string{"MDR_CONTRACT_MISSING"}, lost: rules.Sentence{
			En: "A line for it in the contract file; the next night judges by it.",
			Pt: "Uma linha para ele no arquivo do contrato; a noite seguinte julga por ela.",
		}},
		{codes: []string{"TXN_INSTALLMENTS_MISSING"}, lost: rules.Sentence{
			En: "A later pull of the day that shows the missing installments; ask the service for them by NSU and authorization.",
			Pt: "Uma coleta posterior do dia que mostre as parcelas que faltam; peça-as ao serviço por NSU e autorização.",
		}},
		{
			codes: []string{
				"MDR_RATE_MISMATCH", "MDR_AMOUNT_MISMATCH", "MDR_CHARGED_ZERO", "FEE_UNEXPECTED", "TRN_FEE_MISMATCH", "ANTIFRAUD_FEE_MISMATCH",
				"ANTICIPATION_NOT_ORDERED", "ANTICIPATION_WITHOUT_EARLY_DATE", "ANTICIPATION_RATE_MISMATCH", "ANTICIPATION_AMOUNT_MISMATCH",
			},
			lost: rules.Sentence{
				En: "The service corrects the charge and a later pull shows it. A refund of {amount} that comes beside this record does not: then a person closes the case, naming the credit.",
				Pt: "O serviço corrige a cobrança e uma coleta posterior mostra isso. Um estorno de {amount} por fora deste registro não aparece aqui: nesse caso alguém encerra o caso e indica o crédito.",
			},
			gained: rules.Sentence{
				En: "The service charges the {amount} it left out and a later pull shows it; or a person closes the case, naming the exemption.",
				Pt: "O serviço cobra os {amount} que deixou de cobrar e uma coleta posterior mostra isso; ou alguém encerra o caso e indica a isenção.",
			},
		},
		{codes: []string{"RECEIVED_OVERDUE", "RECEIVED_DATE_WITHOUT_VALUE", "RECEIVED_PARTIAL", "RECEIVED_REVERSED"}, lost: rules.Sentence{
			En: "The service pays {amount}, and a later pull shows date and value of the receipt.",
			Pt: "O serviço paga {amount}, e uma coleta posterior mostra a data e o valor do recebimento.",
		}},
		{codes: []string{"RECEIVED_VALUE_MISMATCH"}, lost: rules.Sentence{
			En: "The service pays the missing {amount} on this installment, and a later pull shows {expected} received. A credit beside it does not: then a person closes the case, naming the credit.",
			Pt: "O serviço paga nesta parcela os {amount} que faltam, e uma coleta posterior mostra {expected} recebidos. Um crédito por fora não aparece aqui: nesse caso alguém encerra o caso e indica o crédito.",
		}},
		{codes: []string{"BLOCKED_AGEING"}, lost: rules.Sentence{
			En: "The service releases the installment, pays it or takes it back, and a later pull shows it.",
			Pt: "O serviço libera a parcela, paga ou cancela, e uma coleta posterior mostra isso.",
		}},
		{codes: []string{"SLIP_SHORT_PAID", "SLIP_PAYMENT_COMPOSITION_MISMATCH"}, lost: rules.Sentence{
			En: "What was paid does not change any more: claim {amount} from the payer, or accept it as a reduction, and a person closes or waives the case with that reason.",
			Pt: "O valor pago não muda mais: cobrar {amount} do pagador, ou aceitar o abatimento, e alguém encerra ou dispensa o caso com esse motivo.",
		}},
		{codes: []string{"SLIP_OVERPAID", "SLIP_CHARGE_NOT_DUE", "SLIP_CANCELLED_BUT_PAID"}, gained: rules.Sentence{
			En: "What was paid does not change any more: give {amount} back to the payer, or settle it otherwise, and a person closes the case with that reason.",
			Pt: "O valor pago não muda mais: devolver {amount} ao pagador, ou acertar de outra forma, e alguém encerra o caso com esse motivo.",
		}, lost: fact},
		{codes: []string{"SLIP_CREDIT_OVERDUE"}, lost: rules.Sentence{
			En: "The service credits {expected}, and a later pull shows the date of the credit.",
			Pt: "O serviço credita {expected}, e uma coleta posterior mostra a data do crédito.",
		}},
		{codes: []string{"SLIP_INTEGRATION_FAILED", "SLIP_INTEGRATION_STUCK"}, lost: rules.Sentence{
			En: "A later pull shows the slip registered, paid or cancelled, or another one issued in its place under its reference code; 30 days after it was due it is let go.",
			Pt: "Uma coleta posterior que mostre o boleto registrado, pago ou cancelado, ou outro emitido em seu lugar com o mesmo código de referência; 30 dias depois do vencimento deixa de valer.",
		}},
		{codes: []string{"SLIP_CODE_INVALID"}, lost: rules.Sentence{
			En: "A later pull shows a valid code, or the slip paid or cancelled, or another one issued in its place under its reference code; 30 days after it was due it is let go.",
			Pt: "Uma coleta posterior que mostre um código válido, o boleto pago ou cancelado, ou outro emitido em seu lugar com o mesmo código de referência; 30 dias depois do vencimento deixa de valer.",
		}},
		{codes: []string{"RECEIVED_LATE", "RECEIVED_NON_BUSINESS_DAY", "SLIP_CREDIT_NON_BUSINESS_DAY", "SLIP_PAID_NOT_ALLOWED", "EARLY_PAYMENT_WITHOUT_COST"}, lost: fact},
	}
}
