package jobs

import (
	"context"

	"concilia/store/ledger"
)

// The exit codes of a run that was not interrupted.
const (
	ExitOK         = 0
	ExitWarnings   = 10 // an open case of severity warning, or money not attributed
	ExitBreaks     = 20 // an open case of severity error
	ExitIncomplete = 30 // a critical finding, a failed window, a failed publication
	ExitNothing    = 50 // nothing could be pulled, or the target became unreachable
)

// ExitCode is the exit code of the run: the most serious one that applies.
func (s *Summary) ExitCode() int {
	switch {
	case s.Windows > 0 && len(s.FailedWindows) == s.Windows, s.Gone:
		return ExitNothing
	case len(s.FailedWindows) > 0, len(s.Unpublished) > 0, s.Left > 0, s.Verdict == ledger.Incomplete, s.Worst == ledger.Critical:
		return ExitIncomplete
	case s.Worst == ledger.Error:
		return ExitBreaks
	case s.Worst == ledger.Warning, s.NotAttributed:
		return ExitWarnings
	}
	return ExitOK
}

// nothing says that every window was asked for in vain.
func (p *pulled) nothing() bool { return p.windows > 0 && len(p.failed) == p.windows }

// nothingNew notes a night in which nobody answered. What waits for the target does not wait for the service, too.
func (w *Worker) nothingNew(ctx context.Context, run *ledger.Run, s *Summary, p *pulled) error {
	if err := w.took(ctx, run, s, p); err != nil {
		return err
	}
	return w.bring(ctx, run, s)
}

// took notes what asking came to, over all of the run: a night that was killed and taken up again counts once. What is
// asked twice to confirm it counts as requests alone.
func (w *Worker) took(ctx context.Context, run *ledger.Run, s *Summary, p *pulled) error {
	run.Pulled, run.Asked = ledger.Counts{}, ledger.RequestCounts{}
	for _, a := range w.Accounts {
		pulls, err := w.Ledger.PullsOfRun(ctx, a.Number, run.ID)
		if err != nil {
			return err
		}
		run.Asked.Add(askedOf(pulls))
		for _, pull := range pulls {
			if !pull.Complete || pull.Window.Reason == toConfirm {
				pull.Counts = ledger.Counts{Requests: pull.Counts.Requests}
			}
			run.Pulled.Add(pull.Counts)
		}
	}
	s.Pulled, s.Windows, s.FailedWindows, s.Outage = pulledOf(run.Pulled), p.windows, p.failed, p.reason
	if p.nothing() {
		s.Verdict = ledger.Incomplete
	}
	return nil
}
