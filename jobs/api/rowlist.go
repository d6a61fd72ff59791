package api

import (
	"slices"

	"concilia/store/ledger"
)

// rowList gathers the rows of an answer, whose number is not known before. A row takes half a kilobyte, and one slice that grows
// would copy each of them several times.
type rowList struct {
	full [][]ledger.Installment
	last []ledger.Installment // has room for more, or is full too
}

// The least and the most rows that a rowList makes room for at once.
const firstRows, mostRows = 16, 1024

// addRow adds an empty row and returns it.
func (l *rowList) addRow() *ledger.Installment {
	if n := len(l.last); n == cap(l.last) {
		if n > 0 {
			l.full = append(l.full, l.last)
		}
		l.last = make([]ledger.Installment, 0, min(max(2*n, firstRows), mostRows))
	}
	l.last = append(l.last, ledger.Installment{})
	return &l.last[len(l.last)-1]
}

// dropRow takes the row back that was added last.
func (l *rowList) dropRow() { l.last = l.last[:len(l.last)-1] }

// listRows returns all rows in order, nil if there is none.
func (l *rowList) listRows() []ledger.Installment {
	if len(l.full) == 0 && len(l.last) > 0 {
		return l.last
	}
	return slices.Concat(append(l.full, l.last)...)
}
