package export

import (
	"errors"
	"fmt"
	"strings"

	"concilia/export/report"
	"concilia/export/table"
	"concilia/export/xlsx"
	"concilia/store/ledger"
)

// workbookLanguage is that of the sheet names.
func workbookLanguage(path string) (table.Language, error) {
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

// readWorkbook adds the sheets of a workbook up again, and holds the stated totals against the rows above them.
func readWorkbook(path string, tables []*table.Table, l table.Language) (func(Figure) ledger.Opt[int64], error) {
	book, err := xlsx.OpenFile(path)
	if err != nil {
		return nil, err
	}
	byName := make(map[string]func(string) ledger.Opt[int64])
	var errs []error
	for _, t := range tables {
		sums := table.NewCounter(t)
		once, err := readSheets(book, t, l, &sums)
		if err != nil {
			errs = append(errs, fmt.Errorf("sheet %s: %w", t.SheetName(l), err))
			continue
		}
		ofColumns := counterReader(&sums)
		byName[sheetFigure(t)] = func(measure string) ledger.Opt[int64] {
			if n, ok := once[measure]; ok {
				return ledger.Some(n)
			}
			return ofColumns(measure)
		}
	}
	errs = append(errs, book.Close())
	return func(f Figure) ledger.Opt[int64] {
		if read := byName[f.File]; read != nil {
			return read(f.Measure)
		}
		return ledger.Opt[int64]{}
	}, errors.Join(errs...)
}

// readSheets reads the sheet of a table and those it goes on in. It gives the totals, as figures, of columns that count each
// thing once: only the total row has them.
func readSheets(book *xlsx.Book, t *table.Table, l table.Language, sums *table.Counter) (map[string]int64, error) {
	found, once := false, make(map[string]int64)
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
				return checkTotals(t, cells, sums, once)
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
	return once, nil
}

// parseCells reads the numbers of a row; other cells have no sum.
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

// checkTotals holds the total row against the rows, and takes from it what they do not tell.
func checkTotals(t *table.Table, cells []xlsx.Value, sums *table.Counter, once map[string]int64) error {
	row := t.NewRow()
	if err := parseCells(t, row, cells); err != nil {
		return err
	}
	for i := range row {
		c := &t.Columns[i]
		if c.Distinct {
			once[c.ID+ofTheSet] = report.InTenThousandths(c, row[i].N)
		}
		if showsTotal(c) && row[i].N != sums.Printed[i] {
			return fmt.Errorf("the total of %s is %s, its rows add up to %s", c.ID,
				c.AppendSum(nil, row[i].N), c.AppendSum(nil, sums.Printed[i]))
		}
	}
	return nil
}
