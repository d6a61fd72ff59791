package main

import (
	"errors"
	"io"
	"sync"

	"concilia/cmd/concilia/exit"
)

// checkedOutput is standard output that remembers the write that failed, and writes nothing behind it: tables and printers
// pass over it, and a list that was cut short must not end with 0, nor with a hole in it.
type checkedOutput struct {
	to io.Writer

	mu  sync.Mutex
	err error // nil: every write arrived whole
}

// Write writes through.
func (o *checkedOutput) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.to.Write(p)
	o.err = err
	return n, err
}

// Unwrap is where it writes.
func (o *checkedOutput) Unwrap() io.Writer { return o.to }

// resultOf is what a command ended with. That its results could not be written takes the place of an outcome, whose code
// would claim that they were, and of an error that only repeats it; an error of the command's own stays.
func (o *checkedOutput) resultOf(ended error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	var code exit.Status
	if o.err == nil || ended != nil && !errors.As(ended, &code) && !errors.Is(ended, o.err) {
		return ended
	}
	return exit.NewOutputError(o.err)
}
