package words

import "fmt"

// Refusal is why a file, or a part of one, is not taken in. Nothing of it was kept.
type Refusal struct {
	// ID is the stable name of the reason, such as cut or amount.
	ID string
	// Message says what is wrong and where, Remedy what to do.
	Message, Remedy Message
}

// NewRefusal is a refusal by the stable name of its reason and the ids of its message and its remedy, which share their values.
func NewRefusal(id, message, remedy string, values ...any) *Refusal {
	return &Refusal{id, Message{message, values}, Message{remedy, values}}
}

func (e *Refusal) Error() string { return e.In("en") }

// In is what is wrong and what to do, in a language.
func (e *Refusal) In(language string) string {
	return e.Message.In(language) + ": " + e.Remedy.In(language)
}

// Quote is foreign text as a message repeats it: the first characters of it, at most so many, in quotes and escaped.
func Quote(text string, most int) string { return fmt.Sprintf("%.*q", most, text) }

// Either is one of several names, which a message leaves open; there are at least two.
func Either(names []string) Message {
	all := NewMessage("refused.or", "one", names[0], "other", names[1])
	for _, name := range names[2:] {
		all = NewMessage("refused.or", "one", all, "other", name)
	}
	return all
}
