package view

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"concilia/store/ledger"
)

// Page is what a command shows. Its JSON is that of the value.
type Page interface {
	// WriteText writes the page for people, in their language.
	WriteText(w io.Writer, l Language) error
}

// Write writes the page as one JSON object on a line, or as text.
func Write(w io.Writer, asJSON bool, l Language, p Page) error {
	if asJSON {
		return newEncoder(w).Encode(p)
	}
	return p.WriteText(w, l)
}

// WriteLines writes a JSON object a line, or the page as text.
func WriteLines[T any](w io.Writer, asJSON bool, l Language, lines []T, p Page) error {
	if !asJSON {
		return p.WriteText(w, l)
	}
	encoder := newEncoder(w)
	for i := range lines {
		if err := encoder.Encode(&lines[i]); err != nil {
			return err
		}
	}
	return nil
}

// Lines writes a JSON object a line, as they come.
type Lines struct{ encoder *json.Encoder }

// NewLines writes to w.
func NewLines(w io.Writer) *Lines { return &Lines{newEncoder(w)} }

// Add writes one object.
func (l *Lines) Add(line any) error { return l.encoder.Encode(line) }

// newEncoder writes JSON for programs: signs that matter to HTML alone stay as they are.
func newEncoder(w io.Writer) *json.Encoder {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder
}

// Instant is an instant: in JSON in UTC to the second, empty when there is none.
type Instant struct{ time.Time }

// MarshalJSON prints the instant as a text.
func (i Instant) MarshalJSON() ([]byte, error) { return json.Marshal(FormatUTC(i.Time)) }

// FormatUTC is an instant to the second in UTC, empty when there is none.
func FormatUTC(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// Amount is an amount: in JSON an exact text.
type Amount ledger.Amount

// MarshalJSON prints the amount as a text.
func (a Amount) MarshalJSON() ([]byte, error) { return json.Marshal(ledger.Amount(a).String()) }

// OptionalAmount is an amount that may be absent: in JSON an exact text, empty when it is.
type OptionalAmount ledger.Opt[ledger.Amount]

// String is the exact amount, empty when it is absent.
func (a OptionalAmount) String() string {
	if !a.OK {
		return ""
	}
	return a.V.String()
}

// MarshalJSON prints the amount as a text.
func (a OptionalAmount) MarshalJSON() ([]byte, error) { return json.Marshal(a.String()) }

// Seconds is a duration: in JSON seconds with three decimals.
type Seconds time.Duration

// MarshalJSON prints seconds with three decimals.
func (s Seconds) MarshalJSON() ([]byte, error) {
	ms := time.Duration(s).Milliseconds()
	return fmt.Appendf(nil, "%d.%03d", ms/1000, ms%1000), nil
}
