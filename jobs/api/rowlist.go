package api

import (
	"slices"
	"sync"

	"concilia/store/ledger"
)

// rowList gathers the rows of an answer, whose number is not known before. A row takes half a kilobyte, and one slice that grows
// would copy each of them several times.
type rowList struct {
	spare *sync.Pool // of *[]ledger.Installment with room for mostRows, of answers that were listed
	full  [][]ledger.Installment
	last  []ledger.Installment // has room for more, or is full too
}

// The least and the most rows that a rowList makes room for at once.
const firstRows, mostRows = 16, 1024

// addRow adds an empty row and returns it.
func (l *rowList) addRow() *ledger.Installment {
	if n := len(l.last); n == cap(l.last) {
		if n > 0 {
			l.full = append(l.full, l.last)
		}
		l.last = l.newBlock(min(max(2*n, firstRows), mostRows))
	}
	l.last = append(l.last, ledger.Installment{})
	return &l.last[len(l.last)-1]
}

// newBlock returns room for so many rows.
func (l *rowList) newBlock(rows int) []ledger.Installment {
	if rows == mostRows {
		if spare, ok := l.spare.Get().(*[]ledger.Installment); ok {
			return (*spare)[:0]
		}
	}
	return make([]ledger.Installment, 0, rows)
}

// dropRow takes the row back that was added last.
func (l *rowList) dropRow() { l.last = l.last[:len(l.last)-1] }

// listRows returns all rows in order, nil if there is none, and empties the list.
func (l *rowList) listRows() []ledger.Installment {
	blocks := append(l.full, l.last)
	l.full, l.last = nil, nil
	if len(blocks) == 1 && len(blocks[0]) > 0 {
		return blocks[0]
	}
	all := slices.Concat(blocks...)
	for i := range blocks {
		if cap(blocks[i]) == mostRows {
			l.spare.Put(&blocks[i])
		}
	}
	return all
}
