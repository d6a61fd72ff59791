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
		n = max(n, shownWidth(w.kind, w.most, w.negative))
	}
	if s.spec.Free {
		return min(max(n+2, minWidth), maxWidth)
	}
	for word := range strings.FieldsSeq(c.Header) {
		n = max(n, utf8.RuneCountInString(word)+filterArrow-1)
	}
	n = min(max(n+2, minWidth), maxWidth)
	for n < maxWidth && linesOf(c.Header, n) > maxHeaderLines {
		n++
	}
	return n
}

// headerLines is how many lines the header row needs.
func (s *Sheet) headerLines() int {
	most := 1
	for i := range s.spec.Columns {
		most = max(most, linesOf(s.spec.Columns[i].Header, s.columnWidth(i)))
	}
	return most
}

// linesOf is how many lines a header takes in a column of the width, broken between words.
func linesOf(header string, width int) int {
	room := width - filterArrow
	lines, used := 1, 0
	for word := range strings.FieldsSeq(header) {
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
