package export

import (
	"slices"
	"strings"

	"concilia/export/report"
	"concilia/export/table"
	"concilia/store/ledger"
)

// evaluateFormula is left less right of a formula such as "paid = credited + not_credited", over the totals of the set's
// csv files. false: a table that it needs is not there.
func (c *setContents) evaluateFormula(formula string) (ledger.Amount, bool) {
	words := strings.Fields(formula)
	home := c.homeCounter(words)
	var sum ledger.Amount
	sign, side := ledger.Amount(1), ledger.Amount(1)
	for _, word := range words {
		switch word {
		case "+":
			sign = 1
		case "-":
			sign = -1
		case "=":
			sign, side = 1, -1
		default:
			v, ok := c.termValue(word, home)
			if !ok {
				return 0, false
			}
			sum += side * sign * v
		}
	}
	return sum, true
}

// PaidFace is the one term of a formula that is no column: the face value of the slips that were paid.
const PaidFace = "paid_face"

// homeCounter is the total of the table that a formula is of; nil when it is not there.
func (c *setContents) homeCounter(words []string) *table.Counter {
	if t := homeTableOf(words); t != nil {
		return c.tables[t.ID]
	}
	return nil
}

// homeTableOf is the table that has every column a formula names without its table, nil when none has; names repeat between
// them.
func homeTableOf(words []string) *table.Table {
	for _, t := range []*table.Table{report.SummaryTable, report.SlipDaysTable, report.AgendaTable, report.AgendaRollTable} {
		if !slices.ContainsFunc(words, func(w string) bool {
			return !strings.Contains("+-=", w) && !strings.Contains(w, ".") && w != PaidFace && t.ColumnIndex(w) < 0
		}) {
			return t
		}
	}
	return nil
}

// termValue is a total: a column of the formula's own summary, table.column, or paid_face.
func (c *setContents) termValue(word string, home *table.Counter) (ledger.Amount, bool) {
	if isThreePartTerm(word) {
		return c.threePartTerm(word)
	}
	if word == PaidFace {
		return c.terms[word], c.tables[report.SlipsTable.ID] != nil
	}
	if id, column, ok := strings.Cut(word, "."); ok {
		home, word = c.tables[id], column
	}
	switch {
	case home == nil || home.Table.ColumnIndex(word) < 0:
		return 0, false
	case word == "gross_cents":
		return ledger.FromCents(home.Sum(word)), true
	}
	return ledger.Amount(home.Sum(word)), true
}
