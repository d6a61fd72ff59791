package verify

import (
	"context"
	"fmt"
	"io"
	"strings"

	"concilia/export/control"
	"concilia/export/journal"
	"concilia/export/manifest"
	"concilia/export/publish"
	"concilia/export/readback"
	"concilia/export/report"
	"concilia/export/report/kindlist"
	"concilia/export/report/othersides"
	"concilia/export/table"
	"concilia/export/words"
	"concilia/store/ledger"
)

// setContents holds what CheckTree read from the files of one revision. A file that could not be read is left out.
type setContents struct {
	manifest    *manifest.Manifest
	tables      map[string]*table.Counter                         // of the csv files, by table
	figures     map[string]func(control.Figure) ledger.Opt[int64] // of every file, by its item in control
	controlRows []parsedControlRow                                // of control
	terms       map[string]ledger.Amount                          // of formulas that are no sum of a column
	events      map[string]*othersides.EventsReader               // of the movement, by table
}

func newSetContents(m *manifest.Manifest) *setContents {
	return &setContents{
		manifest: m, tables: make(map[string]*table.Counter), figures: make(map[string]func(control.Figure) ledger.Opt[int64]),
		terms: make(map[string]ledger.Amount), events: make(map[string]*othersides.EventsReader),
	}
}

// parsedControlRow is a row of a published control file.
type parsedControlRow struct {
	section, item, measure, note string
	value                        string               // as it is written
	figures                      [3]ledger.Opt[int64] // ledger, writer, file
	residual                     ledger.Opt[int64]
}

// readFile parses a file by its format and returns its rows and sums as a manifest has them.
func (c *setContents) readFile(ctx context.Context, path string, name manifest.FileName, f *manifest.File) (int64, map[string]string, error) {
	if f.Format == report.CSV && f.Columns == nil {
		return c.readTable(ctx, path, name, f)
	}
	switch f.Format {
	case report.CSVBR, report.JSONL:
		return c.readFormatted(ctx, path, name, f)
	case report.XLSX:
		return c.readSettlement(path, f)
	case report.HTML:
		return c.readPageFile(path)
	case report.CSV, report.Beancount, report.HLedger, report.Dominio:
		var totals journal.Totals
		err := publish.ReadRegular(ctx, path, f.Bytes, func(in io.Reader) (err error) {
			totals, err = readback.ReadJournal(in, f.Format, f.Columns)
			return err
		})
		c.figures[name.Stem+"."+name.Ext] = readback.ByMeasure(readback.JournalFigures(totals))
		return totals.Entries, readback.JournalSums(totals), err
	case report.EDI:
		var rows int64
		var sums map[string]string
		err := publish.ReadRegular(ctx, path, f.Bytes, func(in io.Reader) error {
			file, err := readback.ReadEDI(in)
			rows, sums = readback.FileSums(&file)
			c.figures[name.Stem+"."+name.Ext] = readback.ByMeasure(readback.FileFigures(&file))
			if err == nil && (f.NSA == nil || *f.NSA != file.Header.NSA) {
				err = words.NewFault("verify_fault.other_nsa", "", "nsa", file.Header.NSA)
			}
			return err
		})
		return rows, sums, err
	}
	return 0, nil, words.NewFault("verify_fault.unknown_format", "", "format", fmt.Sprintf("%q", f.Format))
}

func (c *setContents) readTable(ctx context.Context, path string, name manifest.FileName, f *manifest.File) (int64, map[string]string, error) {
	t := kindlist.TableInSet(name.Stem, c.manifest.BankColumns)
	if t == nil {
		return 0, nil, words.NewFault("verify_fault.unknown_table", "", "table", fmt.Sprintf("%q", name.Stem))
	}
	if err := t.CheckLayout(f.LayoutVersion); err != nil {
		return 0, nil, err
	}
	var sums table.Counter
	check := c.newRowReader(t)
	err := publish.ReadRegular(ctx, path, f.Bytes, func(in io.Reader) (err error) {
		sums, err = table.ReadCSV(in, t, func(row table.Row) error {
			if t == report.ControlTable {
				c.controlRows = append(c.controlRows, parseControlRow(row))
			}
			if check == nil {
				return nil
			}
			return check.ReadRow(t, row)
		})
		return err
	})
	if check != nil {
		for term, n := range check.Terms() {
			c.terms[term] += n
		}
	}
	if events, ok := check.(*othersides.EventsReader); ok {
		c.events[t.ID] = events
	}
	if err != nil {
		return 0, nil, err
	}
	c.tables[t.ID] = &sums
	if t == report.ControlTable {
		return sums.Rows, nil, nil
	}
	c.figures[t.ID+".csv"] = readback.ByMeasure(readback.TableFigures(&sums))
	return sums.Rows, sums.FormatSums(), nil
}

// newRowReader returns the reader that checks the rows of a table against each other; nil if the kind has none.
func (c *setContents) newRowReader(t *table.Table) report.RowReader {
	if d := kindlist.DefinitionOfTable(t); d != nil && d.NewReader != nil {
		return d.NewReader(c.manifest.AsOf)
	}
	return nil
}

