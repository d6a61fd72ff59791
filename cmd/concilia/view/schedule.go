package view

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"concilia/jobs/schedule"
	"concilia/store/ledger"
)

// Occurrence is an occurrence of a schedule.
type Occurrence struct {
	Schedule string      `json:"schedule"`
	Job      string      `json:"job"`
	Slot     string      `json:"slot"` // in the zone of its schedule
	AsOf     ledger.Date `json:"as_of"`
	State    string      `json:"state"`
	Missed   bool        `json:"missed"`
	Why      string      `json:"why"`
	Run      string      `json:"run"`
	ExitCode *int        `json:"exit_code"` // nil: the job has not come to an end of its own
	Begun    Instant     `json:"begun"`
	Ended    Instant     `json:"ended"`
	By       string      `json:"by"` // host/process
	Attempts int         `json:"attempts"`

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
		Begun: Instant{r.Begun}, Ended: Instant{r.Ended}, Attempts: r.Attempts, Due: r.Slot,
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
func (v *Schedule) WriteText(w io.Writer) error {
	if len(v.Occurrences) == 0 {
		_, err := fmt.Fprintln(w, "no schedule is configured, and none was in the last 14 days")
		return err
	}
	t := newTable(w)
	t.AppendHeader(table.Row{"slot", "job", "as of", "became", "exit", "took", "run", "why"})
	for i := range v.Occurrences {
		o := &v.Occurrences[i]
		why, took, code := o.Why, "", ""
		switch {
		case o.State == OccurrenceDue:
			why = "in " + FormatAhead(o.Due.Sub(v.Now))
			if o.Why != "" {
				why += "; " + o.Why
			}
		case o.State == OccurrenceInterrupted:
			why = "the serve that ran it is gone: the next one takes it again"
		case o.ExitCode != nil:
			took, code = o.Ended.Sub(o.Begun.Time).Round(100*time.Millisecond).String(), strconv.Itoa(*o.ExitCode)
		}
		t.AppendRow(table.Row{o.Slot, o.Job, o.AsOf, o.State, code, took, o.Run, why})
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
