package runview

import (
	"fmt"
	"io"
	"strings"
	"time"

	"concilia/cmd/concilia/view"
	"concilia/export/report/asof"
	"concilia/export/words"
	"concilia/jobs/casework"
	"concilia/store/caselog"
	"concilia/store/ledger"
)

// Status is the current state on one screen.
type Status struct {
	Now        view.Instant     `json:"now"`
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
	Case     string              `json:"case"`
	Code     string              `json:"code"`
	Severity ledger.Severity     `json:"severity"`
	Subject  string              `json:"subject"`
	Impact   view.OptionalAmount `json:"impact"`
	Opened   ledger.Date         `json:"opened"`
	Days     int                 `json:"days"`
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
	Waiting int64        `json:"waiting"`
	Oldest  view.Instant `json:"oldest"`
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
	Since   view.Instant   `json:"since"`
	Host    string         `json:"host"`
	Process int            `json:"process"`
}

// StatusBank is what is proven at a bank account up to the last day that its statements settle.
type StatusBank struct {
	Bank      string         `json:"bank"`
	Verdict   ledger.Verdict `json:"verdict"`
	SettledTo ledger.Date    `json:"settled_to"` // empty: no day is settled
	Received  view.Amount    `json:"received"`
	Proven    view.Amount    `json:"proven"`
}

// StatusOf is the current state. schedule is nil when none is configured, zone that of the instants in text.
func StatusOf(s *casework.Status, schedule *StatusSchedule, zone *time.Location) *Status {
	out := &Status{
		Now: view.Instant{Time: s.Now}, AsOf: s.AsOf, Ledger: StatusLedger{s.Ledger, s.Size}, Schedule: schedule, zone: zone,
		Coverage: []StatusCoverage{}, Cases: []StatusCases{}, Outbox: []StatusOutbox{}, Held: []StatusLease{},
		Inbox: StatusWaiting{s.Inbox.Count, view.Instant{Time: s.Inbox.Oldest}}, NotLinked: StatusWaiting{s.NotLinked.Count, view.Instant{Time: s.NotLinked.Oldest}},
		Figures: asof.FiguresJSON(s.Figures), Others: s.OtherCases.Cases, others: s.OtherCases,
	}
	running := map[string]bool{}
	for _, h := range s.Leases {
		running[h.Run] = true
		out.Held = append(out.Held, StatusLease{h.Account, h.Run, view.Instant{Time: h.Since}, h.Host, h.Process})
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
		out.Oldest = &StatusOldest{f.Case, f.Code, f.Severity, f.Subject, view.OptionalAmount(f.Impact), f.OpenedOn, int(s.AsOf - f.OpenedOn)}
	}
	for i := range s.Banks {
		b := &s.Banks[i]
		out.Banks = append(out.Banks, StatusBank{b.Bank, b.Verdict, b.Frontier, view.Amount(b.Received), view.Amount(b.Proven)})
	}
	for _, o := range s.Outbox {
		out.Outbox = append(out.Outbox, StatusOutbox{o.Account, o.Basis, o.Period.From, o.Period.To, o.Revision, len(o.Files), o.AsOf})
	}
	return out
}

// WriteText writes the screen.
func (v *Status) WriteText(w io.Writer, l view.Language) error {
	s := view.NewScreen(l, 14)
	s.AddText("status.now", "status.now_as_of", "now", l.FormatLocal(v.Now.Time, v.zone), "day", l.FormatDay(v.AsOf))
	if len(v.Cases) > 0 || v.LastNight != nil {
		s.AddLine("status.figures", l.FormatFigures(ledger.Figures(v.Figures)))
	}
	v.writeNights(s)
	v.writeCoverage(s)
	v.writeCases(s)
	v.writeBanks(s)
	v.writeSchedule(s)
	v.writeWaiting(s)
	if len(v.Held) == 0 {
		s.AddText("status.held", "status.nothing_held")
	}
	for i, h := range v.Held {
		s.AddText(nameOfFirst(i, "status.held"), "status.held_by", "account", h.Account, "run", h.Run, "since", l.FormatLocal(h.Since.Time, v.zone),
			"process", h.Process, "host", h.Host)
	}
	s.AddLine("status.ledger", v.Ledger.Kind+", "+l.FormatBytes(v.Ledger.Bytes))
	return s.Print(w)
}

func (v *Status) writeNights(s *view.Screen) {
	l := s.Language
	if r := v.LastNight; r == nil {
		s.AddText("status.last_night", "status.no_night")
	} else {
		s.AddText("status.last_night", "status.night", "day", l.FormatDay(r.AsOf), "verdict", l.FormatVerdict(r.Verdict), "code", *r.ExitCode,
			"ended", l.FormatLocal(r.Ended.Time, v.zone), "took", l.FormatDuration(time.Duration(*r.Took)))
		if r.Cases != nil {
			rows, _ := r.pulledRows()
			s.AddLine("", l.Count(rows, "row")+", "+r.Cases.describe(l))
		}
		s.AddText("", "status.of_run", "run", r.ID)
	}
	if r := v.Unfinished; r != nil {
		became := words.Text(l, "status.night_killed")
		switch r.State {
		case runRunning:
			became = words.Text(l, "status.night_goes_on")
		case runStopped:
			became = r.describeStop(l)
		}
		s.AddText("status.this_night", "status.night_begun", "day", l.FormatDay(r.AsOf), "began", l.FormatLocal(r.Began.Time, v.zone), "became", became)
		s.AddText("", "status.of_run", "run", r.ID)
	}
}

