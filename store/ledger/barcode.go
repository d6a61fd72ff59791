package ledger

import (
	"errors"
	"fmt"
	"strings"
)

// BarCode is the 44 digits of a slip's bar code. Only ParseBarCode returns one with valid check digits; the methods of
// any other text return zero values.
//
//	1-3 bank · 4 currency, 9 = real · 5 check digit · 6-9 due-date factor · 10-19 cents · 20-44 the bank's own
type BarCode string

const (
	barCodeLength = 44
	// firstFactor is the lowest factor that means a date; below it the columns belong to the amount.
	firstFactor = 1000
	// factorCycle is how many factors there are: after 9999 comes 1000 again.
	factorCycle = 9000
	// A factor means a date within this many days before and after the day on which it is read. Together they are
	// shorter than a cycle, so at most one date fits.
	factorPast, factorFuture = 3000, 5500
)

// factorBase is 1997-10-07, day 0 of the due-date factor.
const factorBase Date = 729304

// ParseBarCode reads exactly 44 digits and checks the currency and the check digit (mod 11). Errors name the
// check and what would be right.
func ParseBarCode(s string) (BarCode, error) {
	if err := plainDigits("bar code", s, barCodeLength); err != nil {
		return "", err
	}
	if s[0] == '8' {
		return "", errors.New("bar code: begins with 8: a tax or utility document, not a bank slip")
	}
	if s[3] != '9' {
		return "", fmt.Errorf("bar code: currency is %c, should be 9 (real)", s[3])
	}
	if want := barCodeDigit(s); s[4] != want {
		return "", fmt.Errorf("bar code: general check digit is %c, should be %c", s[4], want)
	}
	return BarCode(s), nil
}

// Bank is the three digits of the bank that issued the slip.
func (b BarCode) Bank() string { return b.columnsText(1, 3) }

// Factor is the due-date factor, 1000 to 9999, or 0 if the code has no due date.
func (b BarCode) Factor() int {
	f, _ := parseDigits(b.columnsText(6, 9))
	if f < firstFactor {
		return 0
	}
	return f
}

// Amount is the amount to pay; 0 is an open amount. An amount above 99 999 999.99 runs over the columns of
// the factor, which then stays below 1000, and the code has no due date.
func (b BarCode) Amount() Amount {
	from := 10
	if b.Factor() == 0 {
		from = 6
	}
	cents, _ := parseDigits(b.columnsText(from, 19))
	return FromCents(int64(cents))
}

// DueDate returns the day that the factor means on the day reference: the one that is at most 3000 days before and at
// most 5500 days after it. It is 0 without an error when the code has no due date. A factor without a date in that
// window is an error: such a slip cannot be paid. Keep the date: years later the same factor means another day.
func (b BarCode) DueDate(reference Date) (Date, error) {
	f := b.Factor()
	if f == 0 {
		return 0, nil
	}
	d := factorBase + Date(f)
	for d < reference-factorPast {
		d += factorCycle
	}
	if d > reference+factorFuture {
		return 0, fmt.Errorf("bar code: due-date factor %d: no date within %d days before and %d days after %s",
			f, factorPast, factorFuture, reference)
	}
	return d, nil
}

// DigitableLine returns the digits that a payer types for the same slip.
func (b BarCode) DigitableLine() DigitableLine {
	if len(b) != barCodeLength {
		return ""
	}
	out := make([]byte, 0, digitableLength)
	for _, field := range []string{b.columnsText(1, 4) + b.columnsText(20, 24), b.columnsText(25, 34), b.columnsText(35, 44)} {
		out = append(append(out, field...), fieldCheckDigit(field))
	}
	return DigitableLine(append(append(out, b.columnsText(5, 5)...), b.columnsText(6, 19)...))
}

// columnsText returns the text of 1-based columns, both included.
func (b BarCode) columnsText(from, to int) string {
	if len(b) != barCodeLength {
		return ""
	}
	return string(b[from-1 : to])
}

