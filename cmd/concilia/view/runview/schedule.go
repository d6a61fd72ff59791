package runview

import (
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"concilia/cmd/concilia/view"
	"concilia/export/words"
	"concilia/jobs/rules/catalogue"
	"concilia/jobs/schedule"
	"concilia/store/ledger"
)

// Occurrence is an occurrence of a schedule.
type Occurrence struct {
	Schedule string       `json:"schedule"`
	Job      string       `json:"job"`
	Slot     string       `json:"slot"` // in the zone of its schedule
	AsOf     ledger.Date  `json:"as_of"`
	State    string       `json:"state"`
	Missed   bool         `json:"missed"`
	Why      string       `json:"why"`
	Run      string       `json:"run"`
	ExitCode *int         `json:"exit_code"` // nil: the job has not come to an end of its own
	Begun    view.Instant `json:"begun"`
	Ended    view.Instant `json:"ended"`
	By       string       `json:"by"` // host/process
	Attempts int          `json:"attempts"`

	// Due is the instant of the slot.
	Due time.Time `json:"-"`
}

// The states that are only shown.
const (
	OccurrenceWaiting     = "waiting"
	OccurrenceDue         = "due"
	OccurrenceInterrupted = "interrupted"
)

// OccurrenceOf is an occurrence whose slot is written so.
func OccurrenceOf(r *schedule.Row, slot string, asOf ledger.Date) Occurrence {
	o := Occurrence{
		Schedule: r.Schedule, Job: r.Job, Slot: slot, AsOf: asOf, State: r.State, Missed: r.Missed, Why: r.Why, Run: r.Run,
		Begun: view.Instant{Time: r.Begun}, Ended: view.Instant{Time: r.Ended}, Attempts: r.Attempts, Due: r.Slot,
	}
	if r.State == schedule.Ran || r.State == schedule.CaughtUp {
		code := r.ExitCode
		o.ExitCode = &code
	}
	if r.Host != "" {
		o.By = r.Host + "/" + strconv.Itoa(r.Process)
	}
	return o
}

// Schedule is the past and next occurrences of the schedules, in the order of their slots.
type Schedule struct {
	Occurrences []Occurrence
	Now         time.Time
}

// WriteText is a table of the occurrences, the next ones last.
func (v *Schedule) WriteText(w io.Writer, l view.Language) error {
	if len(v.Occurrences) == 0 {
		_, err := fmt.Fprintln(w, words.Text(l, "schedule.none"))
		return err
	}
	t := view.NewTable(w)
	t.AppendHeader(l.HeadRow("schedule.slot", "schedule.job", "schedule.as_of", "schedule.became", "schedule.exit", "schedule.took", "schedule.run", "schedule.why"))
	for i := range v.Occurrences {
		o := &v.Occurrences[i]
		why, took, code := describeWhy(l, o.Why), "", ""
		switch {
		case o.State == OccurrenceDue:
			why = words.Text(l, "schedule.ahead", "ahead", formatAhead(l, o.Due.Sub(v.Now)))
			if o.Why != "" {
				why += "; " + describeWhy(l, o.Why)
			}
		case o.State == OccurrenceInterrupted:
			why = words.Text(l, "schedule.interrupted")
		case o.ExitCode != nil:
			took, code = l.SpellPoint(o.Ended.Sub(o.Begun.Time).Round(100*time.Millisecond).String()), strconv.Itoa(*o.ExitCode)
		}
		t.AppendRow(table.Row{o.Slot, words.Label(l, "job", o.Job), l.FormatDay(o.AsOf), words.Label(l, "occurrence", o.State), code, took, o.Run, why})
	}
	t.Render()
	return nil
}

// statusOccurrences is how many past and how many coming occurrences the status shows.
const statusOccurrences = 3

// Status is the part of the schedule that the status shows; nil when there is no occurrence.
func (v *Schedule) Status() *StatusSchedule {
	if len(v.Occurrences) == 0 {
		return nil
	}
	out := &StatusSchedule{Last: []StatusOccurrence{}, Next: []StatusOccurrence{}}
	for i := range v.Occurrences {
		o := &v.Occurrences[i]
		shown := StatusOccurrence{Slot: o.Slot, Job: o.Job, State: o.State, Why: o.Why, Run: o.Run, ahead: o.Due.Sub(v.Now)}
		if o.State != OccurrenceDue {
			out.Last = append(out.Last, shown)
			continue
		}
		if shown.State = ""; len(out.Next) < statusOccurrences {
			out.Next = append(out.Next, shown)
		}
	}
	out.Last = out.Last[max(0, len(out.Last)-statusOccurrences):]
	return out
}

// remark is a remark on an occurrence that names times or numbers: what it looks like in the ledger, and its text with their names.
type remark struct {
	pattern *regexp.Regexp
	id      string
	names   []string
}

func remarksWithFigures() []remark {
	return []remark{
		{regexp.MustCompile(`^repeats (.+), which ended with (\d+)$`), "schedule.repeats", []string{"slot", "code"}},
		{regexp.MustCompile(`^missed, as were (\d+) before it since (.+): no process was running$`), "schedule.missed_several", []string{"count", "slot"}},
		{regexp.MustCompile(`^the occurrence of (.+) was still running$`), "schedule.still_running", []string{"slot"}},
		{regexp.MustCompile(`^its process died (\d+) times before it had ended: run it by hand and see$`), "schedule.died", []string{"count"}},
		{regexp.MustCompile(`^as of (\S+) is past: run (\S+) was as of (\S+)$`), "schedule.day_is_past", []string{"day", "run", "later"}},
	}
}

// describeWhy is a remark on an occurrence, which the ledger keeps in English. What is not known, such as an error, stays.
func describeWhy(l view.Language, why string) string {
	if l != view.Portuguese || why == "" {
		return why
	}
	parts := strings.Split(why, "; ")
	for i, p := range parts {
		if v := l.FormatVerdict(ledger.Verdict(p)); words.Has("verdicts." + p) {
			parts[i] = v
			continue
		}
		parts[i] = words.Label(l, "occurrence_remark", p)
		for _, r := range remarksWithFigures() {
			if m := r.pattern.FindStringSubmatch(p); m != nil {
				var values []any
				for n, name := range r.names {
					values = append(values, name, catalogue.Spell(m[n+1], string(l)))
				}
				parts[i] = words.Text(l, r.id, values...)
			}
		}
	}
	return strings.Join(parts, "; ")
}
