package export

import (
	"strings"

	"concilia/export/report"
	"concilia/export/table"
	"concilia/store/ledger"
)

// threePartTerm is a term of three words; known is false when its table is not there.
func (c *setContents) threePartTerm(word string) (sum ledger.Amount, known bool) {
	id, _, _ := strings.Cut(word, ".")
	return c.terms[word], c.tables[id] != nil
}

// isThreePartTerm says whether a word of a formula has three parts.
func isThreePartTerm(word string) bool { return strings.Count(word, ".") == 2 }

// termInWords puts a header and labels for a term of three words.
func termInWords(word string, l table.Language) string {
	parts := strings.Split(word, ".")
	t := report.TableByID(parts[0])
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
		of = labelOf(report.AgingLabels, labelOf(report.StateLabels, labelOf(figureSumLabels(), of)))
	}
	return name + " (" + t.SheetName(l) + ": " + of + ")"
}