// barCodeDigit returns the general check digit: repeated weights 2..9 from the right over the other 43 digits. It is never
// 0, which would mean "no digit".
func barCodeDigit(s string) byte {
	sum, weight := 0, 2
	for i := barCodeLength - 1; i >= 0; i-- {
		if i == 4 {
			continue
		}
		sum += int(s[i]-'0') * weight
		if weight++; weight > 9 {
			weight = 2
		}
	}
	d := 11 - sum%11
	if d >= 10 {
		d = 1
	}
	return byte('0' + d)
}

func plainDigits(what, s string, want int) error {
	if len(s) != want {
		return fmt.Errorf("%s: %d characters, should be %d", what, len(s), want)
	}
	for i := range len(s) {
		if !isDigit(s[i]) {
			return fmt.Errorf("%s: character %d is not a digit", what, i+1)
		}
	}
	return nil
}

// DigitableLine is the 47 digits a payer types, without dots and blanks. Only ParseDigitableLine returns one with valid
// check digits; the methods of any other text return zero values.
//
// It holds the bar code in another order: three fields of the bank's own columns, each with a check digit, then
// the general check digit, then factor and amount.
type DigitableLine string

const digitableLength = 47

// digitableFields are the fields that end in a check digit of their own (mod 10): 0-based bounds, digit excluded.
var digitableFields = [...]struct{ from, to int }{{0, 9}, {10, 20}, {21, 31}}

// maxDigitableText bounds the text in bytes: 47 digits with a separator after each.
const maxDigitableText = 2 * digitableLength

// ParseDigitableLine reads 47 digits, with or without dots and blanks, and checks the check digit of each field and the
// general one. The error names every check that fails and the digit that would be right.
func ParseDigitableLine(s string) (DigitableLine, error) {
	if len(s) > maxDigitableText {
		return "", errors.New("digitable line: too long")
	}
	text := strings.NewReplacer(".", "", " ", "").Replace(s)
	if len(text) == 48 && text[0] == '8' {
		return "", errors.New("digitable line: 48 digits that begin with 8: a tax or utility document, not a bank slip")
	}
	if err := plainDigits("digitable line", text, digitableLength); err != nil {
		return "", err
	}
	var faults []string
	for i, f := range digitableFields {
		if want := fieldCheckDigit(text[f.from:f.to]); text[f.to] != want {
			faults = append(faults, fmt.Sprintf("check digit of field %d is %c, should be %c", i+1, text[f.to], want))
		}
	}
	line := DigitableLine(text)
	if _, err := ParseBarCode(string(line.BarCode())); err != nil {
		faults = append(faults, strings.TrimPrefix(err.Error(), "bar code: "))
	}
	if len(faults) > 0 {
		return "", fmt.Errorf("digitable line: %s", strings.Join(faults, "; "))
	}
	return line, nil
}

// BarCode returns the bar code of the same slip.
func (l DigitableLine) BarCode() BarCode {
	if len(l) != digitableLength {
		return ""
	}
	return BarCode(l[0:4] + l[32:33] + l[33:47] + l[4:9] + l[10:20] + l[21:31])
}

// Printed is the line with the dots and blanks as printed on slips: AAAAA.AAAAA BBBBB.BBBBBB CCCCC.CCCCCC D EEEEEEEEEEEEEE.
func (l DigitableLine) Printed() string {
	if len(l) != digitableLength {
		return ""
	}
	s := string(l)
	return s[0:5] + "." + s[5:10] + " " + s[10:15] + "." + s[15:21] + " " + s[21:26] + "." + s[26:32] + " " +
		s[32:33] + " " + s[33:]
}

// fieldCheckDigit is the check digit of a field: weights 2, 1, 2, 1 … from the right, the digits of each product added.
func fieldCheckDigit(s string) byte {
	sum := 0
	for i := range len(s) {
		p := int(s[len(s)-1-i]-'0') * (2 - i%2)
		sum += p/10 + p%10
	}
	return byte('0' + (10-sum%10)%10)
}
