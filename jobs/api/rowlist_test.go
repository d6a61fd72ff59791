package api

import (
	"strconv"
	"sync"
	"testing"
)

// TestRowList: however many rows are added, and however many are taken back, the others stand in their order.
func TestRowList(t *testing.T) {
	t.Parallel()
	spare := &sync.Pool{}
	for _, rows := range []int{0, 1, firstRows - 1, firstRows, firstRows + 1, 3*firstRows + 1, 3*mostRows + 7, 2*mostRows + 5} {
		l := rowList{spare: spare}
		for i := range rows {
			l.addRow().NSU = strconv.Itoa(i)
			l.addRow().NSU = "declined"
			l.dropRow()
		}
		all := l.listRows()
		if len(all) != rows {
			t.Fatalf("%d rows of %d", len(all), rows)
		}
		if rows == 0 && all != nil {
			t.Error("no rows are an empty list")
		}
		for i := range all {
			if all[i].NSU != strconv.Itoa(i) {
				t.Fatalf("row %d of %d is %q", i, rows, all[i].NSU)
			}
		}
	}
}
