package table

import (
	"cmp"
	"strings"
)

// Language is that of headers, labels and sheet names.
type Language string

// The languages.
const (
	Portuguese Language = "pt-BR"
	English    Language = "en"
)

// Heading is the column's header in the language.
func (c *Column) Heading(l Language) string {
	if l == English {
		return c.HeaderEN
	}
	return c.Header
}

// Label is what people read for an id, or for each of a list of them.
func (c *Column) Label(l Language, id string) string {
	if l == English {
		return id
	}
	if c.Type == TypeList && len(c.Labels) > 0 {
		ids := strings.Split(id, "|")
		for i := range ids {
			ids[i] = cmp.Or(c.Labels[ids[i]], ids[i])
		}
		return strings.Join(ids, "|")
	}
	if s, ok := c.Labels[id]; ok {
		return s
	}
	return id
}
