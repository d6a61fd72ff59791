package ledger

import (
	"errors"
	"fmt"
	"strings"
)

// DigitableLine is the 47 digits a payer types, without dots and blanks. Only ParseDigitableLine returns one with valid
// check digits; the methods of any other text return zero values.
//
// It holds the bar code in another order: three fields of the bank's own columns, each with a check digit, then
// the general check digit, then factor and amount.
type DigitableLine string

const digitableLength = 47

// digitableFields are the fields that end in a check digit of their own (mod 10): 0-based bounds, digit excluded.
var digitableFields = [...]struct{ from, to int }{{0, 9}, {10, 20}, {21, 31}}

// maxDigitableText bounds what is read: 47 digits with a separator after each.
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
		if want := mod10(text[f.from:f.to]); text[f.to] != want {
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

// Printed is the line with the dots and blanks slips carry: AAAAA.AAAAA BBBBB.BBBBBB CCCCC.CCCCCC D EEEEEEEEEEEEEE.
func (l DigitableLine) Printed() string {
	if len(l) != digitableLength {
		return ""
	}
	s := string(l)
	return s[0:5] + "." + s[5:10] + " " + s[10:15] + "." + s[15:21] + " " + s[21:26] + "." + s[26:32] + " " +
		s[32:33] + " " + s[33:]
}

// mod10 is the check digit of a field: weights 2, 1, 2, 1 … from the right, the digits of each product added.
func mod10(s string) byte {
	sum := 0
	for i := range len(s) {
		p := int(s[len(s)-1-i]-'0') * (2 - i%2)
		sum += p/10 + p%10
	}
	return byte('0' + (10-sum%10)%10)
}
