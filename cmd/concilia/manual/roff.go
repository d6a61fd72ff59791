package manual

import "strings"

// escapeSigns is text of which no sign is an order to the formatter.
func escapeSigns(text string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`, "`", `\(ga`, "'", `\(aq`, "~", `\(ti`, "^", `\(ha`).Replace(text)
}

// escapeRoff is a line that means itself: nothing in it is an order to the formatter.
func escapeRoff(text string) string {
	if text = escapeSigns(text); strings.HasPrefix(text, ".") {
		text = `\&` + text
	}
	return text
}

// quoteRoff is an argument of an order.
func quoteRoff(text string) string {
	return `"` + strings.ReplaceAll(escapeRoff(text), `"`, `\(dq`) + `"`
}
