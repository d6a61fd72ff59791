package problem

import (
	"regexp"

	"github.com/shopspring/decimal"
)

// number is how a file that people write spells one: as JSON does, in full. The exponent is short, so that no text names
// a number too large for the memory.
var number = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?$`)

// maxNumberText bounds the text of a number in bytes: no honest one needs more.
const maxNumberText = 64

// ParseDecimal reads a number of the configuration, the contract or another file that people write, exactly as it is
// written: digits, a point before the decimals, a minus sign in front of a negative one, perhaps an exponent up to 999. No
// plus sign, no comma, no zeros in front, no blanks. The second result is false when the text is none of that or longer
// than 64 bytes. Whether the number fits an amount or a rate is for ledger.ExactAmount and ledger.ExactRate to say.
func ParseDecimal(text string) (decimal.Decimal, bool) {
	if len(text) > maxNumberText || !number.MatchString(text) {
		return decimal.Decimal{}, false
	}
	d, err := decimal.NewFromString(text)
	return d, err == nil
}
