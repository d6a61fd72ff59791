package problem_test

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"concilia/config/problem"
)

func TestParseDecimal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		says, text, want string // empty want: refused
	}{
		{"a percent", "2.34", "2.34"},
		{"zeros behind are kept apart from nothing", "2.3400", "2.34"},
		{"a whole number", "100", "100"},
		{"below zero", "-0.10", "-0.1"},
		{"an exponent", "1.5E+2", "150"},
		{"more decimals than any scale holds", "0.0000000001", "0.0000000001"},
		{"nothing", "", ""},
		{"a decimal comma", "2,34", ""},
		{"a separator of thousands", "1.234,56", ""},
		{"a plus sign", "+1", ""},
		{"zeros in front", "01", ""},
		{"a bare point", "1.", ""},
		{"a bare fraction", ".5", ""},
		{"a sign behind the point", ".-5", ""},
		{"blanks", " 1", ""},
		{"a unit", "2.34%", ""},
		{"an exponent that would fill the memory", "1e1000", ""},
		{"a word", "NaN", ""},
		{"hexadecimal", "0x10", ""},
		{"digits of another script", "١", ""},
		{"a line end", "1\n", ""},
		{"no end of digits", strings.Repeat("1", 65), ""},
	} {
		d, ok := problem.ParseDecimal(c.text)
		if ok != (c.want != "") || ok && d.String() != c.want {
			t.Errorf("%s: ParseDecimal(%q) = %s, %v; want %q", c.says, c.text, d, ok, c.want)
		}
	}
}

// FuzzParseDecimal: whatever is accepted is a JSON number of exactly the same value.
func FuzzParseDecimal(f *testing.F) {
	for _, seed := range []string{"2.34", "-0.1e+3", ".-5", "1e999", "1_0", "0x1p-2", "1e-999"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, ok := problem.ParseDecimal(text)
		if !ok {
			return
		}
		if !json.Valid([]byte(text)) {
			t.Fatalf("%q is taken and no JSON number", text)
		}
		if want, _ := new(big.Rat).SetString(text); want == nil || d.Rat().Cmp(want) != 0 {
			t.Fatalf("%q is %s, want %s", text, d, want)
		}
	})
}
