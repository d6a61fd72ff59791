package xlsx

import (
	"strings"
	"unicode/utf8"
)

const (
	minWidth = 7
	maxWidth = 48
	// maxHeaderLines is how high a header may grow before its column grows wider.
	maxHeaderLines = 3
	// headerLine is the height of a line of the header in points.
	headerLine = 14
	// dataLine is the height of a line of a data row in points.
	dataLine = 13
	// maxLines is how high a data row may grow: a spreadsheet shows none that is higher than a screen.
	maxLines = 20
	// filterArrow is what the arrow of the filter covers, in characters.
	filterArrow = 3
)

// columnWidth is the width of a column in characters: as given, or what its content and its header need.
func (s *Sheet) columnWidth(i int) int {
	c, w := &s.spec.Columns[i], &s.widths[i]
	if c.Width > 0 {
		return c.Width
	}
	n := w.text
	if w.kind != KindEmpty {
		n = max(n, displayWidth(w.kind, w.largest, w.negative))
	}
	if s.spec.Freeform {
		return min(max(n+2, minWidth), maxWidth)
	}
	for word := range strings.FieldsSeq(c.Header) {
		n = max(n, utf8.RuneCountInString(word)+filterArrow-1)
	}
	n = min(max(n+2, minWidth), maxWidth)
	for n < maxWidth && headerLinesAt(c.Header, n) > maxHeaderLines {
		n++
	}
	return n
}

// headerLines is how many lines the header row needs.
func (s *Sheet) headerLines() int {
	most := 1
	for i := range s.spec.Columns {
		most = max(most, headerLinesAt(s.spec.Columns[i].Header, s.columnWidth(i)))
	}
	return most
}

// rowLines is how many lines a row of cells needs. Programs that open a workbook measure wrapped cells or do not, and where they
// do not, sentences run over each other: the row says it itself. A column without a width of its own is taken for as wide
// as one gets, since its rows are written before it is known.
func (s *Sheet) rowLines(cells []Cell) int {
	lines := 1
	for i := range cells {
		if c := &cells[i]; c.Style == Wrapped && i < len(s.spec.Columns) {
			width := s.spec.Columns[i].Width
			if width == 0 {
				width = maxWidth
			}
			lines = max(lines, wrapLines(c.Text, width)) // of digits, and letters are narrower: room for the indent
		}
	}
	return min(lines, maxLines)
}

// headerLinesAt is how many lines a header takes in a column of the width, broken between words.
func headerLinesAt(header string, width int) int { return wrapLines(header, width-filterArrow) }

// wrapLines is how many lines a text takes in so many characters.
func wrapLines(text string, room int) int {
	lines, used := 1, 0
	for word := range strings.FieldsSeq(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case used == 0:
			used = n
		case used+1+n > room:
			lines, used = lines+1, n
		default:
			used += 1 + n
		}
	}
	return lines
}
