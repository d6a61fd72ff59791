package html

import (
	"strconv"
	"strings"

	"concilia/store/ledger"
)

// provenFigure is a proven figure on the page: its name, its exact value, and how it is shown.
type provenFigure struct{ Key, Value, Text string }

// minus is the sign that is as wide as a digit.
const minus = "−"

// amountFigure is money with at least two decimals.
func (v *pageView) amountFigure(key string, a ledger.Amount) provenFigure {
	text := a.String()
	return provenFigure{key, text, formatNumber(text, v.Language)}
}

func (v *pageView) countFigure(key string, n int64) provenFigure {
	text := strconv.FormatInt(n, 10)
	return provenFigure{key, text, formatNumber(text, v.Language)}
}

// FormatNumber is a plain decimal number as the pages of a language show it.
func FormatNumber(plain, language string) string { return formatNumber(plain, language) }

// formatNumber groups thousands and puts the marks of the language into a plain number.
func formatNumber(plain, language string) string {
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
