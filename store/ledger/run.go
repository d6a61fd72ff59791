package ledger

import "time"

// RunKind says what a run was started to do.
type RunKind string

// The kinds of runs.
const (
	Nightly      RunKind = "nightly"
	PullRun      RunKind = "pull"
	Backfill     RunKind = "backfill"
	ReconcileRun RunKind = "reconcile"
	ReportRun    RunKind = "report"
)

// Run is the record of one run. It is written when the run begins and once more when it ends, and never after.
type Run struct {
	ID        string // sortable: the UTC instant it began, and a random tail
	Kind      RunKind
	Trigger   string // person, or a cron occurrence
	AsOf      Date
	Clock     string // CONCILIA_CLOCK, when set
	Previous  string // the last run of the same kind that ended
	Began     time.Time
	Ended     time.Time
	Engine    string            // version of the program
	Documents map[string]string // name to SHA-256: contract, mapping, profile, calendar, rules, config
	Accounts  []Account
	Pulled    Counts
	Verdict   Verdict
	Verdicts  map[Account]Verdict
	ExitCode  int
}

// RunID makes the id of a run that begins at t with a random tail of the caller's choice.
func RunID(t time.Time, tail string) string {
	return t.UTC().Format("20060102T150405.000Z") + "-" + tail
}

// Finished says whether the run ended by itself.
func (r *Run) Finished() bool { return !r.Ended.IsZero() }
