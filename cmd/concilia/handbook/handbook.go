// Package handbook holds the pages for people: how to install and operate concilia, what its reports and cases say, and
// what to do when something is lost. `concilia help TOPIC` prints a page, `concilia man TOPIC` its manual page.
//
// A page is Markdown, a file per topic in pt-BR and in en. Both languages have every topic and the same command lines. A
// block marked console holds commands that a test runs, in the order of the page, against the ledger of the demo; a block
// marked text shows what is not run (a service unit, a command of another program, a name of a file).
package handbook

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed en pt-BR
var pages embed.FS

// Languages are the languages every topic is written in; the first is the default.
var Languages = []string{"en", "pt-BR"}

// Topics are the pages in the order in which a newcomer reads them.
var Topics = []string{
	"first-night", "three-mornings", "console", "morning", "mail", "find", "claims", "closing", "install", "operate", "differences", "figures", "reports", "bank", "sales", "erp", "accountant", "notifications", "many-machines", "security",
	"disaster", "upgrade", "sandbox",
}

// Page is the Markdown of a topic in a language ("en", "pt-BR"). It fails for a topic or language that there is not.
func Page(language, topic string) (string, error) {
	text, err := pages.ReadFile(language + "/" + topic + ".md")
	if err != nil {
		return "", fmt.Errorf("the handbook has no page %q in %q: its topics are %s", topic, language, strings.Join(Topics, ", "))
	}
	return string(text), nil
}

// Title is the heading of a page: its first line without the mark.
func Title(page string) string {
	line, _, _ := strings.Cut(page, "\n")
	return strings.TrimPrefix(line, "# ")
}

// Block is a fenced part of a page.
type Block struct {
	Kind string // what the fence is marked with: console, text, yaml, ini
	Text string // the lines within, each ended by a newline
	Line int    // of the fence, counted from 1
}

// Blocks are the fenced parts of a page, in its order. Indented fences belong to lists and are read alike.
func Blocks(page string) []Block {
	var blocks []Block
	var open *Block
	number, indent := 0, ""
	for line := range strings.Lines(page) {
		number++
		text := strings.TrimLeft(line, " ")
		kind, fence := strings.CutPrefix(text, "```")
		switch {
		case fence && open == nil:
			indent = line[:len(line)-len(text)]
			open = &Block{Kind: strings.TrimSpace(kind), Line: number}
		case fence:
			blocks = append(blocks, *open)
			open = nil
		case open != nil:
			open.Text += strings.TrimPrefix(line, indent)
		}
	}
	return blocks
}
