package api

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"concilia/store/ledger"
)

// field is one member of a wire shape: its name in the interface document and how its value becomes part of a T.
type field[T any] struct {
	name     string
	required bool
	// decode reads raw, which is never absent, null or "", and returns what is wrong with it in a few words, or empty. The
	// words never repeat the value.
	decode func(raw []byte, in *recordState, to *T) string
	// scan reads the value at the start of b if it has the plain form in which the service writes it, and returns its
	// length. 0, as from a nil scan, leaves the record to decode.
	scan func(b []byte, s *scanner, to *T) int
}

// asRequired returns the field as a required one.
func (f field[T]) asRequired() field[T] {
	f.required = true
	return f
}

// shape is a wire shape: its fields in the order of the interface document.
type shape[T any] struct {
	fields       []field[T]
	byLowerName  map[string]int // lower-case name to place
	byName       map[string]int // name to place
	quotedNames  []string       // the name in quotes with its colon, as sent without blanks
	requiredBits uint64         // bits of the positions of required fields
}

func newShape[T any](fields ...field[T]) *shape[T] {
	s := &shape[T]{fields: fields, byLowerName: map[string]int{}, byName: map[string]int{}}
	for i, f := range fields {
		s.byLowerName[strings.ToLower(f.name)], s.byName[f.name] = i, i
		s.quotedNames = append(s.quotedNames, `"`+f.name+`":`)
		if f.required {
			s.requiredBits |= 1 << i
		}
	}
	return s
}

// recordState collects what reading a record finds in addition to its value.
type recordState struct {
	zone    *time.Location
	bad     []badMember
	unknown []string // members that the shape does not have
}

// badMember is a member that could not be read exactly.
type badMember struct{ member, why string }

// decodedRecord is a record with what was found while it was decoded.
type decodedRecord[T any] struct {
	recordState
	value T
}

// decodeRecord reads raw, which is valid JSON, through encoding/json. Member names match in any case; a member that
// occurs twice is bad unless both values are equal.
//
// Spec gap: null, "" and an absent member are read alike as "not said"; where a member is required, all three are bad.
func (s *shape[T]) decodeRecord(raw []byte, zone *time.Location) decodedRecord[T] {
	o := decodedRecord[T]{recordState: recordState{zone: zone}}
	given := make([]json.RawMessage, len(s.fields))
	twice := make([]bool, len(s.fields))
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		o.bad = append(o.bad, badMember{"row", "not an object"})
		return o
	}
	for d.More() {
		var value json.RawMessage
		t, err := d.Token()
		if err == nil {
			err = d.Decode(&value)
		}
		if err != nil {
			o.bad = append(o.bad, badMember{"row", "not readable"})
			return o
		}
		name, _ := t.(string)
		i, ok := s.byLowerName[strings.ToLower(name)]
		switch {
		case !ok:
			o.unknown = append(o.unknown, name)
		case given[i] != nil && !bytes.Equal(given[i], value):
			twice[i] = true
		default:
			given[i] = value
		}
	}
	for i, f := range s.fields {
		var why string
		switch {
		case twice[i]:
			why = "given twice"
		case !isAbsent(given[i]):
			why = f.decode(given[i], &o.recordState, &o.value)
		default:
			why = notGiven
		}
		if why == notGiven && f.required {
			why = "missing"
		} else if why == notGiven {
			why = ""
		}
		if why != "" {
			o.bad = append(o.bad, badMember{f.name, why})
		}
	}
	return o
}

// isReadable reports whether none of the named members is bad, nor the record as a whole.
func (r *recordState) isReadable(members ...string) bool {
	return !slices.ContainsFunc(r.bad, func(p badMember) bool { return p.member == "row" || slices.Contains(members, p.member) })
}

func isAbsent(raw []byte) bool {
	return len(raw) == 0 || string(raw) == "null" || string(raw) == `""`
}

// What is wrong with a member that cannot be read exactly. The value is never repeated: it may be a payer's or a card's.
const (
	notText   = "not a text"
	notUTF8   = "not valid Unicode"
	holdsNUL  = "holds a NUL character"
	notAmount = "not a number exact to 4 decimals"
	tooLarge  = "more than a billion reais"
	notRate   = "not a number exact to 6 decimals"
	notWhole  = "not a whole number in range"
	notDate   = "not a date"
	notTime   = "not a date and time"
	notBool   = "neither true nor false"
	notList   = "not a list"
	tooMany   = "too many"
	// notGiven marks a value that means the same as an absent member; it is a problem only if the member is required.
	notGiven = "not given"
)

