package xlsx

import (
	"fmt"
	"strconv"
	"strings"
)

// ValueKind is what a cell that was read holds. Days and times are numbers: what they mean is in their format.
type ValueKind uint8

const (
	Absent ValueKind = iota
	Number
	String
	Bool
	Error
)

// Value is a cell as it was read. Raw is the text of a String, and the characters of the file for any other kind: a
// number has not passed through a floating point number.
type Value struct {
	Kind    ValueKind
	Raw     string
	Formula string // when the value is one a formula had
}

// maxNumber is the most characters of a number: no spreadsheet writes more than 24.
const maxNumber = 64

// Scaled is a number times 10^places, exactly. A number with more places, or past int64, is an error, and so is a value that
// is no number.
func (v Value) Scaled(places int) (int64, error) {
	if v.Kind != Number || len(v.Raw) > maxNumber {
		return 0, fmt.Errorf("%.40q: not a number", v.Raw)
	}
	mantissa, exponent := v.Raw, 0
	if i := strings.IndexAny(mantissa, "eE"); i >= 0 {
		var err error
		if exponent, err = strconv.Atoi(mantissa[i+1:]); err != nil || exponent < -400 || exponent > 400 {
			return 0, fmt.Errorf("%.40q: not a number", v.Raw)
		}
		mantissa = mantissa[:i]
	}
	negative := strings.HasPrefix(mantissa, "-")
	mantissa = strings.TrimPrefix(mantissa, "-")
	whole, frac, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+frac, "0")
	if whole+frac == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, fmt.Errorf("%.40q: not a number", v.Raw)
	}
	// The point goes right by so many digits: zeros are put behind, or must already stand there.
	shift := places + exponent - len(frac)
	if digits == "" {
		return 0, nil
	}
	for ; shift < 0; shift++ {
		if !strings.HasSuffix(digits, "0") {
			return 0, fmt.Errorf("%.40q: more than %d decimals", v.Raw, places)
		}
		digits = digits[:len(digits)-1]
	}
	if shift > 19 {
		return 0, fmt.Errorf("%.40q: out of range", v.Raw)
	}
	digits += strings.Repeat("0", shift)
	if negative {
		digits = "-" + digits
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%.40q: out of range", v.Raw)
	}
	return n, nil
}
