package report

import (
	"concilia/export/table"
)

// TextFormat is a text format with a file for each table.
type TextFormat struct {
	Format Format
	table.RowFormat
}

// TextFormats returns the text formats besides csv, which is always written.
func TextFormats() []TextFormat {
	return []TextFormat{{CSVBR, table.BrazilianCSV()}, {JSONL, table.JSONLines()}}
}

// TextFormatOf is the text format with that name, csv excepted; false if there is none.
func TextFormatOf(f Format) (TextFormat, bool) {
	for _, s := range TextFormats() {
		if s.Format == f {
			return s, true
		}
	}
	return TextFormat{}, false
}
