package export

import (
	"strings"

	"concilia/export/table"
	"concilia/store/ledger"
)

// part adds a row of a state table to the sums that formulas name by three words: aging.KIND.COLUMN, and the cases and
// impact of exceptions.CODE or exceptions.STATE. Counts stand as reais.
func (c *contents) part(t *table.Table, row table.Row) {
	switch t.ID {
	case exceptionsTable.ID:
		cases := newCaseSums(c.manifest.AsOf)
		cases.add(row)
		for name, cell := range cases.byName {
			c.addPart("exceptions."+name+".cases", cell.count*int64(ledger.FromCents(100)))
			c.addPart("exceptions."+name+".impact", int64(cell.sum.Printed))
		}
	case agingTable.ID:
		for i := range row {
			if column := &t.Columns[i]; column.Type.Numeric() {
				c.addPart("aging."+row[1].S+"."+column.ID, figureOf(column, row[i].N))
			}
		}
	}
}

func (c *contents) addPart(name string, n int64) {
	if c.parts == nil {
		c.parts = make(map[string]ledger.Amount)
	}
	c.parts[name] += ledger.Amount(n)
}

// partOf is a term of three words; known is false when its table is not there.
func (c *contents) partOf(word string) (sum ledger.Amount, known bool) {
	id, _, _ := strings.Cut(word, ".")
	return c.parts[word], c.tables[id] != nil
}

// isPart says whether a word of a formula has three parts.
func isPart(word string) bool { return strings.Count(word, ".") == 2 }

// partInWords puts a header and labels for a term of three words.
func partInWords(word string, l table.Language) string {
	parts := strings.Split(word, ".")
	t := tableByID(parts[0])
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
		of = labelOf(agingLabels, labelOf(stateLabels, labelOf(figureSumLabels(), of)))
	}
	return name + " (" + t.SheetName(l) + ": " + of + ")"
}
