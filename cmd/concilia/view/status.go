package view

import (
	"fmt"
	"io"
	"strings"
	"time"

	"concilia/export/report"
	"concilia/jobs/casework"
	"concilia/store/ledger"
)

// Status is the current state on one screen.
type Status struct {
	Now        Instant            `json:"now"`
	AsOf       ledger.Date        `json:"as_of"`
	Ledger     StatusLedger       `json:"ledger"`
	LastNight  *Run               `json:"last_night,omitempty"`
	Unfinished *Run               `json:"unfinished_night,omitempty"`
	Coverage   []StatusCoverage   `json:"coverage"`
	Figures    report.FiguresJSON `json:"figures"`
	Cases      []StatusCases      `json:"cases"`
	Oldest     *StatusOldest      `json:"oldest_case,omitempty"`
	Schedule   *StatusSchedule    `json:"schedule,omitempty"` // nil: no schedule is configured
	Inbox      StatusWaiting      `json:"inbox"`
	NotLinked  StatusWaiting      `json:"not_linked"`
	Outbox     []StatusOutbox     `json:"outbox"`
	Held       []StatusLease      `json:"held"`

	zone *time.Location // of the instants in text
}

// StatusLedger is the database and its size.
type StatusLedger struct {
	Kind  string `json:"kind"`
	Bytes int64  `json:"bytes"`
}

// StatusCoverage is how many days of a list are complete.
type StatusCoverage struct {
	Account  ledger.Account `json:"account"`
	Source   ledger.Source  `json:"source"`
	Days     int            `json:"days"`
	Complete int            `json:"complete"`
	Partial  int            `json:"partial"`
	Missing  int            `json:"missing"`
	FirstGap ledger.Date    `json:"first_gap"` // empty: every day is complete
}

// StatusCases are the cases of a severity and a state.
type StatusCases struct {
	Severity ledger.Severity `json:"severity"`
	State    ledger.State    `json:"state"`
	Cases    int64           `json:"cases"`
	Oldest   ledger.Date     `json:"oldest"`
}

// StatusOldest is the open case that opened first.
type StatusOldest struct {
	Case     string          `json:"case"`
	Code     string          `json:"code"`
	Severity ledger.Severity `json:"severity"`
	Subject  string          `json:"subject"`
	Impact   OptionalAmount  `json:"impact"`
	Opened   ledger.Date     `json:"opened"`
	Days     int             `json:"days"`
}

// StatusSchedule is what became of the last occurrences of the schedules, and what comes next.
type StatusSchedule struct {
	Last []StatusOccurrence `json:"last"`
	Next []StatusOccurrence `json:"next"`
}

// StatusOccurrence is one occurrence of a schedule.
type StatusOccurrence struct {
	Slot  string `json:"slot"`
	Job   string `json:"job"`
	State string `json:"state,omitempty"`
	Why   string `json:"why,omitempty"`
	Run   string `json:"run,omitempty"`

	ahead time.Duration
}

// StatusWaiting is how many notifications wait.
type StatusWaiting struct {
	Waiting int64   `json:"waiting"`
	Oldest  Instant `json:"oldest"`
}

// StatusOutbox is a revision that the target does not have yet.
type StatusOutbox struct {
	Account  string      `json:"account"`
	Basis    string      `json:"basis"`
	From     ledger.Date `json:"from"`
	To       ledger.Date `json:"to"`
	Revision int         `json:"revision"`
	Files    int         `json:"files"`
	AsOf     ledger.Date `json:"as_of"`
}

// StatusLease is an account that a run holds.
type StatusLease struct {
	Account ledger.Account `json:"account"`
	Run     string         `json:"run"`
	Since   Instant        `json:"since"`
	Host    string         `json:"host"`
	Process int            `json:"process"`
}

