package config

import (
	"fmt"
	"io"
	"regexp"
)

// mask is what a secret prints as.
const mask = "***"

// Secret is text that is not printed: every verb of fmt and every encoder shows ***. The zero Secret is empty.
type Secret struct{ text string }

// Reveal returns the text, for sending it.
func (s Secret) Reveal() string { return s.text }

// Empty reports whether there is no secret.
func (s Secret) Empty() bool { return s.text == "" }

// String is ***, or empty for no secret.
func (s Secret) String() string {
	if s.Empty() {
		return ""
	}
	return mask
}

// GoString is String: %#v shows no more than %v.
func (s Secret) GoString() string { return s.String() }

// Format writes String for every verb, %x and %d among them.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// MarshalText is String.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalJSON is String in quotes; loggers use it rather than MarshalText.
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + s.String() + `"`), nil }

// MarshalYAML is String.
func (s Secret) MarshalYAML() (any, error) { return s.String(), nil }

// UnmarshalText takes the text from a variable of the environment.
func (s *Secret) UnmarshalText(b []byte) error {
	s.text = string(b)
	return nil
}

// DSN names a database. A password in it does not print.
type DSN string

var (
	dsnUser     = regexp.MustCompile(`(://[^:@/]*):.*@`)
	dsnPassword = regexp.MustCompile(`(?i)(password=)[^&\s]*`)
)

// String is the DSN with its password as ***.
func (d DSN) String() string {
	s := dsnUser.ReplaceAllString(string(d), "${1}:"+mask+"@")
	return dsnPassword.ReplaceAllString(s, "${1}"+mask)
}

// Reveal returns the DSN as configured, for opening the database.
func (d DSN) Reveal() string { return string(d) }

// GoString is String.
func (d DSN) GoString() string { return d.String() }

// Format writes String for every verb.
func (d DSN) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, d.String()) }

// MarshalText is String.
func (d DSN) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// MarshalYAML is String.
func (d DSN) MarshalYAML() (any, error) { return d.String(), nil }

// UnmarshalText takes the text from a variable of the environment.
func (d *DSN) UnmarshalText(b []byte) error {
	*d = DSN(b)
	return nil
}
