package progress

import (
	"io"
	"os"

	"golang.org/x/term"
)

// TerminalOf returns the terminal that a writer ends in, if it ends in one.
func TerminalOf(w io.Writer) (*os.File, bool) {
	switch inner := w.(type) {
	case interface{ Unwrap() io.Writer }:
		return TerminalOf(inner.Unwrap())
	case *os.File:
		return inner, term.IsTerminal(int(inner.Fd()))
	}
	return nil, false
}
