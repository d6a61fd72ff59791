package schedule

import (
	"context"
	"time"
)

// The states of an occurrence.
const (
	Running  = "running"
	Ran      = "run"
	CaughtUp = "caught_up"
	Skipped  = "skipped"
	// FirstSeen marks no occurrence but the instant from which the occurrences of a schedule are accounted for.
	FirstSeen = "first_seen"
)

// Row is an occurrence of a schedule and its outcome.
type Row struct {
	Schedule string // the job, its times and their zone
	Slot     time.Time
	Job      string
	State    string
	Missed   bool // it came due while no process was watching
	Why      string
	Run      string // the id of the run; empty when none was begun
	ExitCode int
	Begun    time.Time
	Ended    time.Time // zero while it runs, and after it was put back
	Host     string
	Process  int
	Attempts int  // number of processes that began it
	Alive    bool // of a running occurrence: its process is alive; otherwise another may take it over
}

// Seen is how far a schedule is accounted for.
type Seen struct {
	Known   bool
	Last    time.Time // the latest slot that has a row
	Running *Row      // at most one
}

// Rows stores the occurrences, for all processes that share them.
type Rows interface {
	// Seen returns how far a schedule is accounted for.
	Seen(ctx context.Context, schedule string) (Seen, error)
	// Know starts to account for a schedule at row.Slot unless it is known. If an earlier schedule of the same job is no
	// longer among configured, because its times were changed, it starts where that one ended.
	Know(ctx context.Context, row Row, configured []string) error
	// Skip inserts the rows that do not exist yet.
	Skip(ctx context.Context, rows []Row) error
	// Begin inserts a running row for this process. It returns false if the occurrence has a row, or another occurrence
	// of the schedule is running.
	Begin(ctx context.Context, row Row) (bool, error)
	// Retake gives this process a running row whose process is gone, for another attempt that begins at begun. It
	// returns false if another process was faster.
	Retake(ctx context.Context, row Row, begun time.Time) (bool, error)
	// Renew extends a running row. It returns false if the row no longer belongs to this process.
	Renew(ctx context.Context, row Row) (bool, error)
	// End writes the outcome of a running row of this process. A row that stays running is put back and belongs to no
	// process.
	End(ctx context.Context, row Row) error
}
