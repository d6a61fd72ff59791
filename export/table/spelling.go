package table

import "io"

// Spelling is a text format that spells every row of a table as a line of text, besides the csv that is always written.
type Spelling struct {
	// Head appends what stands before the first row.
	Head func(b []byte, t *Table, l Language) []byte
	// Row appends the line of a row, line end included; csv is its csv text without the hash.
	Row func(b []byte, t *Table, row Row, csv []byte, l Language) []byte
	// Read reads a file back strictly and returns what its rows count and add up to.
	Read func(r io.Reader, t *Table) (Counter, error)
}

// BrazilianCSV is csv as Excel in Brazil opens it: semicolons, decimal commas, days before months, headers and labels for
// people, a byte order mark, and no row_hash.
func BrazilianCSV() Spelling { return Spelling{appendBRHeader, appendBRRow, readBR} }

// JSONLines is one object per row, its members in column order and its row_hash that of the csv.
func JSONLines() Spelling {
	return Spelling{func(b []byte, _ *Table, _ Language) []byte { return b }, appendJSONRow, readJSONL}
}
