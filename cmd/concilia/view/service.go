package view

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"concilia/jobs"
	"concilia/store/ledger"
)

// Simulation is what to charge so that a net amount is received.
type Simulation struct {
	Brand   string             `json:"brand"`
	Net     Amount             `json:"net"`
	Options []SimulationOption `json:"options"`
}

// SimulationOption is what to charge in so many installments.
type SimulationOption struct {
	Installments int    `json:"installments"`
	Gross        Amount `json:"gross"`
	Cost         Amount `json:"cost"` // gross less net
}

// SimulationOf is the service's answer.
func SimulationOf(brand string, net ledger.Amount, options []ledger.SimulatedOption) *Simulation {
	out := &Simulation{Brand: brand, Net: Amount(net), Options: []SimulationOption{}}
	for _, o := range options {
		out.Options = append(out.Options, SimulationOption{o.Installments, Amount(o.Gross), Amount(o.Gross - net)})
	}
	return out
}

// WriteText writes a line for each number of installments.
func (v *Simulation) WriteText(w io.Writer) error {
	t := newTable(w, 2, 3)
	t.AppendHeader(table.Row{"installments", "charge R$", "cost R$"})
	for _, o := range v.Options {
		t.AppendRow(table.Row{o.Installments, FormatReais(ledger.Amount(o.Gross)), FormatReais(ledger.Amount(o.Cost))})
	}
	t.Render()
	return nil
}

// Subscription is where the notifications of an account go.
type Subscription struct {
	Account  int64   `json:"account"`
	URL      *string `json:"url"`                // nil: nowhere
	Expected string  `json:"expected,omitempty"` // what webhook.public_url comes to
	Matches  *bool   `json:"matches,omitempty"`  // nil: there is nothing to match
	Removed  string  `json:"removed,omitempty"`  // what the service says unsubscribe removed
}

func (s *Subscription) describeURL() string {
	if s.URL == nil {
		return "nowhere"
	}
	return Escape(*s.URL)
}

func (s *Subscription) describeMatch() string {
	switch {
	case s.Removed != "":
		return "removed " + s.Removed
	case s.Matches == nil:
		return ""
	case *s.Matches:
		return "here"
	}
	return "not here: " + s.Expected
}

// Subscriptions are those of several accounts.
type Subscriptions []Subscription

// WriteText writes a line for each account.
func (v Subscriptions) WriteText(w io.Writer) error {
	if len(v) == 0 {
		return nil
	}
	t := newTable(w)
	t.AppendHeader(table.Row{"account", "notifications go to", ""})
	for i := range v {
		t.AppendRow(table.Row{v[i].Account, v[i].describeURL(), v[i].describeMatch()})
	}
	t.Render()
	return nil
}

// Backfill is what a backfill would ask for.
type Backfill struct {
	Lists []jobs.BackfillList
	Rate  float64     // requests a second
	AsOf  ledger.Date // to evaluate from
}

// WriteText writes a line for each list, and how long it would take.
func (v *Backfill) WriteText(w io.Writer) error {
	t := newTable(w)
	t.AppendHeader(table.Row{"account", "list", "days", "complete", "calls", "windows"})
	days, least, most := 0, 0, 0
	for _, l := range v.Lists {
		days, least, most = days+l.Days, least+len(l.Windows), most+l.Most
		t.AppendRow(table.Row{l.Account, l.Source, l.Days, l.Complete, formatRange(len(l.Windows), l.Most), describeWindows(l.Windows)})
	}
	t.Render()
	takes := durationAt(least, v.Rate).String()
	if longest := durationAt(most, v.Rate).String(); longest != takes {
		takes += " to " + longest
	}
	calls := formatRange(least, most) + " calls"
	if most == 1 {
		calls = "1 call"
	}
	fmt.Fprintf(w, "\n%s to ask for, %s: at %g a second %s\n", countOf(int64(days), "day"), calls, v.Rate, takes)
	_, err := fmt.Fprintf(w, "then the rules judge as of %s; nothing was asked, nothing written\n", v.AsOf)
	return err
}

// durationAt is how long so many requests take at a pace, in whole seconds, the last one begun.
func durationAt(requests int, perSecond float64) time.Duration {
	return time.Duration(math.Ceil(float64(requests)/perSecond)) * time.Second
}

func formatRange(least, most int) string {
	if least == most {
		return strconv.Itoa(least)
	}
	return fmt.Sprintf("%d to %d", least, most)
}

// describeWindows names the first windows, newest first.
func describeWindows(windows []jobs.BackfillRange) string {
	const most = 4
	var b strings.Builder
	for i, p := range windows {
		if i == most {
			fmt.Fprintf(&b, ", and %d more down to %s", len(windows)-most, windows[len(windows)-1].From)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(p.From.String())
		if p.To != p.From {
			b.WriteString(".." + p.To.String())
		}
	}
	return b.String()
}
