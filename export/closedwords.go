package export

import (
	"strings"

	"concilia/export/table"
)

// Words that workbooks and pages have in Portuguese: the identities of a closed month.

// restatedTerms are the words of such an identity that are no column's.
var restatedTerms = map[string]string{
	"gross,": "bruto,", "net,": "líquido,", "received,": "recebido,", "cards": "cartões", "slips": "boletos", "value": "valor dos boletos",
}

// formulaFor is a formula as a file of the set has it.
func (j *Job) formulaFor(formula string) string {
	said := formulaInWords(formula, j.Language)
	if j.Language == table.English || !strings.HasPrefix(said, "Σ Δ ") {
		return said
	}
	words := strings.Fields(said)
	for i, w := range words {
		if words[i] = labelOf(restatedTerms, w); table.IsDecimal(w) {
			words[i] = strings.Replace(w, ".", ",", 1)
		}
	}
	return strings.Join(words, " ")
}

// controlFor is a row of control in the words of a file of the set.
func (j *Job) controlFor(row table.Row) table.Row {
	out := controlInWords(row, j.Language)
	if j.Language == table.English {
		return out
	}
	if row[1].S == "identities" && row[10].OK {
		out[10].S = j.formulaFor(row[10].S)
	}
	return out
}
