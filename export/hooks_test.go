package export

import (
	"strings"

	"concilia/export/cnab"
	"concilia/export/control"
	"concilia/export/report"
	"concilia/export/table"
	"concilia/export/words"
)

// AfterWrite lets a test at the files between writing and reading them back.
func (j *Job) AfterWrite(fn func(dir string)) { j.afterWrite = fn }

// Repeat lets a test write a row of a table more or fewer times than once.
func (j *Job) Repeat(fn func(id string, row int64) int) { j.repeat = fn }

// EditTitle lets a test write another title than its row makes.
func (j *Job) EditTitle(fn func(*cnab.Title)) { j.editTitle = fn }

// What is said of an item.
var (
	ItemWords    = control.ItemWords
	MeasureWords = control.MeasureWords
)

// ValueFor is how csv-br and page spell a text of a value column, and whether a workbook has it as more than a text.
func ValueFor(text string) (br, page string, typed bool) {
	t := report.ExceptionsTable
	c := &t.Columns[t.ColumnIndex("expected")]
	v := c.InferType(table.Text(text))
	row := table.BrazilianCSV().AppendRow(nil, &table.Table{Columns: []table.Column{*c, {}}}, table.Row{table.Text(text)}, nil, table.Portuguese)
	return strings.TrimSuffix(string(row), "\r\n"), pageText(c, &v, table.Portuguese), v.Type != table.TypeText
}

// BridgeDay is what a page says of the days of a side's bridge.
func (j *Job) BridgeDay(side string) string {
	text := func(id string, values ...any) string { return words.Text(j.Language, id, values...) }
	return j.bridgeDay(text, side)
}

// ReasonInWords is a reason of a revision for people.
func ReasonInWords(change, what string) string { return revisionReason{change, what}.inWords() }

// MaxRecords lets a test part the EDI files of a set sooner.
func (j *Job) MaxRecords(n int) { j.maxRecords = n }
