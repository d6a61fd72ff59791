package export

import (
	"strings"

	"concilia/store/ledger"
)

// part adds a row of a state table to the sums that formulas name by three words: aging.KIND.COLUMN, and the cases and
// impact of exceptions.CODE or exceptions.STATE. Counts stand as reais.
func (c *contents) part(t *Table, row Row) {
	switch t.ID {
	case exceptionsTable.ID:
		cases := newCaseSums()
		cases.add(row)
		for name, cell := range cases {
			c.addPart("exceptions."+name+".cases", cell.count*int64(ledger.FromCents(100)))
			c.addPart("exceptions."+name+".impact", int64(cell.sum.printed))
		}
	case agingTable.ID:
		for i := range row {
			if column := &t.Columns[i]; column.Type.Numeric() {
				c.addPart("aging."+row[1].S+"."+column.ID, column.figure(row[i].N))
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
	table, _, _ := strings.Cut(word, ".")
	return c.parts[word], c.tables[table] != nil
}

// isPart says whether a word of a formula has three parts.
func isPart(word string) bool { return strings.Count(word, ".") == 2 }

// partInWords puts a header and labels for a term of three words.
func partInWords(word string, l Language) string {
	parts := strings.Split(word, ".")
	t := tableByID(parts[0])
	if t == nil {
		return word
	}
	name := parts[2]
	if i := t.index(name); i >= 0 {
		name = t.Columns[i].header(l)
	} else if name == "cases" && l != English {
		name = "Casos"
	}
	of := parts[1]
	if l != English {
		of = labelOf(agingLabels, labelOf(stateLabels, of))
	}
	return name + " (" + t.sheet(l) + ": " + of + ")"
}
