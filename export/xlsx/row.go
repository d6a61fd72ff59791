package xlsx

import (
	"errors"
	"math/bits"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

var (
	errNotCents = errors.New("an amount that is not whole cents in a column of two decimals: the caller has to round it")
	errNoNumber = errors.New("a day or time without a number")
)

// appendRow appends the XML of one row, with the height of that many lines. Empty cells are left out of data rows. formulas
// is nil except in subtotal rows.
func (w *Workbook) appendRow(b []byte, number int, letters []string, cells []Cell, at rowArea, formulas []string, lines int) ([]byte, error) {
	b = append(b, `<row r="`...)
	var digits [8]byte
	rowDigits := strconv.AppendInt(digits[:0], int64(number), 10)
	b = append(b, rowDigits...)
	if lines > 1 {
		b = strconv.AppendInt(append(b, `" ht="`...), int64(lines*dataLine), 10)
		b = append(b, `" customHeight="1`...)
	}
	b = append(b, `">`...)
	for i := range cells {
		c := &cells[i]
		if c.Kind == KindEmpty || (c.Kind == KindText && c.Text == "") {
			if at != dataArea {
				b = append(append(append(append(b, `<c r="`...), letters[i]...), rowDigits...), w.styles.blank[at]...)
			}
			continue
		}
		formula := ""
		if formulas != nil {
			formula = formulas[i]
		}
		var err error
		if b, err = w.appendCell(b, letters[i], rowDigits, c, at, formula); err != nil {
			return b, &cellError{ref: letters[i] + string(rowDigits), column: i, err: err}
		}
	}
	return append(b, `</row>`...), nil
}

// cellError is an invalid value with the reference of its cell; the sheet adds its name and the column's header.
type cellError struct {
	ref    string
	column int
	err    error
}

func (e *cellError) Error() string { return e.ref + ": " + e.err.Error() }
func (e *cellError) Unwrap() error { return e.err }

func (w *Workbook) appendCell(b []byte, letters string, row []byte, c *Cell, at rowArea, formula string) ([]byte, error) {
	kind, text := c.Kind, c.Text
	switch kind {
	case KindDate:
		if !serialFits(c.N) {
			kind, text = KindText, formatISODay(c.N)
		}
	case KindDateTime:
		if c.N < 0 {
			return b, errNoNumber
		}
		if !serialFits(c.N / secondsPerDay) {
			kind, text = KindText, formatISODay(c.N/secondsPerDay)
		}
	case KindMoney2, KindNumber2:
		if c.N%100 != 0 {
			return b, errNotCents
		}
	}
	look := c.Style
	if at != dataArea {
		look = Plain
	}
	b = append(append(append(b, `<c r="`...), letters...), row...)
	open := w.styles.opening[at][look][kind]
	if formula != "" {
		b = append(append(append(b, open[:len(open)-len("<v>")]...), "<f>"...), formula...)
		open = "</f><v>"
	}
	b = append(b, open...)
	switch kind {
	case KindText:
		if needsSpace(text) {
			b = append(b[:len(b)-1], ` xml:space="preserve">`...)
		}
		return append(appendText(b, text), `</t></is></c>`...), nil
	case KindDate:
		b = strconv.AppendInt(b, c.N-serialEpoch, 10)
	case KindDateTime:
		b = appendDateTime(b, c.N)
	case KindInt:
		b = strconv.AppendInt(b, c.N, 10)
	default:
		b = appendScaled(b, c.N, kind.decimalPlaces())
	}
	return append(b, `</v></c>`...), nil
}

const (
	secondsPerDay = 86400
	// serialEpoch is the Rata Die number of 1899-12-30, day 0 of a spreadsheet's calendar.
	serialEpoch = 693594
	// firstSerial is 1900-03-01: before it, spreadsheets disagree, some having a 29 February 1900.
	firstSerial = 61
	// lastSerial is 9999-12-31.
	lastSerial = 2958465
)

var pow10 = [...]uint64{1, 10, 100, 1000, 10000, 100000, 1000000}

// appendScaled appends v / 10^places exactly, in its shortest form: no sign for zero, no zeros at the end.
func appendScaled(b []byte, v int64, places int) []byte {
	if v < 0 {
		b = append(b, '-')
	}
	m := absoluteValue(v)
	unit := pow10[places]
	b = strconv.AppendUint(b, m/unit, 10)
	frac := m % unit
	if frac == 0 {
		return b
	}
	b = append(b, '.')
	for frac > 0 {
		unit /= 10
		b = append(b, byte('0'+frac/unit))
		frac %= unit
	}
	return b
}

func absoluteValue(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}

// appendDateTime appends the serial number of the civil time that is t seconds after Rata Die day 0. The fraction of a day
// is rounded to twelve decimals, a ten-millionth of a second, so that reading it restores the second.
func appendDateTime(b []byte, t int64) []byte {
	b = strconv.AppendInt(b, t/secondsPerDay-serialEpoch, 10)
	seconds := uint64(t % secondsPerDay)
	if seconds == 0 {
		return b
	}
	const scale = 1_000_000_000_000
	frac := (seconds*scale + secondsPerDay/2) / secondsPerDay
	b = append(b, '.')
	for unit := uint64(scale / 10); frac > 0; unit /= 10 {
		b = append(b, byte('0'+frac/unit))
		frac %= unit
	}
	return b
}

// serialFits reports whether the Rata Die day has a serial number on which all spreadsheets agree.
func serialFits(rataDie int64) bool {
	s := rataDie - serialEpoch
	return firstSerial <= s && s <= lastSerial
}

// formatISODay formats a Rata Die day as YYYY-MM-DD, for days without a serial number.
func formatISODay(rataDie int64) string {
	return time.Unix((rataDie-serialEpoch-25569)*secondsPerDay, 0).UTC().Format(time.DateOnly)
}

// displayWidth is the number of characters of a column's widest number: magnitude m, shown with the kind's decimals.
func displayWidth(k Kind, m uint64, negative bool) int {
	n := len(strconv.FormatUint(m/pow10[k.decimalPlaces()], 10))
	if k != KindRate4 && k != KindNumber2 {
		n += (n - 1) / 3
	}
	if p := k.shownDecimals(); p > 0 {
		n += 1 + p
	}
	if negative {
		n++
	}
	return n
}

// addExact returns a + b, and whether there was no overflow.
func addExact(a, b int64) (int64, bool) {
	sum, _ := bits.Add64(uint64(a), uint64(b), 0)
	s := int64(sum)
	return s, (a^s)&(b^s) >= 0
}

// maxText is the most characters, in UTF-16 units, of one cell; spreadsheets report a file with more as damaged.
const maxText = 32767

// appendText appends s as the text of an inline string.
//
// Characters that XML does not allow (control characters, invalid UTF-8) become U+FFFD, so that the loss is visible; line
// ends become LF, as any XML reader would make them. A sequence that spreadsheets read as an escape, _x0041_, is escaped
// itself. A text longer than maxText ends in an ellipsis.
func appendText(b []byte, s string) []byte {
	units, start := 0, 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			units++
			if r > 0xFFFF {
				units++
			}
			if units > maxText || units == maxText && i+size < len(s) {
				return append(append(b, s[start:i]...), "…"...)
			}
			if (r == utf8.RuneError && size == 1) || r == 0xFFFE || r == 0xFFFF {
				b = append(append(b, s[start:i]...), "\uFFFD"...)
				start = i + size
			}
			i += size
			continue
		}
		units++
		if units == maxText && i+1 < len(s) {
			return append(append(b, s[start:i]...), "…"...)
		}
		if needsEscape[c] {
			esc, skip := escapeAt(s, i)
			if esc != "" {
				b = append(append(b, s[start:i]...), esc...)
				start = i + skip
				i += skip
				continue
			}
		}
		i++
	}
	return append(b, s[start:]...)
}

