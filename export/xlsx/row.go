package xlsx

import (
	"errors"
	"strconv"
)

var (
	errNotCents = errors.New("an amount that is not whole cents in a column of two decimals: round it where it is known why")
	errNoNumber = errors.New("a day or time without a number")
)

// appendRow appends the XML of one row, as high as so many lines. Empty cells are left out of data rows; formulas, of which only subtotal rows have any, may be nil.
func (w *Workbook) appendRow(b []byte, number int, letters []string, cells []Cell, at rowArea, formulas []string, lines int) ([]byte, error) {
	b = append(b, `<row r="`...)
	var digits [8]byte
	rowDigits := strconv.AppendInt(digits[:0], int64(number), 10)
	b = append(b, rowDigits...)
	if lines > 1 {
		b = strconv.AppendInt(append(b, `" ht="`...), int64(lines*dataLine), 10)
		b = append(b, `" customHeight="1`...)
	}
	b = append(b, `">`...)
	for i := range cells {
		c := &cells[i]
		if c.Kind == KindEmpty || (c.Kind == KindText && c.Text == "") {
			if at != dataArea {
				b = append(append(append(append(b, `<c r="`...), letters[i]...), rowDigits...), w.styles.blank[at]...)
			}
			continue
		}
		formula := ""
		if formulas != nil {
			formula = formulas[i]
		}
		var err error
		if b, err = w.appendCell(b, letters[i], rowDigits, c, at, formula); err != nil {
			return b, &cellError{ref: letters[i] + string(rowDigits), column: i, err: err}
		}
	}
	return append(b, `</row>`...), nil
}

// cellError names the cell a value was refused for; the sheet adds its own name and the column's header.
type cellError struct {
	ref    string
	column int
	err    error
}

func (e *cellError) Error() string { return e.ref + ": " + e.err.Error() }
func (e *cellError) Unwrap() error { return e.err }

func (w *Workbook) appendCell(b []byte, letters string, row []byte, c *Cell, at rowArea, formula string) ([]byte, error) {
	kind, text := c.Kind, c.Text
	switch kind {
	case KindDate:
		if !serialFits(c.N) {
			kind, text = KindText, formatISODay(c.N)
		}
	case KindDateTime:
		if c.N < 0 {
			return b, errNoNumber
		}
		if !serialFits(c.N / secondsPerDay) {
			kind, text = KindText, formatISODay(c.N/secondsPerDay)
		}
	case KindMoney2, KindNumber2:
		if c.N%100 != 0 {
			return b, errNotCents
		}
	}
	look := c.Style
	if at != dataArea {
		look = Plain
	}
	b = append(append(append(b, `<c r="`...), letters...), row...)
	open := w.styles.opening[at][look][kind]
	if formula != "" {
		b = append(append(append(b, open[:len(open)-len("<v>")]...), "<f>"...), formula...)
		open = "</f><v>"
	}
	b = append(b, open...)
	switch kind {
	case KindText:
		if needsSpace(text) {
			b = append(b[:len(b)-1], ` xml:space="preserve">`...)
		}
		return append(appendText(b, text), `</t></is></c>`...), nil
	case KindDate:
		b = strconv.AppendInt(b, c.N-serialEpoch, 10)
	case KindDateTime:
		b = appendDateTime(b, c.N)
	case KindInt:
		b = strconv.AppendInt(b, c.N, 10)
	default:
		b = appendScaled(b, c.N, kind.decimals())
	}
	return append(b, `</v></c>`...), nil
}
