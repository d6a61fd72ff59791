package ledger

import "time"

// RunKind is what a run was started for.
type RunKind string

// The kinds of runs.
const (
	Nightly      RunKind = "nightly"
	PullRun      RunKind = "pull"
	Backfill     RunKind = "backfill"
	ReconcileRun RunKind = "reconcile"
	ReportRun    RunKind = "report"
	CheckRun     RunKind = "check"
)

// RunKinds are all kinds.
func RunKinds() []RunKind {
	return []RunKind{Nightly, PullRun, Backfill, ReconcileRun, ReportRun, CheckRun}
}

// Run is the record of one run. It is written when the run begins and completed when it ends, and never changed after
// that; in between only its steps are updated.
type Run struct {
	ID         string // sortable: the UTC instant it began, and a random tail
	Kind       RunKind
	Trigger    string            // person, or a cron occurrence
	Parameters map[string]string // flags of the command that were given, as given; never a secret
	AsOf       Date
	Clock      string // CONCILIA_CLOCK, when set
	Previous   string // the last finished run of the same kind
	Began      time.Time
	Ended      time.Time
	TakenUp    bool              // the process that began it was killed or stopped, and another one continued it
	Engine     string            // version of the program
	Documents  map[string]string // name to SHA-256: contract, mapping, profile, calendar, rules, config; engine to its commit
	Accounts   []Account
	Pulled     Counts
	Asked      Asked
	Cases      CaseCounts
	Figures    Figures           // of its accounts' cases at its end; zero for a run that judges nothing
	Sums       map[string]Amount // totals of its periods by name, such as "cards.gross"; nil for a run that judges nothing
	Sets       []RunSet          // of files, in the order in which they were published
	Steps      []RunStep         // in order, over all processes of the run
	Verdict    Verdict
	Verdicts   map[Account]Verdict
	ExitCode   int // of an unfinished run: that of its last process; 0: running, or killed
}

// Asked counts a run's questions and answers, apart from the rows. A run that was killed and continued has the sum of
// all its processes.
type Asked struct {
	Windows int64 // each once, however often it was asked
	Failed  int64 // of them: those never answered whole
	Retries int64 // requests made again for an answer
	Bytes   int64 // of bodies
}

// Add adds the figures of b, which must be of other windows.
func (a *Asked) Add(b Asked) {
	a.Windows += b.Windows
	a.Failed += b.Failed
	a.Retries += b.Retries
	a.Bytes += b.Bytes
}

// CaseCounts counts the cases of a run's accounts at its end.
type CaseCounts struct {
	New        int64 // neither resolved nor closed, and first seen in this run
	Persisting int64 // neither resolved nor closed, and known before
	Resolved   int64 // by this run
}

// Unresolved is the number of cases that are neither resolved nor closed.
func (c CaseCounts) Unresolved() int64 { return c.New + c.Persisting }

// RunSet identifies a revision of a set of files. The files and their hashes are kept with the set.
type RunSet struct {
	Account  string // digits, or all
	Basis    string
	Period   Period
	Filter   string
	Revision int
	New      bool // the run made it; otherwise it existed with the same content
}

// RunStep is a step of a run and how long it took, over all processes. The last seconds of a step that was killed are
// not included.
type RunStep struct {
	Name string
	Took time.Duration
}

// RunID returns the id of a run that begins at t; tail is a random text of the caller.
func RunID(t time.Time, tail string) string {
	return t.UTC().Format("20060102T150405.000Z") + "-" + tail
}

// Finished reports whether the run came to its end.
func (r *Run) Finished() bool { return !r.Ended.IsZero() }

// Evaluated reports whether the run evaluated the rules to its end: then it has counted its cases and added up their figures.
func (r *Run) Evaluated() bool {
	return len(r.Sums) > 0 && (r.Kind == Nightly || r.Kind == Backfill || r.Kind == ReconcileRun)
}

// Took is the time from the beginning to the end of the run; 0 until it ends.
func (r *Run) Took() time.Duration {
	if !r.Finished() {
		return 0
	}
	return r.Ended.Sub(r.Began)
}
