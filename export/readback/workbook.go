package readback

import (
	"errors"
	"fmt"
	"strings"

	"concilia/export/control"
	"concilia/export/report"
	"concilia/export/table"
	"concilia/export/xlsx"
	"concilia/store/ledger"
)

// SheetItem returns the item of control for a sheet of the workbook.
func SheetItem(t *table.Table) string { return string(report.Settlement) + ".xlsx " + t.ID }

// ShowsTotal reports whether reports show the sum of the column as its total. A signed column has two sums: lost and in excess.
func ShowsTotal(c *table.Column) bool {
	return c.Summed() && !c.Distinct && c.Type != table.TypeNumber && !c.Signed
}

// WorkbookLanguage returns the language of the sheet names.
func WorkbookLanguage(path string) (table.Language, error) {
	book, err := xlsx.OpenFile(path)
	if err != nil {
		return "", err
	}
	language := table.Portuguese
	for _, s := range book.Sheets() {
		if s.Name == report.ControlTable.SheetName(table.English) {
			language = table.English
		}
	}
	return language, book.Close()
}

// ReadWorkbook adds up the sheets of a workbook, and compares their total rows with the rows above.
func ReadWorkbook(path string, tables []*table.Table, l table.Language) (func(control.Figure) ledger.Opt[int64], error) {
	book, err := xlsx.OpenFile(path)
	if err != nil {
		return nil, err
	}
	byName := make(map[string]func(string) ledger.Opt[int64])
	var errs []error
	for _, t := range tables {
		sums := table.NewCounter(t)
		distinct, err := readSheets(book, t, l, &sums)
		if err != nil {
			errs = append(errs, fmt.Errorf("sheet %s: %w", t.SheetName(l), err))
			continue
		}
		ofColumns := TableFigures(&sums)
		byName[SheetItem(t)] = func(measure string) ledger.Opt[int64] {
			if n, ok := distinct[measure]; ok {
				return ledger.Some(n)
			}
			return ofColumns(measure)
		}
	}
	errs = append(errs, book.Close())
	return func(f control.Figure) ledger.Opt[int64] {
		if read := byName[f.File]; read != nil {
			return read(f.Measure)
		}
		return ledger.Opt[int64]{}
	}, errors.Join(errs...)
}

// readSheets reads the sheet of a table and its continuation sheets. It returns the totals, as figures, of columns that count
// distinct values, which only the total row has.
func readSheets(book *xlsx.Book, t *table.Table, l table.Language, sums *table.Counter) (map[string]int64, error) {
	found, distinct := false, make(map[string]int64)
	for _, info := range book.Sheets() {
		if info.Name != t.SheetName(l) && !strings.HasPrefix(info.Name, t.SheetName(l)+" (") {
			continue
		}
		found = true
		row := t.NewRow()
		err := book.Rows(info.Name, func(n int, cells []xlsx.Value) error {
			switch {
			case n > info.Header && n <= info.Last:
				if err := parseCells(t, row, cells); err != nil {
					return err
				}
				return sums.Add(row)
			case n == info.Last+2:
				return checkTotals(t, cells, sums, distinct)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if !found {
		return nil, errors.New("missing")
	}
	return distinct, nil
}

// parseCells reads the numeric cells of a row.
func parseCells(t *table.Table, row table.Row, cells []xlsx.Value) error {
	for i := range row {
		c := &t.Columns[i]
		row[i] = table.Cell{}
		if !c.Type.Numeric() || i >= len(cells) || cells[i].Kind == xlsx.Absent {
			continue
		}
		n, err := cells[i].Scaled(c.Type.Scale())
		if err != nil {
			return fmt.Errorf("column %s: %w", c.ID, err)
		}
		row[i] = table.Cell{N: n, Type: c.Type, OK: true}
	}
	return nil
}

// checkTotals compares the total row with the rows, and reads the totals of columns that count distinct values from it.
func checkTotals(t *table.Table, cells []xlsx.Value, sums *table.Counter, distinct map[string]int64) error {
	row := t.NewRow()
	if err := parseCells(t, row, cells); err != nil {
		return err
	}
	for i := range row {
		c := &t.Columns[i]
		if c.Distinct {
			distinct[c.ID+control.OfTheSet] = report.InTenThousandths(c, row[i].N)
		}
		if ShowsTotal(c) && row[i].N != sums.Printed[i] {
			return fmt.Errorf("the total of %s is %s, its rows add up to %s", c.ID,
				c.AppendSum(nil, row[i].N), c.AppendSum(nil, sums.Printed[i]))
		}
	}
	return nil
}
