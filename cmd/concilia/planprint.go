package main

import (
	"fmt"
	"io"
	"strings"

	"concilia/jobs/plan"
	"concilia/store/ledger"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// printPlan prints the windows by account, list and reason, then what the plan promises and costs.
func printPlan(w io.Writer, p *plan.NightPlan) error {
	for i := range p.Accounts {
		printAccountPlan(w, &p.Accounts[i])
	}
	fmt.Fprintln(w, "Seen at the latest, once the service shows it:")
	t := newTable(w)
	for _, d := range plan.Delays() {
		nights := fmt.Sprintf("within %d nights", d.Nights)
		if d.Nights == 1 {
			nights = "the next night"
		}
		t.AppendRow(table.Row{d.What, nights})
	}
	t.Render()
	windows, beside := 0, 0
	for i := range p.Accounts {
		windows, beside = windows+len(p.Accounts[i].Windows), beside+len(p.Accounts[i].Probes)
	}
	_, err := fmt.Fprintf(w, "\nAs of %s: %s, of them %d beside the windows; the last 400 days of every list would be %d.\n",
		p.AsOf, things(windows+beside, "call", "calls"), beside, p.FullSearchRequests())
	return err
}

func printAccountPlan(w io.Writer, a *plan.AccountPlan) {
	told := "takes no notifications"
	if a.Notified {
		told = "takes notifications"
	}
	fmt.Fprintf(w, "account %s, answered for since %s, %s\n", strings.TrimSpace(a.Number.String()+" "+a.Name), a.Since, told)
	t := newTable(w)
	t.AppendHeader(table.Row{"list", "windows", "reason", "days"})
	t.SetColumnConfigs([]table.ColumnConfig{{Number: 2, Align: text.AlignRight}})
	last := ledger.Source("")
	for _, g := range groupsOf(a) {
		name := string(g.source)
		if g.source == last {
			name = ""
		}
		last = g.source
		t.AppendRow(table.Row{name, g.windows, g.reason, g.days.String()})
	}
	t.Render()
	fmt.Fprintln(w)
}

// planGroup is what one list is asked for one reason.
type planGroup struct {
	source  ledger.Source
	reason  string
	windows int
	days    dayRuns
}

// groupsOf are the windows by list and reason, in order of the first day that each has, then what is asked beside them.
func groupsOf(a *plan.AccountPlan) []*planGroup {
	var out []*planGroup
	type name struct{ list, reason string }
	known := map[name]*planGroup{}
	add := func(w *ledger.Window, what string) {
		// What was finished is told one by one in JSON; here the reason would be as many as the windows.
		reason := w.Reason
		if strings.HasPrefix(reason, "finished on ") {
			reason = "finished, and looked at again ever more rarely"
		}
		n := name{string(w.Source), reason + what}
		g := known[n]
		if g == nil {
			g = &planGroup{source: w.Source, reason: n.reason}
			known[n], out = g, append(out, g)
		}
		g.windows++
		g.days.add(w.Period)
	}
	for i := range a.Windows {
		add(&a.Windows[i], "")
	}
	for i := range a.Probes {
		b, what := &a.Probes[i], ""
		if b.Integration.OK {
			what = fmt.Sprintf(" (%d)", b.Integration.V)
		}
		if b.Brand != "" {
			what = " (" + b.Brand + ")"
		}
		add(&b.Window, what)
	}
	return out
}

// dayRuns are stretches of days, the newest first, as the windows come.
type dayRuns []ledger.Period

func (r *dayRuns) add(p ledger.Period) {
	if n := len(*r); n > 0 && (*r)[n-1].From == p.To+1 {
		(*r)[n-1].From = p.From
		return
	}
	*r = append(*r, p)
}

// shownRuns is how many stretches a line names.
const shownRuns = 4

func (r dayRuns) String() string {
	var parts []string
	for _, p := range r[:min(len(r), shownRuns)] {
		if p.From == p.To {
			parts = append(parts, p.From.String())
		} else {
			parts = append(parts, p.From.String()+" to "+p.To.String())
		}
	}
	if more := len(r) - shownRuns; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, ", ")
}
