package xlsx

// sheetEntry is one sheet of the package: a table has one, or several when it is long.
type sheetPart struct {
	name      string
	rows      *rowSpool
	row       int // of the last row written or left out; the header's at first
	header    int // row of the header; 0 in a free sheet
	firstData int // row of the first data row, whether there is one or not
	lastData  int // row of the last data row; firstData-1 when there is none
}

// dataRange is the rows SUBTOTAL runs over in a column. Without data it is the blank row, so the formula stands all the same.
func (p *sheetPart) dataRange() (first, last int) { return p.firstData, max(p.firstData, p.lastData) }

// columnWidths follow what a column shows, to fit its width when the sheet is done.
type columnWidths struct {
	text     int    // the longest line of text, in characters
	largest  uint64 // the largest magnitude of a number, by the column's own kind
	kind     Kind   // of the numbers
	negative bool
}
