package command

import (
	"io"

	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/wire"
)

// Invocation is one call of the program, as every command sees it: what the process has, where results go, and the options that come
// before the command.
type Invocation struct {
	wire.Process
	Stdout io.Writer
	// Exact is standard output without escapes, for what is not text of ours.
	Exact io.Writer
	// Environ are all variables, NAME=value, to find those that no setting has; nil: unknown.
	Environ func() []string
	JSON    bool
	Lang    string // --lang
}

// DefaultConfig is the configuration file of a command that names none.
const DefaultConfig = "concilia.yaml"

// WritePage prints what a command shows: with --json as one object, else as text.
func (inv *Invocation) WritePage(p view.Page) error {
	return view.Write(inv.Stdout, inv.JSON, inv.Language, p)
}

// WriteLines prints a list: with --json an object a line, else the page as text.
func WriteLines[T any](inv *Invocation, lines []T, p view.Page) error {
	return view.WriteLines(inv.Stdout, inv.JSON, inv.Language, lines, p)
}
