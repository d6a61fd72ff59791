package jobs

import "concilia/store/ledger"

// The exit codes of a run that came to its end.
const (
	ExitOK         = 0
	ExitWarnings   = 10 // an open case of severity warning, or money not attributed
	ExitBreaks     = 20 // an open case of severity error
	ExitIncomplete = 30 // a critical finding, a failed window, a failed publication
	ExitNothing    = 50 // nothing could be pulled
)

// ExitCode is the first that holds of the run, the gravest first.
func (s *Summary) ExitCode() int {
	switch {
	case s.Windows > 0 && len(s.FailedWindows) == s.Windows:
		return ExitNothing
	case len(s.FailedWindows) > 0, len(s.Unpublished) > 0, s.Verdict == ledger.Incomplete, s.Worst == ledger.Critical:
		return ExitIncomplete
	case s.Worst == ledger.Error:
		return ExitBreaks
	case s.Worst == ledger.Warning, s.NotAttributed:
		return ExitWarnings
	}
	return ExitOK
}
