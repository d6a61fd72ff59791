package export

import (
	"bufio"
	"errors"
	"os"

	"concilia/export/report"
	"concilia/export/table"
)

// tableFormat is a format that is a spelling of rows.
type tableFormat struct {
	format report.Format
	table.RowFormat
}

// tableFormats are the formats that are spellings, besides the csv that is always written.
func tableFormats() []tableFormat {
	return []tableFormat{{report.CSVBR, table.BrazilianCSV()}, {report.JSONL, table.JSONLines()}}
}

func tableFormatOf(f report.Format) (tableFormat, bool) {
	for _, s := range tableFormats() {
		if s.format == f {
			return s, true
		}
	}
	return tableFormat{}, false
}

// formattedFile is a table on its way to staging in one spelling, with counters of its own.
type formattedFile struct {
	tableFormat
	language table.Language
	file     *os.File
	w        *bufio.Writer
	line     []byte
	sums     table.Counter
}

// openFormats opens the files of a table in the spellings that are asked for.
func (r *rendering) openFormats(t *table.Table) ([]*formattedFile, error) {
	var out []*formattedFile
	for _, s := range tableFormats() {
		if !r.job.hasFormat(s.format) || !r.job.hasKind(report.DefinitionOfTable(t).Kind) {
			continue
		}
		f, err := os.Create(r.stagingPath(t.ID + "." + s.format.Extension()))
		if err != nil {
			return out, err
		}
		x := &formattedFile{
			tableFormat: s, language: r.job.Language, file: f, w: bufio.NewWriterSize(f, 1<<16), sums: table.NewCounter(t),
		}
		out = append(out, x)
		if _, err := x.w.Write(s.AppendHeader(nil, t, x.language)); err != nil {
			return out, err
		}
	}
	return out, nil
}

// writeRow writes a row: in words where people read the format.
func (x *formattedFile) writeRow(row, inWords table.Row, csv []byte) error {
	shown := row
	if x.format == report.CSVBR {
		shown = inWords
	}
	x.line = x.AppendRow(x.line[:0], x.sums.Table, shown, csv, x.language)
	if _, err := x.w.Write(x.line); err != nil {
		return err
	}
	return x.sums.Add(row)
}

func (x *formattedFile) close() error { return errors.Join(x.w.Flush(), x.file.Close()) }
