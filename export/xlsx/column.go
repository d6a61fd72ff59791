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
	Subtotal         bool // a SUBTOTAL formula follows the total; of KindInt, KindMoney2, KindMoney4 and KindNumber2 only
	HighlightNonZero bool // a conditional format highlights numbers that are not zero: the column holds differences
}

// SheetSpec is a sheet before its rows.
type SheetSpec struct {
	// Name is at most 31 characters, without : \ / ? * [ ] or an apostrophe, and not of another sheet, case ignored.
	Name string
	// Title are the lines above the header, the first one large. They are repeated on continuation sheets.
	Title   []string
	Columns []Column
	// Frozen is the number of leading columns in the frozen pane; they are repeated on each printed page.
	Frozen int
	// Freeform leaves out header row, filter and gap: the columns give kinds and widths only, for pages of several small tables.
	Freeform bool
	// Hidden keeps the sheet out of sight: it has what charts are drawn of.
	Hidden bool
	// TotalLabel and SubtotalLabel name the two total rows, in the first column without a total; empty: "Total", "Subtotal".
	TotalLabel, SubtotalLabel string
}

const (
	// maxColumns is the format's limit.
	maxColumns = 16384
	maxName    = 31
)

// validate checks the specification.
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

// checkName checks a sheet name against the rules of spreadsheets. Apostrophes, which they allow inside a name, are an
// error here, since they need doubling in formulas.
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
	// maxHeaderLines is the most lines of a header before its column is widened.
	maxHeaderLines = 3
	// headerLine is the height of a line of the header in points.
	headerLine = 14
	// dataLine is the height of a line of a data row in points.
	dataLine = 13
	// maxLines is the most lines of a data row: a spreadsheet scrolls by rows, so one higher than the screen is unreadable.
	maxLines = 20
	// filterArrow is the width of the filter's arrow in characters.
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

// rowLines returns how many lines a row of cells needs. Not every program measures wrapped cells when it opens a workbook,
// so the row has an explicit height. A column without a given width counts as maxWidth, since its rows are written before
// its width is known.
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

// headerLinesAt is how many lines a header needs in a column of that width, broken between words.
func headerLinesAt(header string, width int) int { return wrapLines(header, width-filterArrow) }

// wrapLines is how many lines a text needs at that width in characters, broken between words.
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