// writeCoverage writes every list that has a gap, and the others together.
func (v *Status) writeCoverage(s *view.Screen) {
	name, days := "status.coverage", 0
	whole := 0
	for i := range v.Coverage {
		c := &v.Coverage[i]
		days = max(days, c.Days)
		if c.FirstGap == 0 {
			whole++
			continue
		}
		s.AddText(name, "status.list_with_gap", "account", c.Account, "list", words.Label(s.Language, "source", string(c.Source)), "complete", c.Complete,
			"days", s.Language.Count(int64(c.Days), "day"), "partial", c.Partial, "missing", c.Missing, "day", s.Language.FormatDay(c.FirstGap))
		name = ""
	}
	lists := s.Language.Count(int64(whole), "list")
	switch {
	case len(v.Coverage) == 0:
		s.AddText(name, "status.no_day_ended")
	case whole == len(v.Coverage):
		s.AddText(name, "status.every_day_complete", "lists", lists, "days", s.Language.Count(int64(days), "day"))
	case whole > 0:
		s.AddText(name, "status.lists_complete", "lists", lists, "of", len(v.Coverage))
	}
}

func (v *Status) writeCases(s *view.Screen) {
	l := s.Language
	if len(v.Cases) == 0 {
		s.AddText("status.cases", "status.no_case")
	}
	for i, c := range v.Cases {
		s.AddLine(nameOfFirst(i, "status.cases"), fmt.Sprintf("%s %s: %s", c.Severity, words.Label(l, "case_state", string(c.State)), l.FormatCount(c.Cases)))
	}
	if v.Others > 0 {
		s.AddLine("", l.DescribeOthers(v.others))
	}
	if f := v.Oldest; f != nil {
		impact := ""
		if f.Impact.OK {
			impact = ", R$ " + l.FormatReais(f.Impact.V)
		}
		s.AddLine("status.oldest_case", words.Text(l, "status.open_since", "case", f.Case, "days", l.Count(int64(f.Days), "day"), "day", l.FormatDay(f.Opened), "code", f.Code)+impact)
		s.AddLine("", f.Subject)
	}
}

func (v *Status) writeBanks(s *view.Screen) {
	l := s.Language
	for i := range v.Banks {
		b := &v.Banks[i]
		name := nameOfFirst(i, "status.banks")
		if b.SettledTo == 0 {
			s.AddText(name, "status.no_statement", "bank", b.Bank)
			continue
		}
		s.AddText(name, "status.proven", "bank", b.Bank, "proven", l.FormatReais(ledger.Amount(b.Proven)), "received", l.FormatReais(ledger.Amount(b.Received)),
			"day", l.FormatDay(b.SettledTo))
	}
}

func (v *Status) writeSchedule(s *view.Screen) {
	if v.Schedule == nil {
		s.AddText("status.schedule", "status.no_schedule")
		return
	}
	for i, o := range v.Schedule.Last {
		became := strings.TrimSuffix(words.Label(s.Language, "occurrence", o.State)+", "+describeWhy(s.Language, o.Why), ", ")
		s.AddLine(nameOfFirst(i, "status.last_ticks"), fmt.Sprintf("%s %s: %s", o.Slot, words.Label(s.Language, "job", o.Job), became))
	}
	for i, o := range v.Schedule.Next {
		s.AddText(nameOfFirst(i, "status.next_tick"), "status.tick_in", "slot", o.Slot, "job", words.Label(s.Language, "job", o.Job), "ahead", formatAhead(s.Language, o.ahead))
	}
}

func (v *Status) writeWaiting(s *view.Screen) {
	l := s.Language
	describe := func(waiting *StatusWaiting, none, some string) string {
		if waiting.Waiting == 0 {
			return words.Text(l, none)
		}
		return words.Text(l, some, "n", l.FormatCount(waiting.Waiting), "age", formatAge(l, v.Now.Sub(waiting.Oldest.Time)))
	}
	s.AddLine("status.notifications", describe(&v.Inbox, "status.none_in_inbox", "status.in_inbox"))
	s.AddLine("", describe(&v.NotLinked, "status.none_not_linked", "status.not_linked"))
	if len(v.Outbox) == 0 {
		s.AddText("status.outbox", "status.nothing_waits")
		return
	}
	files, oldest := 0, v.Outbox[0].AsOf
	for _, set := range v.Outbox {
		files += set.Files
		oldest = min(oldest, set.AsOf)
	}
	s.AddText("status.outbox", "status.sets_wait", "sets", l.Count(int64(len(v.Outbox)), "set"), "files", l.Count(int64(files), "file"), "day", l.FormatDay(oldest))
}
