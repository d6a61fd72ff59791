package table

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

// Label is what the workbook shows for an id.
func (c *Column) Label(l Language, id string) string {
	if l == English {
		return id
	}
	if s, ok := c.Labels[id]; ok {
		return s
	}
	return id
}
