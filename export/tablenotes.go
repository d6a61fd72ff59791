package export

import (
	"strings"

	"concilia/export/report"
	"concilia/export/table"
	"concilia/store/ledger"
)

// What a reader has to know before a figure is read the wrong way round: units and signs of the tables, what of a set its
// bridge is of, and a filter in words.

// tableNotes are the units and signs of the tables that have any to tell, by id.
var tableNotes = map[string]struct{ pt, en string }{
	"summary": {
		"Diferença positiva: o estabelecimento deixou de receber · canceladas e contestadas só nas colunas de canceladas",
		"Difference positive: the merchant lost · cancelled and charged-back ones in the cancelled columns alone",
	},
	"installments": {
		"Taxas em % · dias de atraso em dias úteis · impacto positivo: perda confirmada ou em risco; negativo: recebido a mais",
		"Rates in % · days late in business days · impact positive: lost or at risk; negative: in excess",
	},
	"splits": {"Diferença = valor − valor esperado", "Difference = value − expected value"},
	"splits-payable": {
		"Sem data de crédito: a parcela ainda não foi recebida · canceladas e contestadas de fora",
		"Without a credit date: the installment is not received yet · cancelled and charged-back ones left out",
	},
	"fees": {
		"Contratado e praticado: MDR em %, antecipação em % a.m., tarifas em R$ · diferença = cobrado − devido",
		"Contract and practised: MDR in %, anticipation in % a month, fees in R$ · difference = charged − due",
	},
	"claims": {
		"Contratado e praticado: MDR em %, antecipação em % a.m., tarifas em R$ · diferença = cobrado − devido",
		"Contract and practised: MDR in %, anticipation in % a month, fees in R$ · difference = charged − due",
	},
	"slips": {
		"Dias de atraso corridos · impacto positivo: perda confirmada ou em risco; negativo: recebido a mais",
		"Days late in calendar days · impact positive: lost or at risk; negative: in excess",
	},
	"slips-summary": {
		"Diferença positiva: o estabelecimento deixou de receber · encargos a confirmar, de boletos pagos em atraso cujos encargos nenhuma lista " +
			"mostrou ainda, não são diferença · inadimplência = vencidos ÷ (vencidos + valor nominal dos pagos)",
		"Difference positive: the merchant lost · charges to confirm, of slips paid late whose charges no list has shown yet, are no " +
			"difference · delinquency = overdue ÷ (overdue + face value of the paid)",
	},
	"exceptions": {
		"Diferença = encontrado − esperado · impacto positivo: perda confirmada ou em risco; negativo: recebido a mais",
		"Difference = actual − expected · impact positive: lost or at risk; negative: in excess",
	},
	"aging": {"Faixas em dias úteis", "Buckets in business days"},
	"agenda": {
		"Líquido e acumulado sem o bloqueado · em antecipação faz parte do líquido",
		"Net and cumulative without what is blocked · being anticipated is part of net",
	},
	"agenda-roll": {
		"Em valor bruto: o que entra na agenda é positivo, o que sai é negativo",
		"In gross: what enters the agenda is positive, what leaves it negative",
	},
	"restatement": {
		"Δ = depois − antes, na primeira linha de cada alteração",
		"Δ = after − before, on the first line of each change",
	},
}

// tableNote is that of a table in the job's language; empty without one.
func (r *rendering) tableNote(t *table.Table) string {
	n := tableNotes[t.ID]
	return r.words(n.pt, n.en)
}

// bridgeDay says by which day a side of the bridge counts, and what of the set it does not follow: the bridge is kept by
// sale date and due date and is the account's, whatever the set is asked by.
func (j *Job) bridgeDay(w words, side string) string {
	day := w("pelo vencimento", "by due date")
	if side == ledger.Cards.Side() {
		day = w("pela data da venda", "by sale date")
	}
	if j.Basis != bridgeBasis(side) && j.Basis != report.ByAsOf {
		day += w(", e não pela base ", ", not by basis ") + j.basisLabel()
	}
	if j.Filter.Canonical() != "" {
		day += w(", sem o filtro", ", without the filter")
	}
	return day
}

// bridgeBasis is the basis whose periods hold the rows that the bridge of a side is of: of cards by sale date, of slips by due
// date.
func bridgeBasis(side string) report.Basis {
	if side == ledger.Cards.Side() {
		return report.ByOperation
	}
	return report.ByForecast
}

// filterWords is the filter as the titles of a file say it; empty without one.
func (j *Job) filterWords() string {
	f := j.Filter.Canonical()
	if f == "" || j.Language == table.English {
		return f
	}
	var parts []string
	for _, part := range strings.Split(f, ";") {
		name, values, _ := strings.Cut(part, "=")
		ids := strings.Split(values, ",")
		if name == "status" {
			for i, id := range ids {
				if _, card := report.CardClassLabels[id]; card {
					ids[i] = labelOf(report.CardClassLabels, id)
				} else {
					ids[i] = labelOf(report.SlipClassLabels, id)
				}
			}
		}
		parts = append(parts, labelOf(map[string]string{"brand": "bandeira", "status": "situação"}, name)+" "+strings.Join(ids, ", "))
	}
	return strings.Join(parts, " · ")
}

// noteLabels are the pt-BR words for the notes of control that repeat.
var noteLabels = map[string]string{
	notePrinted:      "impresso menos quatro decimais",
	noteBridgeCards:  "pela data da venda, sem base nem filtro do conjunto",
	noteBridgeSlips:  "pelo vencimento, sem base nem filtro do conjunto",
	noteSplitOutside: "das linhas do conjunto; pago do que foi recebido, fora das linhas acima",
	noteOtherParts:   "banco de dados: todos os arquivos do tipo, menos os outros como gravados",
}
