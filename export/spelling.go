package export

import (
	"bufio"
	"errors"
	"io"
	"os"
)

// spelling is a format that spells every row of a table as a line of text, besides the csv that is always written.
type spelling struct {
	format Format
	head   func(b []byte, t *Table, l Language) []byte
	// row appends the line of a row, line end included; csv is its csv text without the hash.
	row func(b []byte, t *Table, row Row, csv []byte, l Language) []byte
	// read reads a file back strictly and returns what its rows count and add up to.
	read func(r io.Reader, t *Table) (counter, error)
}

// spellings are the formats that are spellings.
func spellings() []spelling {
	return []spelling{
		{CSVBR, appendBRHeader, appendBRRow, readBR},
		{JSONL, func(b []byte, _ *Table, _ Language) []byte { return b }, appendJSONRow, readJSONL},
	}
}

func spellingOf(f Format) (spelling, bool) {
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
	language Language
	file     *os.File
	w        *bufio.Writer
	line     []byte
	sums     counter
}

// spell opens the files of a table in the spellings that are asked for.
func (r *rendering) spell(t *Table) ([]*spelledFile, error) {
	var out []*spelledFile
	for _, s := range spellings() {
		if !r.job.wants(s.format) || !r.job.has(t.Kind) {
			continue
		}
		f, err := os.Create(r.path(t.ID + "." + s.format.extension()))
		if err != nil {
			return out, err
		}
		x := &spelledFile{
			spelling: s, language: r.job.Language, file: f, w: bufio.NewWriterSize(f, 1<<16), sums: newCounter(t),
		}
		out = append(out, x)
		if _, err := x.w.Write(s.head(nil, t, x.language)); err != nil {
			return out, err
		}
	}
	return out, nil
}

func (x *spelledFile) add(row Row, csv []byte) error {
	x.line = x.row(x.line[:0], x.sums.table, row, csv, x.language)
	if _, err := x.w.Write(x.line); err != nil {
		return err
	}
	return x.sums.add(row)
}

func (x *spelledFile) close() error { return errors.Join(x.w.Flush(), x.file.Close()) }
