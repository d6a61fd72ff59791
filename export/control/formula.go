package control

import (
	"slices"
	"strings"

	"concilia/export/report"
	"concilia/export/report/asof"
	"concilia/export/report/kindlist"
	"concilia/export/table"
	"concilia/export/words"
)

// PaidFace is the one term of a formula that is no column: the face value of the slips that were paid.
const PaidFace = "paid_face"

// HomeTableOf returns the first table that has every column a formula names without a table; nil if none has.
func HomeTableOf(words []string) *table.Table {
	for _, t := range []*table.Table{report.SummaryTable, report.SlipDaysTable, asof.AgendaTable, asof.AgendaRollTable} {
		if !slices.ContainsFunc(words, func(w string) bool {
			return !strings.Contains("+-=", w) && !strings.Contains(w, ".") && w != PaidFace && t.ColumnIndex(w) < 0
		}) {
			return t
		}
	}
	return nil
}

// IsThreePartTerm reports whether a word of a formula has three parts.
func IsThreePartTerm(word string) bool { return strings.Count(word, ".") == 2 }

// termInWords returns the header and labels for a term of three parts.
func termInWords(word string, l table.Language) string {
	parts := strings.Split(word, ".")
	t := kindlist.TableByID(parts[0])
	if t == nil {
		return word
	}
	name := parts[2]
	if i := t.ColumnIndex(name); i >= 0 {
		name = t.Columns[i].Heading(l)
	} else if name == "cases" && l != table.English {
		name = "Casos"
	}
	of := parts[1]
	if l != table.English {
		of = LabelOf(words.Labels("formula_part"), of)
		of = LabelOf(words.Labels("aging"), LabelOf(words.Labels("state"), LabelOf(asof.FigureSumLabel, of)))
	}
	return name + " (" + t.SheetName(l) + ": " + of + ")"
}

// formulaInWords replaces the columns of a formula by their headers: of the table that has all of them, or of the table named.
func formulaInWords(formula string, l table.Language) string {
	terms := strings.Fields(formula)
	home := HomeTableOf(terms)
	if home == nil {
		home = report.SummaryTable
	}
	for i, w := range terms {
		if IsThreePartTerm(w) {
			terms[i] = termInWords(w, l)
			continue
		}
		t := home
		if id, column, ok := strings.Cut(w, "."); ok {
			if t = kindlist.TableByID(id); t == nil {
				continue
			}
			w = column
		}
		k := t.ColumnIndex(w)
		switch {
		case w == PaidFace:
			terms[i] = words.Text(l, "control.paid_face")
		case k >= 0 && t != home:
			terms[i] = t.Columns[k].Heading(l) + " (" + t.SheetName(l) + ")"
		case k >= 0:
			terms[i] = t.Columns[k].Heading(l)
		}
	}
	return strings.Join(terms, " ")
}

// DescribeFormula is formulaInWords that also translates the identities of closed months.
func DescribeFormula(formula string, l table.Language) string {
	text := formulaInWords(formula, l)
	if l == table.English || !strings.HasPrefix(text, "Σ Δ ") {
		return text
	}
	terms := strings.Fields(text)
	for i, term := range terms {
		if terms[i] = LabelOf(words.Labels("restated"), term); table.IsDecimal(term) {
			terms[i] = strings.Replace(term, ".", ",", 1)
		}
	}
	return strings.Join(terms, " ")
}
