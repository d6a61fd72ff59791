package view

import (
	"fmt"
	"io"
	"strings"
	"time"

	"concilia/export/report/asof"
	"concilia/jobs/casework"
	"concilia/store/caselog"
	"concilia/store/ledger"
)

// Status is the current state on one screen.
type Status struct {
	Now        Instant          `json:"now"`
	AsOf       ledger.Date      `json:"as_of"`
	Ledger     StatusLedger     `json:"ledger"`
	LastNight  *Run             `json:"last_night,omitempty"`
	Unfinished *Run             `json:"unfinished_night,omitempty"`
	Coverage   []StatusCoverage `json:"coverage"`
	Figures    asof.FiguresJSON `json:"figures"`
	Cases      []StatusCases    `json:"cases"`
	Others     int64            `json:"other_cases,omitempty"` // of accounts that the configuration does not name
	Oldest     *StatusOldest    `json:"oldest_case,omitempty"`
	Schedule   *StatusSchedule  `json:"schedule,omitempty"` // nil: no schedule is configured
	Inbox      StatusWaiting    `json:"inbox"`
	NotLinked  StatusWaiting    `json:"not_linked"`
	Outbox     []StatusOutbox   `json:"outbox"`
	Held       []StatusLease    `json:"held"`
	Banks      []StatusBank     `json:"banks,omitempty"` // that a run has evaluated

	zone   *time.Location // of the instants in text
	others caselog.OtherCases
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

// StatusBank is what is proven at a bank account up to the last day that its statements settle.
type StatusBank struct {
	Bank      string         `json:"bank"`
	Verdict   ledger.Verdict `json:"verdict"`
	SettledTo ledger.Date    `json:"settled_to"` // empty: no day is settled
	Received  Amount         `json:"received"`
	Proven    Amount         `json:"proven"`
}

// StatusOf is the current state. schedule is nil when none is configured, zone that of the instants in text.
func StatusOf(s *casework.Status, schedule *StatusSchedule, zone *time.Location) *Status {
	out := &Status{
		Now: Instant{s.Now}, AsOf: s.AsOf, Ledger: StatusLedger{s.Ledger, s.Size}, Schedule: schedule, zone: zone,
		Coverage: []StatusCoverage{}, Cases: []StatusCases{}, Outbox: []StatusOutbox{}, Held: []StatusLease{},
		Inbox: StatusWaiting{s.Inbox.Count, Instant{s.Inbox.Oldest}}, NotLinked: StatusWaiting{s.NotLinked.Count, Instant{s.NotLinked.Oldest}},
		Figures: asof.FiguresJSON(s.Figures), Others: s.OtherCases.Cases, others: s.OtherCases,
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
	for i := range s.Banks {
		b := &s.Banks[i]
		out.Banks = append(out.Banks, StatusBank{b.Bank, b.Verdict, b.Frontier, Amount(b.Received), Amount(b.Proven)})
	}
	for _, o := range s.Outbox {
		out.Outbox = append(out.Outbox, StatusOutbox{o.Account, o.Basis, o.Period.From, o.Period.To, o.Revision, len(o.Files), o.AsOf})
	}
	return out
}

// WriteText writes the screen.
func (v *Status) WriteText(w io.Writer, l Language) error {
	s := &screen{l: l, width: 14}
	s.writeText("status.now", "status.now_as_of", "now", l.FormatLocal(v.Now.Time, v.zone), "day", l.FormatDay(v.AsOf))
	if len(v.Cases) > 0 || v.LastNight != nil {
		s.writeLine("status.figures", l.FormatFigures(ledger.Figures(v.Figures)))
	}
	v.writeNights(s)
	v.writeCoverage(s)
	v.writeCases(s)
	v.writeBanks(s)
	v.writeSchedule(s)
	v.writeWaiting(s)
	if len(v.Held) == 0 {
		s.writeText("status.held", "status.nothing_held")
	}
	for i, h := range v.Held {
		s.writeText(nameOfFirst(i, "status.held"), "status.held_by", "account", h.Account, "run", h.Run, "since", l.FormatLocal(h.Since.Time, v.zone),
			"process", h.Process, "host", h.Host)
	}
	s.writeLine("status.ledger", v.Ledger.Kind+", "+l.FormatBytes(v.Ledger.Bytes))
	return s.writeTo(w)
}

func (v *Status) writeNights(s *screen) {
	l := s.l
	if r := v.LastNight; r == nil {
		s.writeText("status.last_night", "status.no_night")
	} else {
		s.writeText("status.last_night", "status.night", "day", l.FormatDay(r.AsOf), "verdict", l.formatVerdict(r.Verdict), "code", *r.ExitCode,
			"ended", l.FormatLocal(r.Ended.Time, v.zone), "took", l.FormatDuration(time.Duration(*r.Took)))
		if r.Cases != nil {
			rows, _ := r.pulledRows()
			s.writeLine("", l.Count(rows, "row")+", "+r.Cases.describe(l))
		}
		s.writeText("", "status.of_run", "run", r.ID)
	}
	if r := v.Unfinished; r != nil {
		became := l.text("status.night_killed")
		switch r.State {
		case runRunning:
			became = l.text("status.night_goes_on")
		case runStopped:
			became = r.describeStop(l)
		}
		s.writeText("status.this_night", "status.night_begun", "day", l.FormatDay(r.AsOf), "began", l.FormatLocal(r.Began.Time, v.zone), "became", became)
		s.writeText("", "status.of_run", "run", r.ID)
	}
}

// writeCoverage writes every list that has a gap, and the others together.
func (v *Status) writeCoverage(s *screen) {
	name, days := "status.coverage", 0
	whole := 0
	for i := range v.Coverage {
		c := &v.Coverage[i]
		days = max(days, c.Days)
		if c.FirstGap == 0 {
			whole++
			continue
		}
		s.writeText(name, "status.list_with_gap", "account", c.Account, "list", s.l.label("source", string(c.Source)), "complete", c.Complete,
			"days", s.l.Count(int64(c.Days), "day"), "partial", c.Partial, "missing", c.Missing, "day", s.l.FormatDay(c.FirstGap))
		name = ""
	}
	lists := s.l.Count(int64(whole), "list")
	switch {
	case len(v.Coverage) == 0:
		s.writeText(name, "status.no_day_ended")
	case whole == len(v.Coverage):
		s.writeText(name, "status.every_day_complete", "lists", lists, "days", s.l.Count(int64(days), "day"))
	case whole > 0:
		s.writeText(name, "status.lists_complete", "lists", lists, "of", len(v.Coverage))
	}
}

func (v *Status) writeCases(s *screen) {
	l := s.l
	if len(v.Cases) == 0 {
		s.writeText("status.cases", "status.no_case")
	}
	for i, c := range v.Cases {
		s.writeLine(nameOfFirst(i, "status.cases"), fmt.Sprintf("%s %s: %s", c.Severity, l.label("case_state", string(c.State)), l.FormatCount(c.Cases)))
	}
	if v.Others > 0 {
		s.writeLine("", l.DescribeOthers(v.others))
	}
	if f := v.Oldest; f != nil {
		impact := ""
		if f.Impact.OK {
			impact = ", R$ " + l.FormatReais(f.Impact.V)
		}
		s.writeLine("status.oldest_case", l.text("status.open_since", "case", f.Case, "days", l.Count(int64(f.Days), "day"), "day", l.FormatDay(f.Opened), "code", f.Code)+impact)
		s.writeLine("", f.Subject)
	}
}

func (v *Status) writeBanks(s *screen) {
	l := s.l
	for i := range v.Banks {
		b := &v.Banks[i]
		name := nameOfFirst(i, "status.banks")
		if b.SettledTo == 0 {
			s.writeText(name, "status.no_statement", "bank", b.Bank)
			continue
		}
		s.writeText(name, "status.proven", "bank", b.Bank, "proven", l.FormatReais(ledger.Amount(b.Proven)), "received", l.FormatReais(ledger.Amount(b.Received)),
			"day", l.FormatDay(b.SettledTo))
	}
}

func (v *Status) writeSchedule(s *screen) {
	if v.Schedule == nil {
		s.writeText("status.schedule", "status.no_schedule")
		return
	}
	for i, o := range v.Schedule.Last {
		became := strings.TrimSuffix(s.l.label("occurrence", o.State)+", "+s.l.describeWhy(o.Why), ", ")
		s.writeLine(nameOfFirst(i, "status.last_ticks"), fmt.Sprintf("%s %s: %s", o.Slot, s.l.label("job", o.Job), became))
	}
	for i, o := range v.Schedule.Next {
		s.writeText(nameOfFirst(i, "status.next_tick"), "status.tick_in", "slot", o.Slot, "job", s.l.label("job", o.Job), "ahead", s.l.FormatAhead(o.ahead))
	}
}

func (v *Status) writeWaiting(s *screen) {
	l := s.l
	describe := func(waiting *StatusWaiting, none, some string) string {
		if waiting.Waiting == 0 {
			return l.text(none)
		}
		return l.text(some, "n", l.FormatCount(waiting.Waiting), "age", l.formatAge(v.Now.Sub(waiting.Oldest.Time)))
	}
	s.writeLine("status.notifications", describe(&v.Inbox, "status.none_in_inbox", "status.in_inbox"))
	s.writeLine("", describe(&v.NotLinked, "status.none_not_linked", "status.not_linked"))
	if len(v.Outbox) == 0 {
		s.writeText("status.outbox", "status.nothing_waits")
		return
	}
	files, oldest := 0, v.Outbox[0].AsOf
	for _, set := range v.Outbox {
		files += set.Files
		oldest = min(oldest, set.AsOf)
	}
	s.writeText("status.outbox", "status.sets_wait", "sets", l.Count(int64(len(v.Outbox)), "set"), "files", l.Count(int64(files), "file"), "day", l.FormatDay(oldest))
}
