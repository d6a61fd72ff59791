package table

import "io"

// RowFormat is a text format that spells every row of a table as a line of text, besides the csv that is always written.
type RowFormat struct {
	// AppendHeader appends what stands before the first row.
	AppendHeader func(b []byte, t *Table, l Language) []byte
	// AppendRow appends the line of a row, line end included; csv is its csv text without the hash.
	AppendRow func(b []byte, t *Table, row Row, csv []byte, l Language) []byte
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
