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
func (v *Simulation) WriteText(w io.Writer, l Language) error {
	t := NewTable(w, 2, 3)
	t.AppendHeader(l.HeadRow("simulate.installments", "simulate.charge", "simulate.cost"))
	for _, o := range v.Options {
		t.AppendRow(table.Row{o.Installments, l.FormatReais(ledger.Amount(o.Gross)), l.FormatReais(ledger.Amount(o.Cost))})
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

func (s *Subscription) describeURL(l Language) string {
	if s.URL == nil {
		return l.text("webhook_text.nowhere")
	}
	return Escape(*s.URL)
}

func (s *Subscription) describeMatch(l Language) string {
	switch {
	case s.Removed != "":
		return l.text("webhook_text.removed", "what", s.Removed)
	case s.Matches == nil:
		return ""
	case *s.Matches:
		return l.text("webhook_text.here")
	}
	return l.text("webhook_text.not_here", "url", s.Expected)
}

// Subscriptions are those of several accounts.
type Subscriptions []Subscription

// WriteText writes a line for each account.
func (v Subscriptions) WriteText(w io.Writer, l Language) error {
	if len(v) == 0 {
		return nil
	}
	t := NewTable(w)
	t.AppendHeader(l.HeadRow("webhook_text.account", "webhook_text.go_to", ""))
	for i := range v {
		t.AppendRow(table.Row{v[i].Account, v[i].describeURL(l), v[i].describeMatch(l)})
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
func (v *Backfill) WriteText(w io.Writer, l Language) error {
	t := NewTable(w)
	t.AppendHeader(l.HeadRow("plan.account", "plan.list", "plan.days", "plan.complete", "plan.call_column", "plan.windows"))
	days, least, most := 0, 0, 0
	for _, x := range v.Lists {
		days, least, most = days+x.Days, least+len(x.Windows), most+x.Most
		t.AppendRow(table.Row{x.Account, l.label("source", string(x.Source)), x.Days, x.Complete, l.formatRange(len(x.Windows), x.Most), l.describeWindows(x.Windows)})
	}
	t.Render()
	takes := durationAt(least, v.Rate).String()
	if longest := durationAt(most, v.Rate).String(); longest != takes {
		takes = l.text("command.range", "from", takes, "to", longest)
	}
	calls := l.text("plan.range_of_calls", "range", l.formatRange(least, most))
	if most == 1 {
		calls = l.Count(1, "call")
	}
	fmt.Fprintln(w, "\n"+l.text("plan.backfill", "days", l.Count(int64(days), "day"), "calls", calls, "rate", l.spellPoint(strconv.FormatFloat(v.Rate, 'g', -1, 64)), "takes", takes))
	_, err := fmt.Fprintln(w, l.text("plan.backfill_judges", "day", l.FormatDay(v.AsOf)))
	return err
}

// durationAt is how long so many requests take at a pace, in whole seconds, the last one begun.
func durationAt(requests int, perSecond float64) time.Duration {
	return time.Duration(math.Ceil(float64(requests)/perSecond)) * time.Second
}

func (l Language) formatRange(least, most int) string {
	if least == most {
		return strconv.Itoa(least)
	}
	return l.text("command.range", "from", least, "to", most)
}

// describeWindows names the first windows, newest first.
func (l Language) describeWindows(windows []jobs.BackfillRange) string {
	const most = 4
	var b strings.Builder
	for i, p := range windows {
		if i == most {
			b.WriteString(", " + l.text("plan.more_down_to", "n", l.FormatCount(int64(len(windows)-most)), "day", l.FormatDay(windows[len(windows)-1].From)))
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		if p.To == p.From {
			b.WriteString(l.FormatDay(p.From))
		} else {
			b.WriteString(l.formatDays(p.From, p.To))
		}
	}
	return b.String()
}
