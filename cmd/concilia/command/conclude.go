package command

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/mailing"
	"concilia/cmd/concilia/view/runview"
	"concilia/jobs"
	"concilia/store/ledger"
)

// ConcludeOrFail prints what a run came to, or that it came to nothing: with --json there is an object either way, but for a
// wrong command line or configuration. Then it sends the mail that waits, which changes nothing of it.
func (inv *Invocation) ConcludeOrFail(ctx context.Context, s *jobs.Summary, err error, asOf ledger.Date) error {
	defer mailing.SendWaiting(ctx, &inv.Process)
	if err == nil {
		return inv.showSummary(s)
	}
	if code := exit.CodeOf(err); inv.JSON && code != exit.Usage && code != exit.Config {
		_ = inv.WritePage(runview.Summary{Summary: &jobs.Summary{AsOf: asOf, Verdict: ledger.Incomplete}}) // err is what matters
	}
	return err
}

// showSummary prints what a run came to, and ends with its exit code.
func (inv *Invocation) showSummary(s *jobs.Summary) error {
	err := inv.WritePage(runview.Summary{Summary: s, OneLine: inv.Quiet})
	inv.ReportFailures(s)
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

// ReportFailures names on standard error what could not be pulled or published.
func (inv *Invocation) ReportFailures(s *jobs.Summary) {
	if s.Windows > 0 && len(s.FailedWindows) == s.Windows {
		err := s.Outage
		if err == nil {
			err = errors.New(s.FailedWindows[0].Failure)
		}
		fmt.Fprintf(inv.Stderr, "concilia: nothing could be pulled: %v\n", err)
		if h := exit.HintOf(err); h != "" {
			fmt.Fprintf(inv.Stderr, "hint: %s\n", h)
		}
		return
	}
	for i, p := range s.FailedWindows {
		if i == maxFailuresNamed {
			fmt.Fprintf(inv.Stderr, "concilia: and %s failed\n", ledger.CountText(len(s.FailedWindows)-i, "more window", "more windows"))
			break
		}
		fmt.Fprintf(inv.Stderr, "concilia: %s %s of account %s was not pulled: %s\n",
			p.Window.Source, p.Window.Period.From, p.Window.Account, p.Failure)
	}
	for _, err := range s.Unpublished {
		// What followed from the first fault adds nothing.
		first, _, _ := strings.Cut(err.Error(), "\n")
		fmt.Fprintf(inv.Stderr, "concilia: not published: %s\n", first)
		if h := exit.HintOf(err); h != "" {
			fmt.Fprintf(inv.Stderr, "hint: %s\n", h)
		}
	}
	if s.Left > 0 {
		fmt.Fprintln(inv.Stderr, "hint: the same command goes on with what is left")
	}
	if n := len(s.FailedWindows); n > 0 {
		fmt.Fprintln(inv.Stderr, "hint: run again later: what was pulled is kept, and only the missing days are asked for first")
	}
}
