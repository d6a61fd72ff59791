package xlsx

import (
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Column is one column of a sheet.
type Column struct {
	Header           string
	Kind             Kind
	Width            int  // in characters; 0 fits header and content, within bounds
	Subtotal         bool // a SUBTOTAL stands under the stated total; of KindInt, KindMoney2, KindMoney4 and KindNumber2 only
	HighlightNonZero bool // a number that is not zero is marked: the column holds differences
}

// SheetSpec is a sheet before its rows.
type SheetSpec struct {
	// Name is at most 31 characters, without : \ / ? * [ ] or an apostrophe, and not of another sheet, case ignored.
	Name string
	// Title stands above the header, one line each, the first one large. It is repeated on continuation sheets.
	Title   []string
	Columns []Column
	// Frozen is the number of leading columns that stay in sight, and are repeated on each printed page.
	Frozen int
	// Freeform leaves out header row, filter and gap: the columns give kinds and widths only, for pages of several small tables.
	Freeform bool
	// TotalLabel and SubtotalLabel name the two total rows, in the first column without a total of its own; empty: "Total", "Subtotal".
	TotalLabel, SubtotalLabel string
}

const (
	// maxColumns is the format's limit.
	maxColumns = 16384
	maxName    = 31
)

// validate says what is wrong with the specification itself.
func (s *SheetSpec) validate() error {
	if err := checkName(s.Name); err != nil {
		return err
	}
	if len(s.Columns) == 0 || len(s.Columns) > maxColumns {
		return fmt.Errorf("sheet %q: %d columns: 1 to %d are possible", s.Name, len(s.Columns), maxColumns)
	}
	if s.Frozen < 0 || s.Frozen >= len(s.Columns) {
		return fmt.Errorf("sheet %q: %d frozen columns of %d: at least one has to scroll", s.Name, s.Frozen, len(s.Columns))
	}
	for i, c := range s.Columns {
		switch {
		case c.Kind == KindEmpty || c.Kind >= kindCount:
			return fmt.Errorf("sheet %q: column %d (%s) has no kind", s.Name, i+1, c.Header)
		case c.Subtotal && (!c.Kind.isNumeric() || c.Kind == KindRate4):
			return fmt.Errorf("sheet %q: column %d (%s) cannot be added up", s.Name, i+1, c.Header)
		case c.Width < 0 || c.Width > 255:
			return fmt.Errorf("sheet %q: column %d (%s): width %d: 0 to 255 are possible", s.Name, i+1, c.Header, c.Width)
		}
	}
	return nil
}

// checkName holds a sheet name to the rules of spreadsheets. Apostrophes, allowed inside a name, are refused: they
// need doubling in formulas, and no name of ours has one.
func checkName(name string) error {
	n := len(utf16.Encode([]rune(name)))
	switch {
	case n == 0:
		return fmt.Errorf("a sheet needs a name")
	case n > maxName:
		return fmt.Errorf("sheet %q: a name of %d characters: %d are possible", name, n, maxName)
	case strings.ContainsAny(name, `:\/?*[]'`):
		return fmt.Errorf(`sheet %q: a name has none of : \ / ? * [ ] and '`, name)
	case strings.EqualFold(name, "History"):
		return fmt.Errorf("sheet %q: the name is reserved by spreadsheets", name)
	}
	for _, r := range name {
		if r < ' ' || r == 0xFFFD {
			return fmt.Errorf("sheet %q: a name has no control characters", name)
		}
	}
	return nil
}

// continuationName is the name of the nth sheet of a table, counted from 1, cut so that it fits.
func continuationName(name string, n int) string {
	if n == 1 {
		return name
	}
	suffix := fmt.Sprintf(" (%d)", n)
	runes := []rune(name)
	for len(utf16.Encode(runes))+len(suffix) > maxName {
		runes = runes[:len(runes)-1]
	}
	return strings.TrimRight(string(runes), " ") + suffix
}

// columnName is the letters of a column, counted from 0.
func columnName(i int) string {
	var b [3]byte
	p := len(b)
	for i++; i > 0; i = (i - 1) / 26 {
		p--
		b[p] = byte('A' + (i-1)%26)
	}
	return string(b[p:])
}

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
