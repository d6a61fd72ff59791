package ledger

import (
	"fmt"
	"strings"
	"time"
)

// UnitKind says what a unit of work is.
type UnitKind string

// The kinds of units. What names a day of a list (pull), a range of days of a list (lane), or is for the job to choose.
const (
	PullUnit      UnitKind = "pull"      // one day of one list, asked for and kept
	LaneUnit      UnitKind = "lane"      // the days of a range of one list, in windows as wide as its answers allow
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
