package ledger

import (
	"fmt"
	"strings"
	"time"
)

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
	ID             string // sortable: the UTC instant it began, and a random tail
	Kind           RunKind
	Trigger        string            // person, or a cron occurrence
	Parameters     map[string]string // flags of the command that were given, as given; never a secret
	AsOf           Date
	Clock          string // CONCILIA_CLOCK, when set
	Previous       string // the last finished run of the same kind
	Began          time.Time
	Ended          time.Time
	Resumed        bool              // the process that began it was killed or stopped, and another one continued it
	ProgramVersion string            // version of the program
	Documents      map[string]string // name to SHA-256: contract, mapping, profile, calendar, rules, config; engine to its commit
	Accounts       []Account
	Pulled         Counts
	Asked          RequestCounts
	Cases          CaseCounts
	Figures        Figures           // of its accounts' cases at its end; zero for a run that judges nothing
	Sums           map[string]Amount // totals of its periods by name, such as "cards.gross"; nil for a run that judges nothing
	Sets           []RunReportSet    // of files, in the order in which they were published
	Steps          []RunStep         // in order, over all processes of the run
	Verdict        Verdict
	Verdicts       map[Account]Verdict
	ExitCode       int // of an unfinished run: that of its last process; 0: running, or killed
}

// RequestCounts counts a run's questions and answers, apart from the rows. A run that was killed and continued has the sum of
// all its processes.
type RequestCounts struct {
	Windows int64 // each once, however often it was asked
	Failed  int64 // of them: those never answered whole
	Retries int64 // requests made again for an answer
	Bytes   int64 // of bodies
}

// Add adds the figures of b, which must be of other windows.
func (a *RequestCounts) Add(b RequestCounts) {
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

// RunReportSet identifies a revision of a set of files. The files and their hashes are kept with the set.
type RunReportSet struct {
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

// UnitKind says what a unit of work is.
type UnitKind string

// The kinds of units. What names a day of a list (pull), a range of days of a list (lane), or is for the job to choose.
const (
	PullUnit      UnitKind = "pull"      // one day of one list, asked for and kept
	RangeUnit     UnitKind = "lane"      // the days of a range of one list, in windows as wide as its answers allow
	ReconcileUnit UnitKind = "reconcile" // the rules over one account
	RenderUnit    UnitKind = "render"    // one set of files
)

// UnitState says what became of a unit.
type UnitState string

// The states of a unit. One that is done is never done again by its run; one that failed may be tried again by it.
const (
	UnitPlanned UnitState = "planned"
	UnitLeased  UnitState = "leased"
	UnitDone    UnitState = "done"
	UnitFailed  UnitState = "failed"
)

// WorkUnit is a piece of a run's work that any worker of the run may do. Account, Run, Kind and What are its key.
type WorkUnit struct {
	Account  Account
	Run      string
	Kind     UnitKind
	What     string // of a pull or a lane: source/YYYYMMDD, or source/YYYYMMDD-YYYYMMDD
	State    UnitState
	Reason   string // why it was planned, for people
	Attempts int
	Rows     int64     // of a pull that is done: rows of the answer that lie on its day
	Hash     string    // SHA-256 of what came of it, hex: of a pull the body as received
	Failure  string    // why it failed
	Worker   string    // who leased it last
	Until    time.Time // end of its lease, wall clock, UTC; zero unless leased
	Result   []byte    // what the run has to know of it beside the ledger; of the job's own form
}

// UnitOfWindow is the planned unit of a run that asks for the window.
func UnitOfWindow(run string, kind UnitKind, w Window) WorkUnit {
	what := string(w.Source) + "/" + w.Period.From.Compact()
	if w.Period.To != w.Period.From {
		what += "-" + w.Period.To.Compact()
	}
	return WorkUnit{Account: w.Account, Run: run, Kind: kind, What: what, State: UnitPlanned, Reason: w.Reason}
}

// Window is what a unit of a pull or a lane asks for.
func (u *WorkUnit) Window() (Window, error) {
	w := Window{Account: u.Account, Reason: u.Reason}
	source, days, ok := strings.Cut(u.What, "/")
	if !ok {
		return w, fmt.Errorf("unit %q names no window", u.What)
	}
	from, to, several := strings.Cut(days, "-")
	if !several {
		to = from
	}
	w.Source = Source(source)
	var err error
	if w.Period.From, err = parseCompact(from); err == nil {
		w.Period.To, err = parseCompact(to)
	}
	if err == nil {
		err = w.Period.Valid()
	}
	if err != nil {
		return w, fmt.Errorf("unit %q: %w", u.What, err)
	}
	return w, nil
}

// parseCompact reads YYYYMMDD.
func parseCompact(s string) (Date, error) {
	if len(s) != 8 {
		return 0, fmt.Errorf("%.40q: not a date (YYYYMMDD)", s)
	}
	return ParseDate(s[:4] + "-" + s[4:6] + "-" + s[6:])
}

// String names the unit for people and errors.
func (u *WorkUnit) String() string {
	return fmt.Sprintf("%s %s of account %s", u.Kind, u.What, u.Account)
}

// Alert is a message that one receiver is to get once. Its first five members are its key.
type Alert struct {
	Account   Account // 0: about no account in particular
	Happened  string  // what happened: incomplete, first_break, budget, silence or no_run
	Cause     string  // tells alerts of one kind apart: the day of no_run, the source of silence; may be empty
	Run       string  // in which it happened; empty: none
	Receiver  string  // hash of the address or command that gets it
	Body      string  // the message, JSON; it names no payer
	Raised    time.Time
	Delivered time.Time // when it was delivered; zero: not yet
	Failure   string    // why the last attempt failed, without secrets; empty if none did
}
