package export

// The pt-BR words for ids, as workbooks show them. Machine formats and the English workbook have the ids.
var (
	productLabels = map[string]string{
		"credit": "crédito", "debit": "débito", "voucher": "voucher", "adjustment": "ajuste",
	}
	bandLabels      = map[string]string{"1": "1x", "2-6": "2 a 6x", "7-12": "7 a 12x"}
	cardClassLabels = map[string]string{
		"open": "aberta", "received": "recebida", "blocked": "bloqueada", "cancelled": "cancelada",
		"chargeback": "contestada",
	}
	slipClassLabels = map[string]string{
		"open": "em aberto", "paid": "pago", "cancelled": "cancelado", "failed": "recusado",
	}
	slipStatusLabels = map[string]string{
		"processing": "em processamento", "issued": "emitido", "paid": "pago", "overdue": "vencido",
		"rejected": "rejeitado", "failed": "recusado",
	}
	basisLabels = map[string]string{
		"operation": "operação", "forecast": "previsão", "payment": "pagamento", "credit": "crédito",
	}
	verdictLabels = map[string]string{"ok": "ok", "pending": "pendente", "break": "divergência"}
	sectionLabels = map[string]string{
		"run": "execução", "withheld": "não publicado", "documents": "documentos", "coverage": "cobertura",
		"files": "arquivos", "sums": "somas", "rounding_of_sums": "arredondamento",
		"identities": "identidades", "left_out": "deixado de fora", "bridge": "ponte", "continuity": "continuidade",
		"rules": "regras", "not_evaluated": "não avaliado", "quarantine": "quarentena", "tolerance": "tolerância",
		"warnings": "avisos",
	}
	noteLabels = map[string]string{
		notePrinted:     "impresso menos quatro decimais",
		noteBridgeCards: "pela data da venda, sem base nem filtro do conjunto",
		noteBridgeSlips: "pelo vencimento, sem base nem filtro do conjunto",
	}
	unitLabels = map[string]string{
		"count": "quantidade", "brl": "R$", "pct": "%", "days": "dias", "date": "data", "text": "texto",
		"sha256": "SHA-256",
	}
)

// Language is that of headers, labels and sheet names.
type Language string

// The languages.
const (
	Portuguese Language = "pt-BR"
	English    Language = "en"
)

// header is the column's header in the language.
func (c *Column) header(l Language) string {
	if l == English {
		return c.HeaderEN
	}
	return c.Header
}

// label is what the workbook shows for an id.
func (c *Column) label(l Language, id string) string {
	if l == English {
		return id
	}
	if s, ok := c.Labels[id]; ok {
		return s
	}
	return id
}

// sheet is the name of the table's sheet: in English its id, but of the one that is no table of a report.
func (t *Table) sheet(l Language) string {
	switch {
	case l != English:
		return t.Sheet
	case t == controlTable:
		return "Control"
	}
	return t.ID
}
