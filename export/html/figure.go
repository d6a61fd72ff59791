package html

import (
	"strconv"
	"strings"

	"concilia/store/ledger"
)

// fig is a proven figure on the page: its name, its exact value, and how it is shown.
type fig struct{ Key, Value, Text string }

// minus is the sign that is as wide as a digit.
const minus = "−"

// amount is money with at least two decimals.
func (v *view) amount(key string, a ledger.Amount) fig {
	text := a.String()
	return fig{key, text, shown(text, v.Language)}
}

func (v *view) count(key string, n int64) fig {
	text := strconv.FormatInt(n, 10)
	return fig{key, text, shown(text, v.Language)}
}

// Spell is a plain decimal number as the pages of a language show it.
func Spell(plain, language string) string { return shown(plain, language) }

// shown groups thousands and puts the marks of the language into a plain number.
func shown(plain, language string) string {
	group, point := ".", ","
	if language == "en" {
		group, point = ",", "."
	}
	sign := ""
	if strings.HasPrefix(plain, "-") {
		sign, plain = minus, plain[1:]
	}
	whole, decimals, cut := strings.Cut(plain, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + group + whole[i:]
	}
	if cut {
		return sign + whole + point + decimals
	}
	return sign + whole
}
