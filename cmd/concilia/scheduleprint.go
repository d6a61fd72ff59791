package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"concilia/jobs/schedule"
	"concilia/store/ledger"
)

func sortOccurrences(all []occurrence) {
	slices.SortStableFunc(all, func(a, b occurrence) int {
		return cmp.Or(a.Slot.Compare(b.Slot), cmp.Compare(a.Schedule, b.Schedule))
	})
}

// printOccurrences is a table of the occurrences, the next ones last.
func printOccurrences(w io.Writer, all []occurrence, now time.Time) error {
	if len(all) == 0 {
		_, err := fmt.Fprintln(w, "no schedule is configured, and none was in the last 14 days")
		return err
	}
	t := newTable(w)
	t.AppendHeader(table.Row{"slot", "job", "as of", "became", "exit", "took", "run", "why"})
	for i := range all {
		o := &all[i]
		why, took, code := o.Why, "", ""
		switch {
		case o.State == shownDue:
			why = "in " + inWords(o.Slot.Sub(now))
			if o.Why != "" {
				why += "; " + o.Why
			}
		case o.State == shownInterrupted:
			why = "the serve that ran it is gone: the next one takes it again"
		case o.ended():
			took, code = o.Ended.Sub(o.Begun).Round(100*time.Millisecond).String(), strconv.Itoa(o.ExitCode)
		}
		t.AppendRow(table.Row{o.stamp, o.Job, o.asOf, o.State, code, took, o.Run, why})
	}
	t.Render()
	return nil
}

// inWords is how long something is ahead, for people.
func inWords(d time.Duration) string {
	const day = 24 * time.Hour
	if d >= time.Hour {
		d = d.Round(time.Minute)
	}
	switch {
	case d >= 2*day:
		return fmt.Sprintf("%d days", d/day)
	case d >= time.Hour:
		return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
	}
	return d.Round(time.Second).String()
}

// ended says whether the job came to an end of its own.
func (o *occurrence) ended() bool { return o.State == schedule.Ran || o.State == schedule.CaughtUp }

// occurrenceLine is an occurrence as schedule --json prints it.
type occurrenceLine struct {
	Schedule string      `json:"schedule"`
	Job      string      `json:"job"`
	Slot     string      `json:"slot"`
	AsOf     ledger.Date `json:"as_of"`
	State    string      `json:"state"`
	Missed   bool        `json:"missed"`
	Why      string      `json:"why"`
	Run      string      `json:"run"`
	ExitCode *int        `json:"exit_code"`
	Begun    string      `json:"begun"`
	Ended    string      `json:"ended"`
	By       string      `json:"by"`
	Attempts int         `json:"attempts"`
}

func printOccurrenceLines(w io.Writer, all []occurrence) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	for i := range all {
		o := &all[i]
		line := occurrenceLine{
			Schedule: o.Schedule, Job: o.Job, Slot: o.stamp, AsOf: o.asOf, State: o.State, Missed: o.Missed, Why: o.Why, Run: o.Run,
			Begun: utc(o.Begun), Ended: utc(o.Ended), Attempts: o.Attempts,
		}
		if o.ended() {
			line.ExitCode = &o.ExitCode
		}
		if o.Host != "" {
			line.By = o.Host + "/" + strconv.Itoa(o.Process)
		}
		if err := encoder.Encode(line); err != nil {
			return err
		}
	}
	return nil
}

// utc is an instant to the second, empty when there is none.
func utc(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
