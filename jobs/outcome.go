package jobs

import (
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
