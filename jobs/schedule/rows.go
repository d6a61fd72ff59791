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
	// FirstSeen is no occurrence: from this instant on those of a schedule are accounted for.
	FirstSeen = "first_seen"
)

// Row is an occurrence of a schedule and what became of it.
type Row struct {
	Schedule string // the job, its times and their zone
	Slot     time.Time
	Job      string
	State    string
	Missed   bool // it came due while nobody watched
	Why      string
	Run      string // the id of the run; empty when none was begun
	ExitCode int
	Begun    time.Time
	Ended    time.Time // zero while it runs, and of one that was put back
	Host     string
	Process  int
	Attempts int  // processes that began it
	Alive    bool // of a running one: its process lives; otherwise another may take it
}

// Seen is how far a schedule is accounted for.
type Seen struct {
	Known   bool
	Last    time.Time // the latest slot that has a row
	Running *Row      // at most one
}

// Rows remember what became of occurrences, for all processes that share them.
type Rows interface {
	// Seen tells how far a schedule is accounted for.
	Seen(ctx context.Context, schedule string) (Seen, error)
	// Know begins the account of a schedule at row.Slot, unless it is known; or where the last schedule of the same job
	// ended that is not among configured: its times were changed.
	Know(ctx context.Context, row Row, configured []string) error
	// Skip keeps rows that have none yet.
	Skip(ctx context.Context, rows []Row) error
	// Begin keeps a running row for this process. It is false when the occurrence has a row, or another one of the
	// schedule runs.
	Begin(ctx context.Context, row Row) (bool, error)
	// Retake gives this process a running row whose process is gone, for another attempt begun at begun. It is false when
	// somebody else was faster.
	Retake(ctx context.Context, row Row, begun time.Time) (bool, error)
	// Renew keeps a running row alive for another while. It is false when it is this process's no more.
	Renew(ctx context.Context, row Row) (bool, error)
	// End keeps what became of a running row of this process. One that stays running is put back: nobody has it.
	End(ctx context.Context, row Row) error
}
