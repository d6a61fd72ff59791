package export

import (
	"errors"
	"fmt"
	"strings"

	"concilia/export/xlsx"
	"concilia/store/ledger"
)

// workbookLanguage is that of the sheet names.
func workbookLanguage(path string) (Language, error) {
	book, err := xlsx.OpenFile(path)
	if err != nil {
		return "", err
	}
	language := Portuguese
	for _, s := range book.Sheets() {
		if s.Name == controlTable.sheet(English) {
			language = English
		}
	}
	return language, book.Close()
}

// readWorkbook adds the sheets of a workbook up again, and holds the stated totals against the rows above them.
func readWorkbook(path string, tables []*Table, l Language) (func(Figure) ledger.Opt[int64], error) {
	book, err := xlsx.OpenFile(path)
	if err != nil {
		return nil, err
	}
	byName := make(map[string]func(string) ledger.Opt[int64])
	var errs []error
	for _, t := range tables {
		sums := newCounter(t)
		if err := readSheets(book, t, l, &sums); err != nil {
			errs = append(errs, fmt.Errorf("sheet %s: %w", t.sheet(l), err))
			continue
		}
		byName[sheetFigure(t)] = sums.reader()
	}
	errs = append(errs, book.Close())
	return func(f Figure) ledger.Opt[int64] {
		if read := byName[f.File]; read != nil {
			return read(f.Measure)
		}
		return ledger.Opt[int64]{}
	}, errors.Join(errs...)
}

// readSheets reads the sheet of a table and those it goes on in.
func readSheets(book *xlsx.Book, t *Table, l Language, sums *counter) error {
	found := false
	for _, info := range book.Sheets() {
		if info.Name != t.sheet(l) && !strings.HasPrefix(info.Name, t.sheet(l)+" (") {
			continue
		}
		found = true
		row := t.newRow()
		err := book.Rows(info.Name, func(n int, cells []xlsx.Value) error {
			switch {
			case n > info.Header && n <= info.Last:
				if err := t.parseCells(row, cells); err != nil {
					return err
				}
				return sums.add(row)
			case n == info.Last+2:
				return t.checkTotals(cells, sums)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if !found {
		return errors.New("missing")
	}
	return nil
}

// parseCells reads the numbers of a row; other cells have no sum.
func (t *Table) parseCells(row Row, cells []xlsx.Value) error {
	for i := range row {
		c := &t.Columns[i]
		row[i] = Cell{}
		if !c.Type.Numeric() || i >= len(cells) || cells[i].Kind == xlsx.Absent {
			continue
		}
		n, err := cells[i].Scaled(c.Type.scale())
		if err != nil {
			return fmt.Errorf("column %s: %w", c.ID, err)
		}
		row[i] = Cell{N: n, Type: c.Type, OK: true}
	}
	return nil
}

// checkTotals holds the total row against the rows.
func (t *Table) checkTotals(cells []xlsx.Value, sums *counter) error {
	row := t.newRow()
	if err := t.parseCells(row, cells); err != nil {
		return err
	}
	for i := range row {
		c := &t.Columns[i]
		if c.totals() && row[i].N != sums.printed[i] {
			return fmt.Errorf("the total of %s is %s, its rows add up to %s", c.ID,
				c.appendSum(nil, row[i].N), c.appendSum(nil, sums.printed[i]))
		}
	}
	return nil
}
