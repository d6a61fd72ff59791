package view

// The exit codes that no run comes to by itself; those of runs are in package jobs.
const (
	ExitConfig      = 40
	ExitLocked      = 60
	ExitInterrupted = 130
)
