package ledger

import (
	"fmt"
	"strings"
	"time"
)

// RunKind is the kind of a run.
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
	Resumed        bool              // its first process was killed or stopped, and another one continued it
	ProgramVersion string            // version of the program
	Documents      map[string]string // name to SHA-256: contract, mapping, profile, calendar, rules, config; engine to its commit
	Accounts       []Account
	Pulled         Counts
	Asked          RequestCounts
	Cases          CaseCounts
	ArchiveRemoved int64             // files that it removed from the archive for their age
	Figures        Figures           // of its accounts' cases at its end; zero for a run that evaluates no rules
	Sums           map[string]Amount // totals of its periods by name, such as "cards.gross"; nil for a run that evaluates no rules
	Sets           []RunReportSet    // of files, in the order in which they were published
	Steps          []RunStep         // in order, over all processes of the run
	Verdict        Verdict
	Verdicts       map[Account]Verdict
	ExitCode       int // of an unfinished run: that of its last process; 0: running, or killed
}

// RequestCounts counts a run's requests and answers, without the rows. A run that was killed and continued has the sum of all
// its processes.
type RequestCounts struct {
	Windows int64 // each counts once, even if it was requested several times
	Failed  int64 // of them: those without a complete answer
	Retries int64 // requests made again for an answer
	Bytes   int64 // of bodies
}

// Add adds the counts of b, which must be of other windows.
func (a *RequestCounts) Add(b RequestCounts) {
	a.Windows += b.Windows
	a.Failed += b.Failed
	a.Retries += b.Retries
	a.Bytes += b.Bytes
}

// CaseCounts counts the cases of a run's accounts at its end.
type CaseCounts struct {
	New        int64 // neither resolved nor closed, and first seen in this run
	Persisting int64 // neither resolved nor closed, and first seen before
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

// UnitKind is the kind of a unit of work.
type UnitKind string

// The kinds of units. WorkUnit.What is a day of a list (pull), a range of days of a list (lane), or chosen by the job.
const (
	PullUnit      UnitKind = "pull"      // one day of one list, requested and kept
	RangeUnit     UnitKind = "lane"      // a range of days of one list, in windows as wide as the answers allow
	ReconcileUnit UnitKind = "reconcile" // the rules over one account
	RenderUnit    UnitKind = "render"    // one set of files
)

// UnitState is the state of a unit.
type UnitState string

// The states of a unit. Its run never repeats a unit that is done and may retry one that failed.
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
	What     string // of kind pull or lane: source/YYYYMMDD, or source/YYYYMMDD-YYYYMMDD
	State    UnitState
	Reason   string // why it was planned, for people
	Attempts int
	Rows     int64     // of a pull that is done: rows of the answer that lie on its day
	Hash     string    // SHA-256 of its result, hex; of a pull: of the body as received
	Failure  string    // why it failed
	Worker   string    // the worker that leased it last
	Until    time.Time // end of its lease, wall clock, UTC; zero unless leased
	Result   []byte    // what the run needs of it and the ledger does not have; in the job's own format
}

// UnitOfWindow returns the planned unit of a run that requests the window.
func UnitOfWindow(run string, kind UnitKind, w Window) WorkUnit {
	what := string(w.Source) + "/" + w.Period.From.Compact()
	if w.Period.To != w.Period.From {
		what += "-" + w.Period.To.Compact()
	}
	return WorkUnit{Account: w.Account, Run: run, Kind: kind, What: what, State: UnitPlanned, Reason: w.Reason}
}

// Window returns the window that a unit of kind pull or lane requests.
func (u *WorkUnit) Window() (Window, error) {
	w := Window{Account: u.Account, Reason: u.Reason}
	source, days, ok := strings.Cut(u.What, "/")
	if !ok {
		return w, fmt.Errorf("unit %q names no window", u.What)
	}
	from, to, isRange := strings.Cut(days, "-")
	if !isRange {
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

// Alert is a message to one receiver, delivered once. Its first five members are its key.
type Alert struct {
	Account   Account // 0: about no account in particular
	Happened  string  // what happened: incomplete, first_break, budget, silence or no_run; digest: a morning by mail
	Cause     string  // distinguishes alerts of one kind: the day of no_run, the source of silence; may be empty
	Run       string  // the run in which it happened; empty: none
	Receiver  string  // hash of the address or command that gets it
	Body      string  // the message, JSON; it names no payer
	Raised    time.Time
	Delivered time.Time // when it was delivered; zero: not yet
	Failure   string    // why the last attempt failed, without secrets; empty if none did
}

// ChainEnd is where a chain of records ended at some time: the records of runs in the order in which they ended, or what the
// reconciles of an account concluded. Its digest is over all of the chain up to there, so that a ledger without that end was changed,
// or cut off, before it.
type ChainEnd struct {
	Account Account // 0: the records of runs
	Number  int64   // of the last record, from 1; 0 before the first
	Digest  string  // empty before the first
}
