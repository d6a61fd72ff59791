package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/mailing"
	"concilia/cmd/concilia/view"
	"concilia/jobs"
	"concilia/store/ledger"
)

// writePage prints what a command shows.
func (g *globals) writePage(p view.Page) error { return view.Write(g.stdout, g.json, g.Language, p) }

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

// concludeOrFail prints what a run came to, or that it came to nothing: with --json there is an object either way, but for a
// wrong command line or configuration. Then it sends the mail that waits, which changes nothing of it.
func (g *globals) concludeOrFail(ctx context.Context, s *jobs.Summary, err error, asOf ledger.Date) error {
	defer mailing.SendWaiting(ctx, &g.Process)
	if err == nil {
		return g.showSummary(s)
	}
	if code := exit.CodeOf(err); g.json && code != exit.Usage && code != exit.Config {
		_ = g.writePage(view.Summary{Summary: &jobs.Summary{AsOf: asOf, Verdict: ledger.Incomplete}}) // err is what matters
	}
	return err
}

// showSummary prints what a run came to, and ends with its exit code.
func (g *globals) showSummary(s *jobs.Summary) error {
	err := g.writePage(view.Summary{Summary: s, OneLine: g.Quiet})
	g.reportFailures(s)
	if err != nil {
		return err
	}
	if code := s.ExitCode(); code != exit.OK {
		return exit.Status(code)
	}
	return nil
}

// maxFailuresNamed bounds how many failures a run names one by one.
const maxFailuresNamed = 10

// reportFailures names on standard error what could not be pulled or published.
func (g *globals) reportFailures(s *jobs.Summary) {
	if s.Windows > 0 && len(s.FailedWindows) == s.Windows {
		err := s.Outage
		if err == nil {
			err = errors.New(s.FailedWindows[0].Failure)
		}
		fmt.Fprintf(g.Stderr, "concilia: nothing could be pulled: %v\n", err)
		if h := exit.HintOf(err); h != "" {
			fmt.Fprintf(g.Stderr, "hint: %s\n", h)
		}
		return
	}
	for i, p := range s.FailedWindows {
		if i == maxFailuresNamed {
			fmt.Fprintf(g.Stderr, "concilia: and %s failed\n", ledger.CountText(len(s.FailedWindows)-i, "more window", "more windows"))
			break
		}
		fmt.Fprintf(g.Stderr, "concilia: %s %s of account %s was not pulled: %s\n",
			p.Window.Source, p.Window.Period.From, p.Window.Account, p.Failure)
	}
	for _, err := range s.Unpublished {
		// What followed from the first fault adds nothing.
		first, _, _ := strings.Cut(err.Error(), "\n")
		fmt.Fprintf(g.Stderr, "concilia: not published: %s\n", first)
		if h := exit.HintOf(err); h != "" {
			fmt.Fprintf(g.Stderr, "hint: %s\n", h)
		}
	}
	if s.Left > 0 {
		fmt.Fprintln(g.Stderr, "hint: the same command goes on with what is left")
	}
	if n := len(s.FailedWindows); n > 0 {
		fmt.Fprintln(g.Stderr, "hint: run again later: what was pulled is kept, and only the missing days are asked for first")
	}
}
