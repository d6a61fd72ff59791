package xlsx

import (
	"fmt"
	"strings"
	"unicode/utf16"
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
