package webhook

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"concilia/store/ledger"
)

const (
	// maxNSU and maxAuth are the maximum characters of an NSU and of an authorization.
	maxNSU, maxAuth = 100, 30
	// maxInstallment is higher than the documented 12 installments: the rules report unusual numbers.
	maxInstallment = 99
	// maxUnknown and maxName bound the number and the length of the names of unknown members that are reported.
	maxUnknown, maxName = 16, 64
)

// PayloadError lists everything that is wrong with a body. It repeats only documented names of members.
type PayloadError struct{ Problems []string }

func (e *PayloadError) Error() string { return strings.Join(e.Problems, "; ") }

// members are the documented members, in the document's order. read returns what is wrong with a value, or empty.
var members = []struct {
	name string
	read func(raw []byte, zone *time.Location, n *ledger.Notification) string
}{
	{"movementId", func(raw []byte, _ *time.Location, n *ledger.Notification) string {
		v, why := readInteger(raw)
		if why == "" && v <= 0 {
			why = "not above 0"
		}
		if why == "" {
			n.MovementID = v
		}
		return why
	}},
	{"nsu", func(raw []byte, _ *time.Location, n *ledger.Notification) (why string) {
		if n.NSU, why = readText(raw, maxNSU); why == "" && n.NSU == "" {
			why = "empty"
		}
		return why
	}},
	{"codAuth", func(raw []byte, _ *time.Location, n *ledger.Notification) (why string) {
		n.Auth, why = readText(raw, maxAuth)
		return why
	}},
	{"installmentNumber", func(raw []byte, _ *time.Location, n *ledger.Notification) string {
		v, why := readInteger(raw)
		if why == "" && (v < 0 || v > maxInstallment) {
			why = "not between 0 and " + strconv.Itoa(maxInstallment)
		}
		n.Installment = int(v)
		return why
	}},
	{"moment", func(raw []byte, zone *time.Location, n *ledger.Notification) string {
		s, why := readText(raw, maxName)
		if why != "" {
			return why
		}
		t, err := ledger.ParseLocalTime(s, zone)
		if err != nil || t <= 0 {
			return "not a date and time"
		}
		n.Moment = t
		return ""
	}},
	{"type", func(raw []byte, _ *time.Location, n *ledger.Notification) (why string) {
		n.Type, why = readText(raw, 0)
		return why
	}},
	{"oldValue", func(raw []byte, _ *time.Location, n *ledger.Notification) (why string) {
		if string(raw) == "null" { // Spec gap: a first status has nothing before it
			return ""
		}
		n.OldValue, why = readText(raw, 0)
		return why
	}},
	{"newValue", func(raw []byte, _ *time.Location, n *ledger.Notification) (why string) {
		n.NewValue, why = readText(raw, 0)
		return why
	}},
}

// Decode reads the body of a notification; the caller adds account and time of receipt. unknown lists undocumented
// members. The error is a *PayloadError; the notification then holds what could be read.
func Decode(body []byte, zone *time.Location) (n ledger.Notification, unknown []string, err error) {
	given, unknown, err := splitMembers(body)
	if err != nil {
		return n, nil, err
	}
	var problems []string
	for i, m := range members {
		why := "missing"
		if given[i] != nil {
			why = m.read(given[i], zone, &n)
		}
		if why != "" {
			problems = append(problems, m.name+": "+why)
		}
	}
	if len(problems) > 0 {
		return n, unknown, &PayloadError{problems}
	}
	sum := sha256.Sum256(body)
	n.Body, n.BodyHash = body, hex.EncodeToString(sum[:])
	return n, unknown, nil
}

// splitMembers returns the values of the documented members in the order of members, and the names of the others. A name
// that occurs twice is refused, since readers differ on which value counts.
func splitMembers(body []byte) (given []json.RawMessage, unknown []string, err error) {
	wrong := func(why string) error { return &PayloadError{[]string{why}} }
	switch {
	case len(body) == 0:
		return given, nil, wrong("no body")
	case !utf8.Valid(body):
		return given, nil, wrong("not UTF-8")
	case !json.Valid(body):
		return given, nil, wrong("not one JSON text")
	}
	d := json.NewDecoder(bytes.NewReader(body))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return given, nil, wrong("not a JSON object")
	}
	given = make([]json.RawMessage, len(members))
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		name, ok := t.(string)
		var value json.RawMessage
		if err == nil {
			err = d.Decode(&value)
		}
		switch {
		case err != nil || !ok:
			return given, nil, wrong("not readable")
		case seen[name]:
			return given, nil, wrong("a member is given twice")
		}
		seen[name] = true
		if i := memberIndex(name); i >= 0 {
			given[i] = value
		} else if len(unknown) < maxUnknown {
			unknown = append(unknown, cutName(name))
		}
	}
	return given, unknown, nil
}

func memberIndex(name string) int {
	for i := range members {
		if members[i].name == name {
			return i
		}
	}
	return -1
}

func cutName(name string) string {
	if r := []rune(name); len(r) > maxName {
		return string(r[:maxName])
	}
	return name
}

// readInteger reads a number that is written as an integer.
func readInteger(raw []byte) (int64, string) {
	v, err := strconv.ParseInt(string(raw), 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, "too large"
	case err != nil:
		return 0, "not a whole number"
	}
	return v, ""
}

// readText reads a string of at most most characters; 0: only the size of the body bounds it.
func readText(raw []byte, most int) (string, string) {
	var s string
	switch {
	case raw[0] != '"':
		return "", "not a string"
	case json.Unmarshal(raw, &s) != nil:
		return "", "not readable"
	case hasHalfSurrogate(raw, s):
		return "", "not valid Unicode"
	case slices.Contains([]byte(s), 0):
		return "", "holds a NUL" // text columns of PostgreSQL cannot store it
	case most > 0 && utf8.RuneCountInString(s) > most:
		return "", "longer than " + strconv.Itoa(most) + " characters"
	}
	return s, ""
}

// hasHalfSurrogate says whether a text was read with a replacement for what its JSON does not spell out whole.
func hasHalfSurrogate(raw []byte, s string) bool {
	return strings.ContainsRune(s, utf8.RuneError) && !bytes.ContainsRune(raw, utf8.RuneError) &&
		!bytes.Contains(bytes.ToLower(raw), []byte(`\ufffd`))
}
