package main

import (
	"errors"
	"fmt"
	"strings"

	"concilia/cmd/concilia/view"
	"concilia/jobs"
	"concilia/store/ledger"
)

// ended prints what a run came to, or that it came to nothing: with --json there is an object either way, but for a
// wrong command line or configuration.
func (g *globals) ended(s *jobs.Summary, err error, asOf ledger.Date) error {
	if err == nil {
		return g.conclude(s)
	}
	if code := exitCode(err); g.json && code != exitUsage && code != exitConfig {
		_ = g.show(view.Summary{Summary: &jobs.Summary{AsOf: asOf, Verdict: ledger.Incomplete}}) // err is what matters
	}
	return err
}

// conclude prints what a run came to, and ends with its exit code.
func (g *globals) conclude(s *jobs.Summary) error {
	err := g.show(view.Summary{Summary: s, OneLine: g.quiet})
	g.complain(s)
	if err != nil {
		return err
	}
	if code := s.ExitCode(); code != exitOK {
		return codeError(code)
	}
	return nil
}

// maxComplaints bounds how many failures a run names one by one.
const maxComplaints = 10

// complain names on standard error what could not be pulled or published.
func (g *globals) complain(s *jobs.Summary) {
	if s.Windows > 0 && len(s.FailedWindows) == s.Windows {
		err := s.Outage
		if err == nil {
			err = errors.New(s.FailedWindows[0].Failure)
		}
		fmt.Fprintf(g.stderr, "concilia: nothing could be pulled: %v\n", err)
		if h := hint(err); h != "" {
			fmt.Fprintf(g.stderr, "hint: %s\n", h)
		}
		return
	}
	for i, p := range s.FailedWindows {
		if i == maxComplaints {
			fmt.Fprintf(g.stderr, "concilia: and %s failed\n", view.Plural(len(s.FailedWindows)-i, "more window", "more windows"))
			break
		}
		fmt.Fprintf(g.stderr, "concilia: %s %s of account %s was not pulled: %s\n",
			p.Window.Source, p.Window.Period.From, p.Window.Account, p.Failure)
	}
	for _, err := range s.Unpublished {
		// What followed from the first fault says nothing new.
		first, _, _ := strings.Cut(err.Error(), "\n")
		fmt.Fprintf(g.stderr, "concilia: not published: %s\n", first)
		if h := hint(err); h != "" {
			fmt.Fprintf(g.stderr, "hint: %s\n", h)
		}
	}
	if s.Left > 0 {
		fmt.Fprintln(g.stderr, "hint: the same command goes on with what is left")
	}
	if n := len(s.FailedWindows); n > 0 {
		fmt.Fprintln(g.stderr, "hint: run again later: what was pulled is kept, and only the missing days are asked for first")
	}
}
