package agreements

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"
	"go.yaml.in/yaml/v3"

	"concilia/config/problem"
	"concilia/store/ledger"
)

// text is the scalar as written, without its quotes.
func (f *form) text(v value, want string) (string, bool) {
	n, ok := f.enter(v)
	if !ok {
		return "", false
	}
	if n.Kind != yaml.ScalarNode || isNull(n) {
		f.wrong(v, want)
		return "", false
	}
	return n.Value, true
}

// rate reads a percent between least and most.
func (f *form) rate(v value, least, most ledger.Rate) ledger.Rate {
	want := fmt.Sprintf("a percent from %s to %s, written with a point, such as 2.34", trim(least.String()), trim(most.String()))
	return exactly(f, v, want, ledger.ExactRate, decimal.New(int64(least), -6), decimal.New(int64(most), -6))
}

// amount reads reais from nothing to most.
func (f *form) amount(v value, most ledger.Amount) ledger.Amount {
	want := fmt.Sprintf("an amount in reais from 0 to %s, written with a point, such as 0.30", most)
	return exactly(f, v, want, ledger.ExactAmount, decimal.Zero, decimal.New(int64(most), -4))
}

// exactly reads a decimal number from least to most that its type holds exactly.
func exactly[T ledger.Rate | ledger.Amount](f *form, v value, want string, convert func(decimal.Decimal) (T, error), least, most decimal.Decimal) T {
	text, ok := f.text(v, want)
	if !ok {
		return 0
	}
	d, ok := problem.ParseDecimal(text)
	if !ok || d.LessThan(least) || d.GreaterThan(most) {
		f.wrong(v, want)
		return 0
	}
	n, err := convert(d)
	if err != nil {
		f.wrong(v, err.Error()+": "+want)
	}
	return n
}

// whole reads a whole number in plain digits.
func (f *form) whole(v value, least, most int64, what string) int64 {
	want := fmt.Sprintf("%s, %d to %d", what, least, most)
	text, ok := f.text(v, want)
	if !ok {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most || text[0] == '+' {
		f.wrong(v, want)
		return 0
	}
	return n
}

// day reads a date.
func (f *form) day(v value) ledger.Date {
	const want = "a date, such as 2024-01-31"
	text, ok := f.text(v, want)
	if !ok {
		return 0
	}
	d, err := ledger.ParseDate(text)
	if err != nil {
		f.wrong(v, want)
	}
	return d
}

// yes reads true or false.
func (f *form) yes(v value) bool {
	const want = "true or false"
	text, ok := f.text(v, want)
	if ok && text != "true" && text != "false" {
		f.wrong(v, want)
	}
	return text == "true"
}

// zone reads the name of a time zone into dst, and leaves dst alone when it is none.
func (f *form) zone(v value, dst *string) {
	const want = "the name of a time zone, such as America/Sao_Paulo"
	text, ok := f.text(v, want)
	if !ok {
		return
	}
	// Local would mean another zone on another machine.
	if _, err := time.LoadLocation(text); err != nil || text == "" || text == "Local" {
		f.wrong(v, want)
		return
	}
	*dst = text
}

// choose reads one of a few words into dst, and leaves dst alone when it is none of them.
func choose[T ~string](f *form, dst *T, options ...T) func(value) {
	words := make([]string, len(options))
	for i, o := range options {
		words[i] = string(o)
	}
	want := "one of " + strings.Join(words, ", ")
	return func(v value) {
		text, ok := f.text(v, want)
		if !ok {
			return
		}
		if i := slices.Index(words, text); i >= 0 {
			*dst = options[i]
			return
		}
		f.wrong(v, want)
	}
}

// trim drops the zeros after the point.
func trim(number string) string {
	if strings.Contains(number, ".") {
		number = strings.TrimRight(strings.TrimRight(number, "0"), ".")
	}
	return number
}
