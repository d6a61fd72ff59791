package api

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"concilia/store/ledger"
)

// What is said of a member that can't be read exactly. The value is never repeated: it may be a payer's or a card's.
const (
	notText   = "not a text"
	notUTF8   = "not valid Unicode"
	holdsNUL  = "holds a NUL character"
	notAmount = "not a number exact to 4 decimals"
	notRate   = "not a number exact to 6 decimals"
	notWhole  = "not a whole number in range"
	notDate   = "not a date"
	notTime   = "not a date and time"
	notBool   = "neither true nor false"
	notList   = "not a list"
	tooMany   = "too many"
	// unsaid is a value that means the same as an absent member; it is wrong only where the member is required.
	unsaid = "unsaid"
)

func text[T any](name string, at func(*T) *string) field[T] {
	return field[T]{name: name, set: func(raw []byte, _ *reading, to *T) (why string) {
		*at(to), why = readText(raw)
		return why
	}, fast: func(b []byte, s *scanner, to *T) (n int) {
		*at(to), n = s.text(b)
		return n
	}}
}

func amount[T any](name string, at func(*T) *ledger.Amount) field[T] {
	return field[T]{name: name, set: func(raw []byte, _ *reading, to *T) (why string) {
		*at(to), why = readAmount(raw)
		return why
	}, fast: func(b []byte, s *scanner, to *T) int {
		v, n := scanFixed(b, 4, amountDigits)
		*at(to) = ledger.Amount(v)
		return n
	}}
}

func optAmount[T any](name string, at func(*T) *ledger.Opt[ledger.Amount]) field[T] {
	return field[T]{name: name, set: func(raw []byte, _ *reading, to *T) string {
		a, why := readAmount(raw)
		*at(to) = ledger.Opt[ledger.Amount]{V: a, OK: why == ""}
		return why
	}, fast: func(b []byte, s *scanner, to *T) int {
		v, n := scanFixed(b, 4, amountDigits)
		if n == 0 {
			return scanNull(b)
		}
		*at(to) = ledger.Some(ledger.Amount(v))
		return n
	}}
}

func optRate[T any](name string, at func(*T) *ledger.Opt[ledger.Rate]) field[T] {
	return field[T]{name: name, set: func(raw []byte, _ *reading, to *T) string {
		r, err := ledger.ParseRate(string(raw))
		if err != nil {
			return notRate
		}
		*at(to) = ledger.Some(r)
		return ""
	}, fast: func(b []byte, s *scanner, to *T) int {
		v, n := scanFixed(b, 6, rateDigits)
		if n == 0 {
			return scanNull(b)
		}
		*at(to) = ledger.Some(ledger.Rate(v))
		return n
	}}
}

func whole[T any](name string, at func(*T) *int) field[T] {
	return field[T]{name: name, set: func(raw []byte, _ *reading, to *T) string {
		n, why := readWhole(raw)
		*at(to) = int(n)
		return why
	}, fast: func(b []byte, s *scanner, to *T) int {
		v, n := scanFixed(b, 0, wholeDigits)
		*at(to) = int(v)
		return n
	}}
}

func optWhole[T any](name string, at func(*T) *ledger.Opt[int64]) field[T] {
	return field[T]{name: name, set: func(raw []byte, _ *reading, to *T) string {
		n, why := readWhole(raw)
		*at(to) = ledger.Opt[int64]{V: n, OK: why == ""}
		return why
	}}
}

func optBool[T any](name string, at func(*T) *ledger.Opt[bool]) field[T] {
	return field[T]{name: name, set: func(raw []byte, _ *reading, to *T) string {
		if s := string(raw); s != "true" && s != "false" {
			return notBool
		}
		*at(to) = ledger.Some(raw[0] == 't')
		return ""
	}}
}

func day[T any](name string, at func(*T) *ledger.Date) field[T] {
	return field[T]{name: name, set: func(raw []byte, _ *reading, to *T) string {
		s, why := readText(raw)
		if why != "" {
			return notDate
		}
		d, err := ledger.ParseDay(s)
		if err != nil {
			return notDate
		}
		// Spec gap: 0001-01-01, the zero date of many back ends, is no date.
		if d <= 1 {
			return unsaid
		}
		*at(to) = d
		return ""
	}, fast: func(b []byte, s *scanner, to *T) (n int) {
		*at(to), n = s.day(b)
		return n
	}}
}

func localTime[T any](name string, at func(*T) *ledger.LocalTime) field[T] {
	return field[T]{name: name, set: func(raw []byte, in *reading, to *T) string {
		s, why := readText(raw)
		if why != "" {
			return notTime
		}
		// Spec gap: transactionDate without an offset is what a clock showed in the configured zone; with one, it is
		// shown on that clock.
		t, err := ledger.ParseLocalTime(s, in.zone)
		if err != nil || t <= 0 {
			return notTime
		}
		*at(to) = t
		return ""
	}, fast: func(b []byte, s *scanner, to *T) (n int) {
		*at(to), n = s.localTime(b)
		return n
	}}
}

// readText reads a JSON string. Text that cannot be kept as sent is bad: encoding/json puts U+FFFD in the place of
// broken Unicode, and PostgreSQL keeps no NUL.
func readText(raw []byte) (string, string) {
	if raw[0] != '"' {
		return "", notText
	}
	if !utf8.Valid(raw) {
		return "", notUTF8
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", notText
	}
	if strings.ContainsRune(s, utf8.RuneError) && !bytes.ContainsRune(raw, utf8.RuneError) &&
		!bytes.Contains(bytes.ToLower(raw), []byte(`\ufffd`)) {
		return "", notUTF8
	}
	if strings.IndexByte(s, 0) >= 0 {
		return "", holdsNUL
	}
	return s, ""
}

// Spec gap: money, rates and counts are read from JSON numbers alone; a number in quotes is not documented and bad.
func readAmount(raw []byte) (ledger.Amount, string) {
	a, err := ledger.ParseAmount(string(raw))
	if err != nil {
		return 0, notAmount
	}
	return a, ""
}

// readWhole reads a whole number that fits 32 bits; 1, 1.0 and 1e0 are the same.
func readWhole(raw []byte) (int64, string) {
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		a, err := ledger.ParseAmount(string(raw))
		if err != nil || a%ledger.Real != 0 {
			return 0, notWhole
		}
		n = int64(a / ledger.Real)
	}
	if n < math.MinInt32 || n > math.MaxInt32 {
		return 0, notWhole
	}
	return n, ""
}
