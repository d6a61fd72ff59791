package control

import (
	"fmt"
	"strings"

	"concilia/export/table"
	"concilia/export/words"
	"concilia/store/ledger"
)

// The units of control.
const (
	UnitCount = "count"
	UnitBRL   = "brl"
	unitPct   = "pct"
	UnitDays  = "days"
	unitDate  = "date"
	unitText  = "text"
	unitHash  = "sha256"
)

// Writer collects the rows of control. Each method appends one row.
type Writer struct {
	Account string
	Section string
	Rows    []Row
}

// Row is a row of control with its note, which files for people show in their language.
type Row struct {
	table.Row
	note  Note
	value string // the value in Portuguese; empty: the same in every language
}

// Note explains a row of control: a text, a formula, or counts.
type Note struct {
	text    string // the name of the text
	values  []any
	Formula string
	Counts  []Count
}

// TextNote returns a note with a text of the group control_notes and its values.
func TextNote(name string, values ...any) Note { return Note{text: name, values: values} }

// forPrograms returns the note for csv and jsonl: texts in English, formulas and counts with the ids of columns.
func (n *Note) forPrograms() string {
	var counts []string
	for _, m := range n.Counts {
		counts = append(counts, fmt.Sprintf("%s %d", m.Name, m.N))
	}
	switch {
	case n.text != "":
		return words.Text(table.English, "control_notes."+n.text, n.values...)
	case n.Formula != "":
		return n.Formula
	}
	return strings.Join(counts, ", ")
}

// forPeople returns the note in Portuguese.
func (n *Note) forPeople() string {
	var counts []string
	for _, m := range n.Counts {
		counts = append(counts, fmt.Sprintf("%s %d", LabelOf(controlTerms, m.Name), m.N))
	}
	switch {
	case n.text != "":
		return words.Text(table.Portuguese, "control_notes."+n.text, n.values...)
	case n.Formula != "":
		return DescribeFormula(n.Formula, table.Portuguese)
	}
	return strings.Join(counts, ", ")
}

// AddValue adds a row with a value.
func (c *Writer) AddValue(item, measure, unit string, value table.Cell, of Note) {
	c.Rows = append(c.Rows, Row{note: of, Row: table.Row{
		table.Text(c.Account), table.Text(c.Section), table.Text(item), table.Text(measure), table.Text(unit), value, {}, {}, {}, {}, table.Text(of.forPrograms()),
	}})
}

// AddText adds a row whose value is a text.
func (c *Writer) AddText(item, measure, value string) {
	c.AddValue(item, measure, unitText, table.Text(value), Note{})
}

// AddTextInWords is text for a value that files for people have in Portuguese.
func (c *Writer) AddTextInWords(item, measure, value, portuguese string) {
	c.AddText(item, measure, value)
	c.Rows[len(c.Rows)-1].value = portuguese
}

// AddWarning adds a text of the group control_warnings.
func (c *Writer) AddWarning(item, measure, name string) {
	id := "control_warnings." + name
	c.AddTextInWords(item, measure, words.Text(table.English, id), words.Text(table.Portuguese, id))
}

// AddHash adds a row whose value is a hash, in hex.
func (c *Writer) AddHash(item, measure, value string) {
	c.AddValue(item, measure, unitHash, table.Text(value), Note{})
}

// AddDate adds a row whose value is a date.
func (c *Writer) AddDate(item, measure string, d ledger.Date) {
	c.AddValue(item, measure, unitDate, table.Day(d), Note{})
}

// AddCount adds a row whose value is a count.
func (c *Writer) AddCount(item, measure string, n int64) {
	c.AddValue(item, measure, UnitCount, table.Int(n), Note{})
}

// AddMoney adds a row whose value is an amount, with a note.
func (c *Writer) AddMoney(item, measure string, a ledger.Amount, of Note) {
	c.AddValue(item, measure, UnitBRL, table.Cell{N: int64(a), Type: table.TypeMoney, OK: true}, of)
}

// AddResidual adds a row with a value and its residual, which should be 0.
func (c *Writer) AddResidual(item, measure string, a, rest ledger.Amount, of Note) {
	c.AddMoney(item, measure, a, of)
	c.Rows[len(c.Rows)-1].Row[ResidualColumn] = table.Number(int64(rest))
}

// AddFigure adds the three figures of one sum. The file's stays empty in the control part of workbook and page, which are written
// before the files are read back.
func (c *Writer) AddFigure(f Figure) {
	row := table.Row{
		table.Text(c.Account), table.Text(c.Section), table.Text(f.File), table.Text(f.Measure), table.Text(f.Unit),
		{},
		optNumber(f.Ledger), table.Number(f.Writer), optNumber(f.Read), table.Number(f.Residual()),
		table.Text(f.Note.forPrograms()),
	}
	c.Rows = append(c.Rows, Row{Row: row, note: f.Note})
}

func optNumber(o ledger.Opt[int64]) table.Cell {
	if !o.OK {
		return table.Cell{}
	}
	return table.Number(o.V)
}

// Count is a number with its name.
type Count struct {
	Name string
	N    int64
}

// ResidualColumn is the place of the column residual.
const ResidualColumn = 9

// noteColumn is the place of the column note.
const noteColumn = 10
