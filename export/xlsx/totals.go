package xlsx

import (
	"errors"
	"fmt"
	"strconv"
)

// AddTotals writes the total row as the caller states it, and under it, for each column with Total set, the sum of the
// written cells as a SUBTOTAL formula with its value. A total may stand in a column without Total (a percentage, a
// count of distinct things): it then stands alone. It may be called once, and not for a free sheet.
func (s *Sheet) AddTotals(totals []Cell) error {
	switch {
	case s.err != nil:
		return s.err
	case s.spec.Freeform:
		return s.setError(errors.New("a free sheet has no totals of its own"))
	case s.totalsWritten || s.notesWritten:
		return s.setError(errors.New("the totals come once, after the data and before the notes"))
	}
	if err := s.checkRow(totals, false); err != nil {
		return s.setError(err)
	}
	s.totalsWritten = true
	row := make([]Cell, len(s.spec.Columns))
	copy(row, totals)
	sub := make([]Cell, len(row))
	formulas := make([]string, len(row))
	label := -1
	for i, c := range s.spec.Columns {
		if c.Subtotal {
			sub[i] = Cell{Kind: c.Kind, N: s.sums[i]}
			formulas[i] = s.subtotalFormula(i)
		} else if label < 0 && row[i].Kind == KindEmpty {
			label = i
		}
	}
	if label >= 0 {
		row[label] = Text(orElse(s.spec.TotalLabel, "Total"))
		sub[label] = Text(orElse(s.spec.SubtotalLabel, "Subtotal"))
	}
	p := s.parts[len(s.parts)-1]
	p.row++ // the blank row
	s.measureWidths(row)
	s.measureWidths(sub)
	if err := s.writeRow(p, row, totalArea, nil); err != nil {
		return s.setError(err)
	}
	if err := s.writeRow(p, sub, subtotalArea, formulas); err != nil {
		return s.setError(err)
	}
	return nil
}

func (s *Sheet) addUp(cells []Cell) error {
	for i := range cells {
		if !s.spec.Columns[i].Subtotal {
			continue
		}
		sum, ok := addExact(s.sums[i], cells[i].N)
		if !ok {
			return s.setError(fmt.Errorf("column %d (%s): the sum is out of range", i+1, s.spec.Columns[i].Header))
		}
		s.sums[i] = sum
	}
	return nil
}

// subtotalFormula is the formula over a column's data, on every sheet of the table. Function 109 is a sum of the rows a filter leaves in sight.
func (s *Sheet) subtotalFormula(column int) string {
	letters := s.letters[column]
	b := []byte("SUBTOTAL(109")
	for _, p := range s.parts {
		b = append(b, ',')
		if len(s.parts) > 1 {
			b = append(b, '\'')
			b = appendText(b, p.name)
			b = append(b, `'!`...)
		}
		first, last := p.dataRange()
		b = strconv.AppendInt(append(b, letters...), int64(first), 10)
		b = strconv.AppendInt(append(append(b, ':'), letters...), int64(last), 10)
	}
	return string(append(b, ')'))
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
