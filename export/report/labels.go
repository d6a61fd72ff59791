package report

// The pt-BR words for ids, as workbooks show them. Machine formats and the English workbook have the ids.
var (
	productLabels = map[string]string{
		"credit": "crédito", "debit": "débito", "voucher": "voucher", "adjustment": "ajuste",
	}
	bandLabels      = map[string]string{"1": "1x", "2-6": "2 a 6x", "7-12": "7 a 12x"}
	CardClassLabels = map[string]string{
		"open": "aberta", "received": "recebida", "blocked": "bloqueada", "cancelled": "cancelada",
		"chargeback": "contestada",
	}
	SlipClassLabels = map[string]string{
		"open": "em aberto", "paid": "pago", "cancelled": "cancelado", "failed": "recusado",
	}
	slipStatusLabels = map[string]string{
		"processing": "em processamento", "issued": "emitido", "paid": "pago", "overdue": "vencido",
		"rejected": "rejeitado", "failed": "recusado",
	}
	feeLabels = map[string]string{
		"mdr": "MDR", "anticipation": "antecipação", "transaction": "transação", "antifraud": "antifraude",
	}
	BasisLabels = map[string]string{
		"operation": "operação", "forecast": "previsão", "payment": "pagamento", "credit": "crédito",
		"asof": "posição do dia",
	}
	verdictLabels  = map[string]string{"ok": "ok", "pending": "pendente", "break": "divergência"}
	severityLabels = map[string]string{"C": "crítica", "E": "erro", "W": "aviso", "I": "informação"}
	StateLabels    = map[string]string{
		"pending": "pendente", "open": "aberta", "acknowledged": "reconhecida", "disputed": "em contestação",
		"waived": "dispensada", "resolved": "resolvida", "closed": "encerrada", "reopened": "reaberta",
		"shadow": "em observação",
	}
	subjectLabels = map[string]string{
		"card": "parcela", "sale": "venda", "split": "split", "slip": "boleto", "row": "linha em quarentena",
		"webhook": "notificação", "day": "dia", "source": "lista", "month": "mês", "value": "valor", "member": "campo",
		"rule": "regra", "file": "arquivo", "account": "conta",
		"order": "ordem de antecipação", "option": "opção do simulador",
	}
	directionLabels = map[string]string{"lost": "perda confirmada", "gained": "recebido a mais", directionExposure: "em risco"}
	// fieldLabels name the members of an item that a restatement tells of, and standingLabels what a status came to.
	fieldLabels = map[string]string{
		"installmentValue": "valor da parcela", "installmentsCount": "quantidade de parcelas", "installmentStatus": "situação da parcela",
		"discountMdrValue": "MDR", "discountTrnRateInstalmentValue": "tarifa de transação",
		"discountAntifraudRateInstalmentValue": "tarifa antifraude", "receivedValue": "valor recebido",
		"receivedDateEffective": "data de crédito da parcela", "value": "valor do boleto", "statusBill": "situação do boleto",
		"effectiveCreditDate": "data de crédito do boleto", "effectivePaymentValue": "valor pago do boleto",
		"contract": "contrato", "calendar": "calendário", "mapping": "mapeamento", "profile": "perfil de leitura",
	}
	standingLabels = map[string]string{"open": "em vigor", "cancelled": "cancelado"}
	AgingLabels    = map[string]string{
		"card_overdue": "cartão em atraso", "slip_not_credited": "boleto não creditado", "dispute_open": "contestação aberta",
	}
	bucketLabels = map[string]string{
		"0-1": "0 a 1", "2-5": "2 a 5", "6-10": "6 a 10", "11-30": "11 a 30", "31-60": "31 a 60", "61-90": "61 a 90",
		"91+": "mais de 90",
	}
	listLabels = map[string]string{
		"due": "vencimento", "payment": "pagamento", "credit": "crédito", "detail": "consulta por id",
	}
	sectionLabels = map[string]string{
		"run": "execução", "withheld": "não publicado", "documents": "documentos", "coverage": "cobertura",
		"files": "arquivos", "sums": "somas", "rounding_of_sums": "arredondamento",
		"identities": "identidades", "left_out": "deixado de fora", "bridge": "ponte", "continuity": "continuidade",
		"rules": "regras", "not_evaluated": "não avaliado", "quarantine": "quarentena", "tolerance": "tolerância",
		"warnings": "avisos", "digit_columns": "colunas de dígitos",
	}
	unitLabels = map[string]string{
		"count": "quantidade", "brl": "R$", "pct": "%", "days": "dias", "date": "data", "text": "texto",
		"sha256": "SHA-256",
	}
)
