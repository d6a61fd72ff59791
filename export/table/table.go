package table

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"concilia/store/ledger"
)

// Table describes the rows of one table.
type Table struct {
	ID      string   // in file names, manifests and errors
	Sheet   string   // pt-BR name of its sheet
	SheetEN string   // English one, where it is not the id
	Layout  int      // layout_version, counted from 1
	Columns []Column // the hash last, and before it those that are appended
}

// Width is the number of cells a row of the table has: every column but the hash.
func (t *Table) Width() int { return len(t.Columns) - 1 }

// With is the table with more columns, appended in front of the hash.
func (t *Table) With(more ...Column) *Table {
	wide, own := *t, t.Width()
	wide.Columns = slices.Concat(t.Columns[:own], more, t.Columns[own:])
	for i := range more {
		wide.Columns[own+i].Appended = true
	}
	return &wide
}

// NewRow returns a row of absent cells.
func (t *Table) NewRow() Row { return make(Row, t.Width()) }

// ColumnIndex is the place of a column, -1 for one the table does not have.
func (t *Table) ColumnIndex(id string) int {
	return slices.IndexFunc(t.Columns, func(c Column) bool { return c.ID == id })
}

// SheetName is the name of the table's sheet.
func (t *Table) SheetName(l Language) string {
	switch {
	case l != English:
		return t.Sheet
	case t.SheetEN != "":
		return t.SheetEN
	}
	return t.ID
}

// CheckLayout returns an error for a layout that only a newer version of this program can read.
func (t *Table) CheckLayout(layout int) error {
	if layout <= t.Layout {
		return nil
	}
	return fmt.Errorf("table %s has layout %d there, and this version knows it up to %d: use the version that made it", t.ID, layout, t.Layout)
}

// Type is the type of a column's cells: their text format and the unit of their sum.
type Type uint8

// The types of columns. The unit in brackets is that of Cell.N and of the column's sum.
const (
	TypeText     Type = iota
	TypeEnum          // an English id; labelled in the workbook
	TypeList          // sorted, joined by |
	TypeInt           // plain digits (ones)
	TypeMoney         // two or four decimals (ten-thousandths)
	TypeRate          // percent, four decimals (millionths)
	TypeNumber        // two or four decimals (ten-thousandths)
	TypeValue         // an amount, a date or a text; each cell has its own type
	TypeDate          // YYYY-MM-DD (a ledger.Date)
	TypeDateTime      // local civil time as sent (a ledger.LocalTime)
	TypeHash          // the hash of the row, always the last of Table.Columns; appended columns follow it in a line
)

// Numeric reports whether a column of the type has a sum.
func (t Type) Numeric() bool {
	return t == TypeInt || t == TypeMoney || t == TypeRate || t == TypeNumber
}

// Scale is the number of decimals of Cell.N.
func (t Type) Scale() int {
	switch t {
	case TypeMoney, TypeNumber:
		return 4
	case TypeRate:
		return 6
	}
	return 0
}

// Column is one column of a table: its id in machine formats, its headers for people, its type and how it is added up.
type Column struct {
	ID       string
	Header   string // pt-BR
	HeaderEN string
	Type     Type
	Decimals int
	// Null is the sentence on when a cell is absent; empty: every row has a value.
	Null string
	// Labels finds the pt-BR words for the ids of an enum; nil: there are none.
	Labels func(id string) (word string, ok bool)
	// Ratio marks averages and percentages of several rows, of which the ledger gives no sum.
	Ratio bool
	// Distinct marks counts of distinct things that may be on several lines: the total of the table counts each once, and the
	// ledger gives that number with the sum of the lines.
	Distinct bool
	// Undigested marks what is assigned at emission, so that it is no reason for a new revision.
	Undigested bool
	// NoTotal marks numbers whose sum is of no use to people, though it is proved: ordinals, and amounts repeated on every row.
	NoTotal bool
	// Signed marks amounts that the merchant lost where they are positive and has in excess where they are negative: reports add
	// up each kind by itself, and never one less the other.
	Signed bool
	// InParts marks those whose two sums are columns of their own: within a row, they are netted in this one.
	InParts bool
	// Appended marks a column that follows row_hash in csv and jsonl; the hash covers it too. Such columns come last but for
	// the hash.
	Appended bool
	// Digits marks a text of digits alone, such as an NSU: a spreadsheet that guesses types takes it for a number and drops
	// leading zeros, or all digits past the fifteenth.
	Digits bool
	// HighlightNonZero makes the workbook show what is not zero: the column holds differences.
	HighlightNonZero bool
}