// StatusOf is the current state. schedule is nil when none is configured, zone that of the instants in text.
func StatusOf(s *casework.Status, schedule *StatusSchedule, zone *time.Location) *Status {
	out := &Status{
		Now: Instant{s.Now}, AsOf: s.AsOf, Ledger: StatusLedger{s.Ledger, s.Size}, Schedule: schedule, zone: zone,
		Coverage: []StatusCoverage{}, Cases: []StatusCases{}, Outbox: []StatusOutbox{}, Held: []StatusLease{},
		Inbox: StatusWaiting{s.Inbox.Count, Instant{s.Inbox.Oldest}}, NotLinked: StatusWaiting{s.NotLinked.Count, Instant{s.NotLinked.Oldest}},
		Figures: report.FiguresJSON(s.Figures),
	}
	running := map[string]bool{}
	for _, h := range s.Leases {
		running[h.Run] = true
		out.Held = append(out.Held, StatusLease{h.Account, h.Run, Instant{h.Since}, h.Host, h.Process})
	}
	for _, of := range []struct {
		run *ledger.Run
		to  **Run
	}{{s.LastNightly, &out.LastNight}, {s.Unfinished, &out.Unfinished}} {
		if of.run != nil {
			run := RunOf(of.run, running)
			*of.to = &run
		}
	}
	for _, c := range s.Coverage {
		out.Coverage = append(out.Coverage, StatusCoverage{c.Account, c.Source, len(c.Days), c.Complete, c.Partial, c.Missing, c.FirstGap})
	}
	for _, c := range s.Cases {
		out.Cases = append(out.Cases, StatusCases{c.Severity, c.State, c.Cases, c.Oldest})
	}
	if f := s.Oldest; f != nil {
		out.Oldest = &StatusOldest{f.Case, f.Code, f.Severity, f.Subject, OptionalAmount(f.Impact), f.OpenedOn, int(s.AsOf - f.OpenedOn)}
	}
	for _, o := range s.Outbox {
		out.Outbox = append(out.Outbox, StatusOutbox{o.Account, o.Basis, o.Period.From, o.Period.To, o.Revision, len(o.Files), o.AsOf})
	}
	return out
}

// screen is a page of lines: a name, and what there is to say of it.
type screen struct{ b strings.Builder }

// writeLine adds a line; an empty name continues the one before.
func (s *screen) writeLine(name, format string, args ...any) {
	fmt.Fprintf(&s.b, "%-14s %s\n", name, fmt.Sprintf(format, args...))
}

// nameOfFirst is the name of a list's first line.
func nameOfFirst(i int, name string) string {
	if i > 0 {
		return ""
	}
	return name
}

// WriteText writes the screen.
func (v *Status) WriteText(w io.Writer) error {
	s := &screen{}
	s.writeLine("now", "%s, as of %s", formatLocal(v.Now.Time, v.zone), v.AsOf)
	if len(v.Cases) > 0 || v.LastNight != nil {
		s.writeLine("figures", "%s", FormatFigures(ledger.Figures(v.Figures)))
	}
	v.writeNights(s)
	v.writeCoverage(s)
	v.writeCases(s)
	v.writeSchedule(s)
	v.writeWaiting(s)
	if len(v.Held) == 0 {
		s.writeLine("held", "no account: nothing runs")
	}
	for i, h := range v.Held {
		s.writeLine(nameOfFirst(i, "held"), "account %s by run %s since %s, process %d on %s", h.Account, h.Run, formatLocal(h.Since.Time, v.zone), h.Process, h.Host)
	}
	s.writeLine("ledger", "%s, %s", v.Ledger.Kind, FormatBytes(v.Ledger.Bytes))
	_, err := io.WriteString(w, s.b.String())
	return err
}

