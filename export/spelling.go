package export

import (
	"bufio"
	"errors"
	"os"

	"concilia/export/report"
	"concilia/export/table"
)

// spelling is a format that is a spelling of rows.
type spelling struct {
	format report.Format
	table.RowFormat
}

// spellings are the formats that are spellings, besides the csv that is always written.
func spellings() []spelling {
	return []spelling{{report.CSVBR, table.BrazilianCSV()}, {report.JSONL, table.JSONLines()}}
}

func spellingOf(f report.Format) (spelling, bool) {
	for _, s := range spellings() {
		if s.format == f {
			return s, true
		}
	}
	return spelling{}, false
}

// spelledFile is a table on its way to staging in one spelling, with counters of its own.
type spelledFile struct {
	spelling
	language table.Language
	file     *os.File
	w        *bufio.Writer
	line     []byte
	sums     table.Counter
}

// spell opens the files of a table in the spellings that are asked for.
func (r *rendering) spell(t *table.Table) ([]*spelledFile, error) {
	var out []*spelledFile
	for _, s := range spellings() {
		if !r.job.wants(s.format) || !r.job.has(report.DefinitionOfTable(t).Kind) {
			continue
		}
		f, err := os.Create(r.path(t.ID + "." + s.format.Extension()))
		if err != nil {
			return out, err
		}
		x := &spelledFile{
			spelling: s, language: r.job.Language, file: f, w: bufio.NewWriterSize(f, 1<<16), sums: table.NewCounter(t),
		}
		out = append(out, x)
		if _, err := x.w.Write(s.AppendHeader(nil, t, x.language)); err != nil {
			return out, err
		}
	}
	return out, nil
}

// add writes a row: in words where people read the format.
func (x *spelledFile) add(row, inWords table.Row, csv []byte) error {
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

func (x *spelledFile) close() error { return errors.Join(x.w.Flush(), x.file.Close()) }