// Summed reports whether the sum of the column is of use to people: not that of rates, averages, ages, ordinals and
// versions, nor of amounts that repeat row by row.
func (c *Column) Summed() bool {
	return c.Type.Numeric() && c.Type != TypeRate && !c.Ratio && !c.NoTotal
}

// printedUnit is the smallest step of Cell.N that the column prints.
func (c *Column) printedUnit() int64 {
	u := int64(1)
	for range c.Type.Scale() - c.Decimals {
		u *= 10
	}
	return u
}

// checkCell checks that a present cell fits the column, whose printedUnit is unit: the right type, and no more decimals than the column
// prints.
func (c *Column) checkCell(cell *Cell, unit int64) error {
	fits := cell.Type == c.Type
	switch c.Type {
	case TypeEnum, TypeList:
		fits = cell.Type == TypeText
	case TypeValue:
		fits = true
	}
	if !fits {
		return fmt.Errorf("column %s holds no cell of type %d", c.ID, cell.Type)
	}
	if cell.Type == c.Type && unit > 1 && cell.N%unit != 0 {
		return fmt.Errorf("column %s: a number with more than %d decimals", c.ID, c.Decimals)
	}
	return nil
}

// AppendSum prints a sum of the column with its decimals.
func (c *Column) AppendSum(b []byte, sum int64) []byte {
	if c.Type == TypeInt {
		return ledger.Amount(sum*10_000).Append(b, 0)
	}
	return appendScaled(b, sum, c.Type.Scale(), c.Decimals)
}

// Language is that of headers, labels and sheet names.
type Language string

// The languages.
const (
	Portuguese Language = "pt-BR"
	English    Language = "en"
)

// Heading is the column's header in the language.
func (c *Column) Heading(l Language) string {
	if l == English {
		return c.HeaderEN
	}
	return c.Header
}

// Label is what people read for an id, or for each of a list of them.
func (c *Column) Label(l Language, id string) string {
	if l == English || c.Labels == nil {
		return id
	}
	word := func(id string) string {
		if w, ok := c.Labels(id); ok {
			return w
		}
		return id
	}
	if c.Type != TypeList {
		return word(id)
	}
	ids := strings.Split(id, "|")
	for i := range ids {
		ids[i] = word(ids[i])
	}
	return strings.Join(ids, "|")
}

// hashPosition is where row_hash is in a line of csv or jsonl: before the columns that are appended.
func (t *Table) hashPosition() int {
	at := t.Width()
	for at > 0 && t.Columns[at-1].Appended {
		at--
	}
	return at
}

// columnAt is the column at a position of a line, as an index of Columns, where the hash is the last.
func (t *Table) columnAt(position int) int {
	switch at := t.hashPosition(); {
	case position == at:
		return t.Width()
	case position > at:
		return position - 1
	}
	return position
}

// appendLine appends the line of a row with appended columns: its text, with the hash before their cells.
func appendLine(b []byte, t *Table, row Row, text, hash []byte) []byte {
	var appended []byte
	for i := t.hashPosition(); i < t.Width(); i++ {
		if appended = append(appended, ','); row[i].OK {
			appended = appendCell(appended, &t.Columns[i], &row[i])
		}
	}
	b = append(append(b, text[:len(text)-len(appended)]...), ',')
	return append(append(append(b, hash...), appended...), '\n')
}

// RowFormat is a text format with a line for every row of a table, in addition to the csv that is always written.
type RowFormat struct {
	// AppendHeader appends the text before the first row.
	AppendHeader func(b []byte, t *Table, l Language) []byte
	// AppendRow appends the line of a row, line end included; hash is its row_hash, which csv-br leaves out.
	AppendRow func(b []byte, t *Table, row Row, hash []byte, l Language) []byte
	// ReadBack reads a file back strictly and returns what its rows count and add up to.
	ReadBack func(r io.Reader, t *Table) (Counter, error)
}

// BrazilianCSV is csv as Excel in Brazil opens it: semicolons, decimal commas, days before months, headers and labels for
// people, a byte order mark, and no row_hash.
func BrazilianCSV() RowFormat { return RowFormat{appendBRHeader, appendBRRow, readBRCSV} }

// JSONLines is one object per row, its members in column order and its row_hash that of the csv.
func JSONLines() RowFormat {
	return RowFormat{func(b []byte, _ *Table, _ Language) []byte { return b }, appendJSONRow, readJSONL}
}