func (v *Status) writeNights(s *screen) {
	if r := v.LastNight; r == nil {
		s.writeLine("last night", "none has ended")
	} else {
		s.writeLine("last night", "as of %s: %s (exit %d), ended %s after %s", r.AsOf, r.Verdict, *r.ExitCode, formatLocal(r.Ended.Time, v.zone), FormatDuration(time.Duration(*r.Took)))
		if r.Cases != nil {
			rows, _ := r.pulledRows()
			s.writeLine("", "%s, %s", countOf(rows, "row"), r.Cases)
		}
		s.writeLine("", "run %s", r.ID)
	}
	if r := v.Unfinished; r != nil {
		became := "was killed: the next night of that morning takes it up"
		switch r.State {
		case runRunning:
			became = "goes on"
		case runStopped:
			became = r.describeStop()
		}
		s.writeLine("this night", "as of %s, begun %s, %s", r.AsOf, formatLocal(r.Began.Time, v.zone), became)
		s.writeLine("", "run %s", r.ID)
	}
}

// writeCoverage writes every list that has a gap, and the others together.
func (v *Status) writeCoverage(s *screen) {
	name, days := "coverage", 0
	whole := 0
	for i := range v.Coverage {
		c := &v.Coverage[i]
		days = max(days, c.Days)
		if c.FirstGap == 0 {
			whole++
			continue
		}
		s.writeLine(name, "account %s, %s: %d of %s complete, %d partial, %d missing; first gap %s", c.Account, c.Source, c.Complete,
			countOf(int64(c.Days), "day"), c.Partial, c.Missing, c.FirstGap)
		name = ""
	}
	switch {
	case len(v.Coverage) == 0:
		s.writeLine(name, "no day answered for has ended")
	case whole == len(v.Coverage):
		s.writeLine(name, "every day is complete: %s, up to %s", countOf(int64(whole), "list"), countOf(int64(days), "day"))
	case whole > 0:
		s.writeLine(name, "%s of %d complete", countOf(int64(whole), "list"), len(v.Coverage))
	}
}

func (v *Status) writeCases(s *screen) {
	if len(v.Cases) == 0 {
		s.writeLine("cases", "none")
	}
	for i, c := range v.Cases {
		s.writeLine(nameOfFirst(i, "cases"), "%s %s: %s", c.Severity, c.State, FormatCount(c.Cases))
	}
	if f := v.Oldest; f != nil {
		impact := ""
		if f.Impact.OK {
			impact = ", R$ " + FormatReais(f.Impact.V)
		}
		s.writeLine("oldest case", "%s, open for %s since %s: %s%s", f.Case, countOf(int64(f.Days), "day"), f.Opened, f.Code, impact)
		s.writeLine("", "%s", f.Subject)
	}
}

func (v *Status) writeSchedule(s *screen) {
	if v.Schedule == nil {
		s.writeLine("schedule", "none is configured: cron or a timer starts concilia run")
		return
	}
	for i, o := range v.Schedule.Last {
		s.writeLine(nameOfFirst(i, "last ticks"), "%s %s: %s", o.Slot, o.Job, strings.TrimSuffix(o.State+", "+o.Why, ", "))
	}
	for i, o := range v.Schedule.Next {
		s.writeLine(nameOfFirst(i, "next tick"), "%s %s, in %s", o.Slot, o.Job, FormatAhead(o.ahead))
	}
}

func (v *Status) writeWaiting(s *screen) {
	describe := func(waiting *StatusWaiting, where string) string {
		if waiting.Waiting == 0 {
			return "none " + where
		}
		return fmt.Sprintf("%s %s, the oldest for %s", FormatCount(waiting.Waiting), where, formatAge(v.Now.Sub(waiting.Oldest.Time)))
	}
	s.writeLine("notifications", "%s", describe(&v.Inbox, "in the inbox"))
	s.writeLine("", "%s", describe(&v.NotLinked, "without the installment it tells of"))
	if len(v.Outbox) == 0 {
		s.writeLine("outbox", "nothing waits for the target")
		return
	}
	files, oldest := 0, v.Outbox[0].AsOf
	for _, set := range v.Outbox {
		files += set.Files
		oldest = min(oldest, set.AsOf)
	}
	s.writeLine("outbox", "%s with %s wait for the target, the oldest since %s", countOf(int64(len(v.Outbox)), "set"), countOf(int64(files), "file"), oldest)
}
