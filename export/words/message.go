package words

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Message is a text that is not in a language yet: what an error carries until it is known who reads it.
type Message struct {
	ID     string // as for Text; empty: no text
	Values []any  // as for Text; messages, lists of them, errors and Labelled among them are put into the same language
}

// Labelled is an id as a value of a message: the message has what Label says of it.
type Labelled struct{ Kind, ID string }

// NewMessage is a message with its values.
func NewMessage(id string, values ...any) Message { return Message{id, values} }

// In is the message in a language; several messages in one value are parted by semicolons.
func (m Message) In(language string) string {
	if m.ID == "" {
		return ""
	}
	values := make([]any, len(m.Values))
	for i, v := range m.Values {
		switch v := v.(type) {
		case Message:
			values[i] = v.In(language)
		case Labelled:
			values[i] = Label(language, v.Kind, v.ID)
		case []Message:
			values[i] = JoinMessages(language, v)
		case error:
			values[i] = TextOf(v, language)
		default:
			values[i] = v
		}
	}
	return Text(language, m.ID, values...)
}

// Pack is the message as one text, for what keeps it until it is known who reads it; Unpack reads it. Its values are texts by then.
func (m Message) Pack() string {
	packed, err := json.Marshal(m.listParts())
	if err != nil {
		return m.String() // texts and lists of them are always written
	}
	return string(packed)
}

// listParts returns the id of the message, and the names and values behind it.
func (m Message) listParts() []any {
	parts := []any{m.ID}
	for _, v := range m.Values {
		if within, ok := v.(Message); ok {
			parts = append(parts, within.listParts())
			continue
		}
		parts = append(parts, fmt.Sprint(v))
	}
	return parts
}

// Unpack is the message of a packed text. A text that is none is what the message says in any language.
func Unpack(text string) Message {
	var parts []any
	if json.Unmarshal([]byte(text), &parts) == nil {
		if m, ok := messageOf(parts); ok {
			return m
		}
	}
	return NewMessage("problem.text", "cause", text)
}

// messageOf is the message of its parts; false: they are of none.
func messageOf(parts []any) (m Message, ok bool) {
	if len(parts)%2 == 0 {
		return m, false
	}
	if m.ID, ok = parts[0].(string); !ok || !Has(m.ID) {
		return m, false
	}
	for _, v := range parts[1:] {
		if within, isList := v.([]any); isList {
			if v, ok = messageOf(within); !ok {
				return m, false
			}
		}
		m.Values = append(m.Values, v)
	}
	return m, true
}

// JoinMessages are messages in a language, parted by semicolons.
func JoinMessages[L ~string](language L, all []Message) string {
	texts := make([]string, len(all))
	for i := range all {
		texts[i] = all[i].In(string(language))
	}
	return strings.Join(texts, "; ")
}

// String is the message in English: so logs, records and JSON have it.
func (m Message) String() string { return m.In("en") }

// MarshalText is String.
func (m Message) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// Fault is what is wrong, and what to do about it (no id: nothing is known), for people. As an error it is English: logs, records and
// JSON have it that way in every language.
type Fault struct{ Text, Hint Message }

// NewFault is a fault of two texts, by their ids, that share their values. An empty hint is none.
func NewFault(text, hint string, values ...any) *Fault {
	return &Fault{Message{text, values}, Message{hint, values}}
}

func (e *Fault) Error() string { return e.Text.In("en") }

// Unwrap is the errors among the values of what is wrong: its causes.
func (e *Fault) Unwrap() (causes []error) {
	for _, v := range e.Text.Values {
		if err, ok := v.(error); ok {
			causes = append(causes, err)
		}
	}
	return causes
}

// In is what is wrong, in a language.
func (e *Fault) In(language string) string { return e.Text.In(language) }

// HintIn is what to do about it, in a language; empty: nothing is known.
func (e *Fault) HintIn(language string) string { return e.Hint.In(language) }

// TextOf is what an error says, in the language as far as its words are of these files. Of an error of the operating system
// it names the kind, if it is one that people meet, with the original behind it; what a library says stays as it is.
func TextOf(err error, language string) string {
	text := err.Error()
	if language == "en" {
		return text
	}
	for _, part := range spokenParts(err) {
		text = strings.Replace(text, part.Error(), part.In(language), 1)
	}
	return text
}

// HintOf is the hint of an error, or of one that it wraps, in a language; empty: it has none.
func HintOf(err error, language string) string {
	var ours interface {
		error
		HintIn(language string) string
	}
	if !errors.As(err, &ours) {
		return ""
	}
	return ours.HintIn(language)
}
