package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/mailing"
	"concilia/cmd/concilia/view/runview"
	"concilia/export/words"
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

// causeOf is why a window failed: the error itself where this process asked, else what another one kept of it.
func causeOf(s *jobs.Summary, p *ledger.Pull) error {
	return cmp.Or(s.FailureCauses[p.Failure], errors.New(p.Failure))
}

// maxFailuresNamed bounds how many failures a run names one by one.
const maxFailuresNamed = 10

// ReportFailures names on standard error what could not be pulled or published.
func (inv *Invocation) ReportFailures(s *jobs.Summary) {
	if s.Windows > 0 && len(s.FailedWindows) == s.Windows {
		err := cmp.Or(s.Outage, s.WrongAddress, causeOf(s, &s.FailedWindows[0]))
		exit.Print(inv.Stderr, words.NewFault("error.nothing_pulled", "", "cause", err), inv.Language)
		return
	}
	for i := range s.FailedWindows {
		p := &s.FailedWindows[i]
		if i == maxFailuresNamed {
			fmt.Fprintf(inv.Stderr, "concilia: %s\n", words.Text(inv.Language, "error.more_windows_failed", "n", len(s.FailedWindows)-i))
			break
		}
		fmt.Fprintf(inv.Stderr, "concilia: %s\n", words.Text(inv.Language, "error.not_pulled", "list", words.Label(inv.Language, "source", string(p.Window.Source)),
			"day", p.Window.Period.From, "account", p.Window.Account, "why", exit.TextOf(causeOf(s, p), inv.Language)))
	}
	for _, err := range s.Unpublished {
		// What followed from the first fault adds nothing.
		first, _, _ := strings.Cut(exit.TextOf(err, inv.Language), "\n")
		fmt.Fprintf(inv.Stderr, "concilia: %s\n", words.Text(inv.Language, "error.not_published", "why", first))
		exit.PrintHint(inv.Stderr, exit.HintOf(err, inv.Language), inv.Language)
	}
	if s.Left > 0 {
		exit.PrintHint(inv.Stderr, words.Text(inv.Language, "hint.goes_on"), inv.Language)
	}
	switch {
	case s.WrongAddress != nil:
		exit.PrintHint(inv.Stderr, exit.HintOf(s.WrongAddress, inv.Language), inv.Language)
	case len(s.FailedWindows) > 0:
		exit.PrintHint(inv.Stderr, words.Text(inv.Language, "hint.run_again"), inv.Language)
	}
}
