package main

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"concilia/cmd/concilia/view"
)

// show prints what a command shows.
func (g *globals) show(p view.Page) error { return view.Write(g.stdout, g.json, p) }

// heldOutput is standard output that remembers the write that failed, and writes nothing behind it: tables and printers
// pass over it, and a list that was cut short must not end with 0, nor with a hole in it.
type heldOutput struct {
	to io.Writer

	mu  sync.Mutex
	err error // nil: every write arrived whole
}

// Write writes through.
func (o *heldOutput) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.to.Write(p)
	o.err = err
	return n, err
}

// failed is what a command ended with. That its results could not be written takes the place of an outcome, whose code
// would say that they were, and of an error that only repeats it; an error of the command's own stays.
func (o *heldOutput) failed(ended error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	var code codeError
	if o.err == nil || ended != nil && !errors.As(ended, &code) && !errors.Is(ended, o.err) {
		return ended
	}
	return &outputError{o.err}
}

// outputError is of results that could not be written where they were to go.
type outputError struct{ err error }

func (e *outputError) Error() string { return fmt.Sprintf("print the results: %v", e.err) }

// Unwrap is the cause.
func (e *outputError) Unwrap() error { return e.err }