func textField[T any](name string, at func(*T) *string) field[T] {
	return field[T]{name: name, decode: func(raw []byte, _ *recordState, to *T) (why string) {
		*at(to), why = readText(raw)
		return why
	}, scan: func(b []byte, s *scanner, to *T) (n int) {
		*at(to), n = s.scanText(b)
		return n
	}}
}

func amountField[T any](name string, at func(*T) *ledger.Amount) field[T] {
	return field[T]{name: name, decode: func(raw []byte, _ *recordState, to *T) (why string) {
		*at(to), why = readAmount(raw)
		return why
	}, scan: func(b []byte, s *scanner, to *T) int {
		v, n := scanFixed(b, 4, amountDigits)
		*at(to) = ledger.Amount(v)
		return n
	}}
}

func optAmountField[T any](name string, at func(*T) *ledger.Opt[ledger.Amount]) field[T] {
	return field[T]{name: name, decode: func(raw []byte, _ *recordState, to *T) string {
		a, why := readAmount(raw)
		*at(to) = ledger.Opt[ledger.Amount]{V: a, OK: why == ""}
		return why
	}, scan: func(b []byte, s *scanner, to *T) int {
		v, n := scanFixed(b, 4, amountDigits)
		if n == 0 {
			return scanNull(b)
		}
		*at(to) = ledger.Some(ledger.Amount(v))
		return n
	}}
}

func optRateField[T any](name string, at func(*T) *ledger.Opt[ledger.Rate]) field[T] {
	return field[T]{name: name, decode: func(raw []byte, _ *recordState, to *T) string {
		r, err := ledger.ParseRate(string(raw))
		if err != nil {
			return notRate
		}
		*at(to) = ledger.Some(r)
		return ""
	}, scan: func(b []byte, s *scanner, to *T) int {
		v, n := scanFixed(b, 6, rateDigits)
		if n == 0 {
			return scanNull(b)
		}
		*at(to) = ledger.Some(ledger.Rate(v))
		return n
	}}
}

func intField[T any](name string, at func(*T) *int) field[T] {
	return field[T]{name: name, decode: func(raw []byte, _ *recordState, to *T) string {
		n, why := readInt32(raw)
		*at(to) = int(n)
		return why
	}, scan: func(b []byte, s *scanner, to *T) int {
		v, n := scanFixed(b, 0, wholeDigits)
		*at(to) = int(v)
		return n
	}}
}

func optIntField[T any](name string, at func(*T) *ledger.Opt[int64]) field[T] {
	return field[T]{name: name, decode: func(raw []byte, _ *recordState, to *T) string {
		n, why := readInt32(raw)
		*at(to) = ledger.Opt[int64]{V: n, OK: why == ""}
		return why
	}}
}

func optBoolField[T any](name string, at func(*T) *ledger.Opt[bool]) field[T] {
	return field[T]{name: name, decode: func(raw []byte, _ *recordState, to *T) string {
		if s := string(raw); s != "true" && s != "false" {
			return notBool
		}
		*at(to) = ledger.Some(raw[0] == 't')
		return ""
	}}
}

func dateField[T any](name string, at func(*T) *ledger.Date) field[T] {
	return field[T]{name: name, decode: func(raw []byte, _ *recordState, to *T) string {
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
			return notGiven
		}
		*at(to) = d
		return ""
	}, scan: func(b []byte, s *scanner, to *T) (n int) {
		*at(to), n = s.scanDate(b)
		return n
	}}
}

func localTimeField[T any](name string, at func(*T) *ledger.LocalTime) field[T] {
	return field[T]{name: name, decode: func(raw []byte, in *recordState, to *T) string {
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
	}, scan: func(b []byte, s *scanner, to *T) (n int) {
		*at(to), n = s.scanLocalTime(b)
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

// maxRowAmount is the largest amount of a row that is taken for money. Sums over a million such rows do not overflow.
const maxRowAmount = 1_000_000_000 * ledger.Real

// Spec gap: money, rates and counts are read from JSON numbers alone; a number in quotes is not documented and bad.
func readAmount(raw []byte) (ledger.Amount, string) {
	a, err := ledger.ParseAmount(string(raw))
	switch {
	case err != nil:
		return 0, notAmount
	case a > maxRowAmount || a < -maxRowAmount:
		return 0, tooLarge
	}
	return a, ""
}

// readInt32 reads a whole number that fits 32 bits; 1, 1.0 and 1e0 are the same.
func readInt32(raw []byte) (int64, string) {
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
