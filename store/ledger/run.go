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
	CheckRun     RunKind = "check"
)

// RunKinds are all kinds.
func RunKinds() []RunKind {
	return []RunKind{Nightly, PullRun, Backfill, ReconcileRun, ReportRun, CheckRun}
}

// Run is the record of one run. It is written when the run begins and once more when it ends, and never after; in between
// its steps alone are noted.
type Run struct {
	ID         string // sortable: the UTC instant it began, and a random tail
	Kind       RunKind
	Trigger    string            // person, or a cron occurrence
	Parameters map[string]string // flags of the command that were given, as given; never a secret
	AsOf       Date
	Clock      string // CONCILIA_CLOCK, when set
	Previous   string // the last run of the same kind that ended
	Began      time.Time
	Ended      time.Time
	TakenUp    bool              // the process that began it was killed or stopped, and another one ended it
	Engine     string            // version of the program
	Documents  map[string]string // name to SHA-256: contract, mapping, profile, calendar, rules, config; engine to its commit
	Accounts   []Account
	Pulled     Counts
	Asked      Asked
	Cases      CaseCounts
	Sums       map[string]Amount // by name, "cards.gross": what its periods come to; none of a run that judges nothing
	Sets       []RunSet          // of files, in the order in which they were published
	Steps      []RunStep         // in their order, over every process that was at it
	Verdict    Verdict
	Verdicts   map[Account]Verdict
	ExitCode   int // of one that has not ended: with what its last process stopped; 0: it goes on, or was killed
}

// Asked is what a run's questions came to beside the rows they brought. Of a run that was killed and taken up again it is
// all of both.
type Asked struct {
	Windows int64 // each once, however often it was asked
	Failed  int64 // of them: those never answered whole
	Retries int64 // requests made again for an answer
	Bytes   int64 // of bodies
}

// Add adds b's figures, of other windows.
func (a *Asked) Add(b Asked) {
	a.Windows += b.Windows
	a.Failed += b.Failed
	a.Retries += b.Retries
	a.Bytes += b.Bytes
}

// CaseCounts are the cases of a run's accounts at its end.
type CaseCounts struct {
	New        int64 // pending, open or reopened, and first seen in this run
	Persisting int64 // pending, open or reopened, and known before
	Resolved   int64 // by this run
	// Lost and Gained are the impacts of New and Persisting, apart: what came in excess never makes up for what is missing.
	Lost, Gained Amount
}

// Standing is how many cases stand.
func (c CaseCounts) Standing() int64 { return c.New + c.Persisting }

// RunSet names a revision of a set of files; what files it has, and their hashes, is kept with the set.
type RunSet struct {
	Account  string // digits, or all
	Basis    string
	Period   Period
	Filter   string
	Revision int
	New      bool // the run made it, else it stood and says what the run would have said
}

// RunStep is a step of a run and how long it took, in whichever processes. Of one that was killed the last seconds of its
// last step are not known.
type RunStep struct {
	Name string
	Took time.Duration
}

// RunID makes the id of a run that begins at t with a random tail of the caller's choice.
func RunID(t time.Time, tail string) string {
	return t.UTC().Format("20060102T150405.000Z") + "-" + tail
}

// Finished says whether the run ended by itself.
func (r *Run) Finished() bool { return !r.Ended.IsZero() }

// Took is how long the run took, from its begin to its end; 0 while it has none.
func (r *Run) Took() time.Duration {
	if !r.Finished() {
		return 0
	}
	return r.Ended.Sub(r.Began)
}
