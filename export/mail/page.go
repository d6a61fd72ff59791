package mail

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Page is what a message says.
type Page struct {
	Language string // of the reader, such as pt-BR
	Title    string
	Good     bool   // of the headline: nothing is missing
	Headline string // the one thing to know
	Lines    []string
	Sections []Section
	Links    []Link
	Foot     string
}

// Section is a part of a page under a title of its own.
type Section struct {
	Title string
	Note  string // next to the title
	Rows  []Row
	After string // behind the rows, such as how many more there are
}

// Row is a line of a section: what it is about, what there is to say about it, and its amount.
type Row struct {
	Text   string
	Link   string // of the text; empty: none
	Note   string
	Amount string
}

// Link is an address with its words.
type Link struct{ Text, Address string }

// maxTextLength bounds, in bytes, a text that comes from data.
const maxTextLength = 600

// plainLine makes a text one line: a line break or another control character in a name must not begin a line of its own, in a body or in
// a header.
func plainLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		if unicode.Is(unicode.Cf, r) { // directions would show another text than was written
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	if len(s) <= maxTextLength {
		return s
	}
	cut := maxTextLength
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

//go:embed page.tmpl
var layout string

// writeHTML writes the page as HTML.
func (p *Page) writeHTML() (string, error) {
	t, err := template.New("page").Funcs(template.FuncMap{"line": plainLine}).Parse(layout)
	if err != nil {
		return "", fmt.Errorf("the layout of mails: %w", err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, p); err != nil {
		return "", fmt.Errorf("write a mail: %w", err)
	}
	return b.String(), nil
}

// writeText writes the page as plain text.
func (p *Page) writeText() string {
	var b strings.Builder
	line := func(parts ...string) {
		for _, part := range parts {
			b.WriteString(plainLine(part))
		}
		b.WriteByte('\n')
	}
	line(p.Title)
	line()
	line(p.Headline)
	for _, text := range p.Lines {
		line(text)
	}
	for _, s := range p.Sections {
		line()
		title := strings.ToUpper(s.Title)
		if s.Note != "" {
			title += " · " + s.Note
		}
		line(title)
		for _, r := range s.Rows {
			text := "- " + r.Text
			switch {
			case r.Amount == "":
			case strings.HasSuffix(r.Text, "."): // of a sentence
				text += " " + r.Amount
			default:
				text += ": " + r.Amount
			}
			line(text)
			if r.Note != "" {
				line("  ", r.Note)
			}
			if r.Link != "" {
				line("  ", r.Link)
			}
		}
		if s.After != "" {
			line("  ", s.After)
		}
	}
	if len(p.Links) > 0 {
		line()
	}
	for _, l := range p.Links {
		line(l.Text, ": ", l.Address)
	}
	if p.Foot != "" {
		line()
		line(p.Foot)
	}
	return b.String()
}