// readFormatted reads a table in a text format other than csv.
func (c *setContents) readFormatted(ctx context.Context, path string, name manifest.FileName, f *manifest.File) (int64, map[string]string, error) {
	t := kindlist.TableInSet(name.Stem, c.manifest.BankColumns)
	s, ok := report.TextFormatOf(f.Format)
	if t == nil || !ok || name.Ext != f.Format.Extension() {
		return 0, nil, words.NewFault("verify_fault.unknown_table_as", "", "table", fmt.Sprintf("%q", name.Stem), "format", fmt.Sprintf("%q", name.Ext))
	}
	if err := t.CheckLayout(f.LayoutVersion); err != nil {
		return 0, nil, err
	}
	var sums table.Counter
	err := publish.ReadRegular(ctx, path, f.Bytes, func(in io.Reader) (err error) {
		sums, err = s.ReadBack(in, t)
		return err
	})
	if err != nil || t == report.ControlTable {
		return sums.Rows, nil, err
	}
	c.figures[t.ID+"."+name.Ext] = readback.ByMeasure(readback.TableFigures(&sums))
	return sums.Rows, sums.FormatSums(), nil
}

func parseControlRow(row table.Row) parsedControlRow {
	number := func(i int) ledger.Opt[int64] { return ledger.Opt[int64]{V: row[i].N, OK: row[i].OK} }
	return parsedControlRow{
		section: row[1].S, item: row[2].S, measure: row[3].S, value: row[5].S,
		figures: [3]ledger.Opt[int64]{number(6), number(7), number(8)}, residual: number(9), note: row[10].S,
	}
}

// readSettlement reads the sheets of the tables that have sums in the manifest, in the language of the workbook.
func (c *setContents) readSettlement(path string, f *manifest.File) (int64, map[string]string, error) {
	var tables []*table.Table
	for _, t := range kindlist.Tables() {
		for id := range f.Sums {
			if strings.HasPrefix(id, t.ID+".") {
				tables = append(tables, kindlist.TableInSet(t.ID, c.manifest.BankColumns))
				break
			}
		}
	}
	language, err := readback.WorkbookLanguage(path)
	if err != nil {
		return 0, nil, err
	}
	read, err := readback.ReadWorkbook(path, tables, language)
	if err != nil {
		return 0, nil, err
	}
	var rows int64
	sums := make(map[string]string)
	for _, t := range tables {
		c.figures[readback.SheetItem(t)] = read
		rows += read(control.Figure{File: readback.SheetItem(t), Measure: "count"}).V / 10_000
		for i := range t.Columns[:t.Width()] {
			if c := &t.Columns[i]; c.Summed() {
				sum := readback.SumOfFigure(c, read(control.Figure{File: readback.SheetItem(t), Measure: c.ID}).V)
				sums[t.ID+"."+c.ID] = string(c.AppendSum(nil, sum))
			}
		}
	}
	return rows, sums, nil
}

// evaluateFormula returns left less right of a formula such as "paid = credited + not_credited", over the totals of the set's
// csv files; false if a table that it needs is missing.
func (c *setContents) evaluateFormula(formula string) (ledger.Amount, bool) {
	words := strings.Fields(formula)
	home := c.homeCounter(words)
	var sum ledger.Amount
	sign, side := ledger.Amount(1), ledger.Amount(1)
	for _, word := range words {
		switch word {
		case "+":
			sign = 1
		case "-":
			sign = -1
		case "=":
			sign, side = 1, -1
		default:
			v, ok := c.termValue(word, home)
			if !ok {
				return 0, false
			}
			sum += side * sign * v
		}
	}
	return sum, true
}

// homeCounter returns the counter of the table that a formula is about; nil if it is missing.
func (c *setContents) homeCounter(words []string) *table.Counter {
	if t := control.HomeTableOf(words); t != nil {
		return c.tables[t.ID]
	}
	return nil
}

// termValue returns the value of a term: a column of the formula's own table, table.column, a term of three parts, or paid_face.
func (c *setContents) termValue(word string, home *table.Counter) (ledger.Amount, bool) {
	if control.IsThreePartTerm(word) {
		return c.threePartTerm(word)
	}
	if word == control.PaidFace {
		return c.terms[word], c.tables[report.SlipsTable.ID] != nil
	}
	if id, column, ok := strings.Cut(word, "."); ok {
		home, word = c.tables[id], column
	}
	switch {
	case home == nil || home.Table.ColumnIndex(word) < 0:
		return 0, false
	case word == "gross_cents":
		return ledger.FromCents(home.Sum(word)), true
	}
	return ledger.Amount(home.Sum(word)), true
}

// threePartTerm returns the value of a term of three parts; known is false if its table is missing.
func (c *setContents) threePartTerm(word string) (sum ledger.Amount, known bool) {
	id, _, _ := strings.Cut(word, ".")
	return c.terms[word], c.tables[id] != nil
}

// readPageFile reads a published page.
func (c *setContents) readPageFile(path string) (int64, map[string]string, error) {
	figures, err := readback.ReadPageFigures(path)
	if err != nil {
		return 0, nil, err
	}
	for key := range figures {
		id, _, _ := strings.Cut(key, ".")
		if kindlist.TableByID(id) == nil && id != control.CausesID && id != control.ByCauseID {
			continue // a single cause: html.Read checks it against the total
		}
		c.figures[readback.PageItem(id)] = func(f control.Figure) ledger.Opt[int64] {
			n, ok := figures[readback.PageKey(f)]
			return ledger.Opt[int64]{V: n, OK: ok}
		}
	}
	rows, sums := readback.PageSums(figures)
	return rows, sums, nil
}
