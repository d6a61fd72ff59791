package export

import (
	"fmt"
	"strings"

	"concilia/export/table"
	"concilia/export/words"
	"concilia/store/ledger"
)

// The units of control.
const (
	unitCount = "count"
	unitBRL   = "brl"
	unitPct   = "pct"
	unitDays  = "days"
	unitDate  = "date"
	unitText  = "text"
	unitHash  = "sha256"
)

// controlWriter lists figures. The methods set one row each; order is the order of the calls.
type controlWriter struct {
	account string
	section string
	rows    []controlRow
}

// controlRow is a row of control with its note, which files for people have in their language.
type controlRow struct {
	table.Row
	note  note
	value string // the value in Portuguese, where it is a text that has words; empty: as it is
}

// note explains a row of control: a text, a formula, or counts.
type note struct {
	text    string // the name of the text
	values  []any
	formula string
	counts  []measure
}

// noteText is a note that is a text of the group control_notes, with its values.
func noteText(name string, values ...any) note { return note{text: name, values: values} }

// forPrograms is the note as csv and jsonl have it: texts in English, formulas and counts with the ids of columns.
func (n *note) forPrograms() string {
	var counts []string
	for _, m := range n.counts {
		counts = append(counts, fmt.Sprintf("%s %d", m.name, m.n))
	}
	switch {
	case n.text != "":
		return words.Text(table.English, "control_notes."+n.text, n.values...)
	case n.formula != "":
		return n.formula
	}
	return strings.Join(counts, ", ")
}

// forPeople is the note in Portuguese.
func (n *note) forPeople() string {
	var counts []string
	for _, m := range n.counts {
		counts = append(counts, fmt.Sprintf("%s %d", labelOf(controlTerms, m.name), m.n))
	}
	switch {
	case n.text != "":
		return words.Text(table.Portuguese, "control_notes."+n.text, n.values...)
	case n.formula != "":
		return describeFormula(n.formula, table.Portuguese)
	}
	return strings.Join(counts, ", ")
}

// addValue adds a row with a value.
func (c *controlWriter) addValue(item, measure, unit string, value table.Cell, of note) {
	c.rows = append(c.rows, controlRow{note: of, Row: table.Row{
		table.Text(c.account), table.Text(c.section), table.Text(item), table.Text(measure), table.Text(unit), value, {}, {}, {}, {}, table.Text(of.forPrograms()),
	}})
}

func (c *controlWriter) addText(item, measure, value string) {
	c.addValue(item, measure, unitText, table.Text(value), note{})
}

// addTextInWords is text for a value that files for people have in Portuguese.
func (c *controlWriter) addTextInWords(item, measure, value, portuguese string) {
	c.addText(item, measure, value)
	c.rows[len(c.rows)-1].value = portuguese
}

// addWarning adds a text of the group control_warnings.
func (c *controlWriter) addWarning(item, measure, name string) {
	id := "control_warnings." + name
	c.addTextInWords(item, measure, words.Text(table.English, id), words.Text(table.Portuguese, id))
}

func (c *controlWriter) addHash(item, measure, value string) {
	c.addValue(item, measure, unitHash, table.Text(value), note{})
}

func (c *controlWriter) addDate(item, measure string, d ledger.Date) {
	c.addValue(item, measure, unitDate, table.Day(d), note{})
}

func (c *controlWriter) addCount(item, measure string, n int64) {
	c.addValue(item, measure, unitCount, table.Int(n), note{})
}

func (c *controlWriter) addMoney(item, measure string, a ledger.Amount, of note) {
	c.addValue(item, measure, unitBRL, table.Cell{N: int64(a), Type: table.TypeMoney, OK: true}, of)
}

// addResidual adds a row with a value that should leave nothing over.
func (c *controlWriter) addResidual(item, measure string, a, rest ledger.Amount, of note) {
	c.addMoney(item, measure, a, of)
	c.rows[len(c.rows)-1].Row[residualColumn] = table.Number(int64(rest))
}

// addFigure adds the three figures of one sum. The file's stays empty in the control part of workbook and page, which are written
// before the files are read back.
func (c *controlWriter) addFigure(f Figure) {
	row := table.Row{
		table.Text(c.account), table.Text(c.section), table.Text(f.File), table.Text(f.Measure), table.Text(f.Unit),
		{},
		optNumber(f.Ledger), table.Number(f.Writer), optNumber(f.Read), table.Number(f.residual()),
		table.Text(f.note.forPrograms()),
	}
	c.rows = append(c.rows, controlRow{Row: row, note: f.note})
}

func optNumber(o ledger.Opt[int64]) table.Cell {
	if !o.OK {
		return table.Cell{}
	}
	return table.Number(o.V)
}
