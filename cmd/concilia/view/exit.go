package view

import "concilia/jobs"

// The exit codes that no run comes to by itself; those of runs are in package jobs.
const (
	ExitConfig      = 40
	ExitLocked      = 60
	ExitInterrupted = 130
)

// DescribeExit is an exit code in words.
func DescribeExit(code int) string {
	words := map[int]string{
		jobs.ExitOK: "reconciled", jobs.ExitWarnings: "warnings", jobs.ExitBreaks: "breaks", jobs.ExitIncomplete: "incomplete",
		ExitConfig:       "configuration, or refused credentials",
		jobs.ExitNothing: "service, ledger or target unreachable", ExitLocked: "another run holds the lock", ExitInterrupted: "interrupted",
	}
	if w, ok := words[code]; ok {
		return w
	}
	return "internal error"
}