// needsEscape marks the ASCII bytes that may need other bytes in their place.
var needsEscape = func() (t [utf8.RuneSelf]bool) {
	for c := range 0x20 {
		t[c] = c != '\t' && c != '\n'
	}
	for _, c := range "&<>\"_" {
		t[c] = true
	}
	return t
}()

// escapeAt returns the replacement for the byte at i, and how many bytes it replaces; "" for no replacement.
func escapeAt(s string, i int) (string, int) {
	switch s[i] {
	case '&':
		return "&amp;", 1
	case '<':
		return "&lt;", 1
	case '>':
		return "&gt;", 1
	case '"':
		return "&quot;", 1
	case '\r':
		if i+1 < len(s) && s[i+1] == '\n' {
			return "\n", 2
		}
		return "\n", 1
	case '_':
		if isEscape(s[i:]) {
			return "_x005F_", 1
		}
		return "", 1
	}
	return "\uFFFD", 1
}

// isEscape reports whether s begins with _xHHHH_, which in SpreadsheetML is a character by its number.
func isEscape(s string) bool {
	if len(s) < 7 || s[0] != '_' || s[1] != 'x' || s[6] != '_' {
		return false
	}
	for _, c := range []byte(s[2:6]) {
		if !strings.ContainsRune("0123456789abcdefABCDEF", rune(c)) {
			return false
		}
	}
	return true
}

// needsSpace reports whether the text has white space that readers drop without xml:space="preserve".
func needsSpace(s string) bool {
	if s == "" {
		return false
	}
	first, last := s[0], s[len(s)-1]
	return first <= ' ' || last <= ' ' || strings.ContainsAny(s, "\n\r\t") || strings.Contains(s, "  ")
}
