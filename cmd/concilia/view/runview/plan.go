package runview

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"concilia/cmd/concilia/view"
	"concilia/export/words"
	"concilia/jobs/plan"
	"concilia/store/ledger"
)

// Plan is what a night would ask for, and why.
type Plan struct {
	AsOf     ledger.Date   `json:"as_of"`
	Accounts []AccountPlan `json:"accounts"`
	Delays   []PlanDelay   `json:"delays"`
	Calls    int           `json:"calls"`
	LookBack int           `json:"look_back_calls"` // of asking for the last 400 days of every list
}

// AccountPlan is the plan of an account.
type AccountPlan struct {
	Account       ledger.Account  `json:"account"`
	Name          string          `json:"name"`
	Since         ledger.Date     `json:"since"`
	Notifications bool            `json:"notifications"`
	Windows       []PlannedWindow `json:"windows"`
	Probes        []PlannedWindow `json:"beside"` // additional questions, whose answers prove no day
}

// PlannedWindow is a window, or a probe request.
type PlannedWindow struct {
	Source      ledger.Source `json:"source"`
	From        ledger.Date   `json:"from"`
	To          ledger.Date   `json:"to"`
	Reason      string        `json:"reason"`
	Wider       bool          `json:"wider,omitempty"`
	Integration int64         `json:"status_integration,omitempty"`
	Slip        string        `json:"slip,omitempty"`
	Brand       string        `json:"brand,omitempty"`
}

// PlanDelay is after how many nights something is seen at the latest.
type PlanDelay struct {
	What   string `json:"what"`
	Nights int    `json:"nights"`
}

// PlanOf is the plan of a night.
func PlanOf(p *plan.NightPlan) *Plan {
	out := &Plan{AsOf: p.AsOf, Calls: p.CountRequests(), LookBack: p.FullSearchRequests()}
	for i := range p.Accounts {
		a := &p.Accounts[i]
		one := AccountPlan{
			Account: a.Number, Name: a.Name, Since: a.Since, Notifications: a.Notified, Windows: []PlannedWindow{}, Probes: []PlannedWindow{},
		}
		for j := range a.Windows {
			one.Windows = append(one.Windows, windowOf(&a.Windows[j]))
		}
		for j := range a.Probes {
			b := &a.Probes[j]
			w := windowOf(&b.Window)
			w.Wider, w.Integration, w.Slip, w.Brand = b.Wider, b.Integration.V, b.Slip, b.Brand
			one.Probes = append(one.Probes, w)
		}
		out.Accounts = append(out.Accounts, one)
	}
	for _, d := range plan.Delays() {
		out.Delays = append(out.Delays, PlanDelay(d))
	}
	return out
}

func windowOf(w *ledger.Window) PlannedWindow {
	return PlannedWindow{Source: w.Source, From: w.Period.From, To: w.Period.To, Reason: w.Reason}
}

// WriteText writes the windows by account, list and reason, then what the plan promises and costs.
func (v *Plan) WriteText(w io.Writer, l view.Language) error {
	windows, probes := 0, 0
	for i := range v.Accounts {
		a := &v.Accounts[i]
		a.writeText(w, l)
		windows, probes = windows+len(a.Windows), probes+len(a.Probes)
	}
	fmt.Fprintln(w, words.Text(l, "plan.seen_at_latest"))
	t := view.NewTable(w)
	for _, d := range v.Delays {
		t.AppendRow(table.Row{words.Label(l, "plan_delay", d.What), l.Count(int64(d.Nights), "within_night")})
	}
	t.Render()
	_, err := fmt.Fprintln(w, "\n"+words.Text(l, "plan.calls", "day", l.FormatDay(v.AsOf), "calls", l.Count(int64(windows+probes), "call"), "beside", probes, "look_back", v.LookBack))
	return err
}

func (a *AccountPlan) writeText(w io.Writer, l view.Language) {
	notifications := "plan.takes_no_notifications"
	if a.Notifications {
		notifications = "plan.takes_notifications"
	}
	fmt.Fprintln(w, words.Text(l, "plan.account_since", "account", strings.TrimSpace(a.Account.String()+" "+a.Name), "day", l.FormatDay(a.Since), "notifications", words.Text(l, notifications)))
	t := view.NewTable(w, 2)
	t.AppendHeader(l.HeadRow("plan.list", "plan.windows", "plan.reason", "plan.days"))
	last := ledger.Source("")
	for _, g := range a.groupByReason() {
		name := words.Label(l, "source", string(g.source))
		if g.source == last {
			name = ""
		}
		last = g.source
		t.AppendRow(table.Row{name, g.windows, words.Label(l, "plan_reason", g.reason) + g.what, g.days.describe(l)})
	}
	t.Render()
	fmt.Fprintln(w)
}

// planGroup is what one list is asked for one reason.
type planGroup struct {
	source  ledger.Source
	reason  string
	what    string // a state of slips or a brand, in brackets
	windows int
	days    dayRanges
}

// groupByReason are the windows by list and reason, in order of the first day that each has, then the probe requests.
func (a *AccountPlan) groupByReason() []*planGroup {
	var out []*planGroup
	type name struct{ list, reason string }
	known := map[name]*planGroup{}
	add := func(w *PlannedWindow, what string) {
		// JSON has the reason of each finished window; here there would be as many reasons as windows.
		reason := w.Reason
		if strings.HasPrefix(reason, "finished on ") {
			reason = "finished, and looked at again ever more rarely"
		}
		n := name{string(w.Source), reason + what}
		g := known[n]
		if g == nil {
			g = &planGroup{source: w.Source, reason: reason, what: what}
			known[n], out = g, append(out, g)
		}
		g.windows++
		g.days.add(ledger.Period{From: w.From, To: w.To})
	}
	for i := range a.Windows {
		add(&a.Windows[i], "")
	}
	for i := range a.Probes {
		p, what := &a.Probes[i], ""
		if p.Integration != 0 {
			what = fmt.Sprintf(" (%d)", p.Integration)
		}
		if p.Brand != "" {
			what = " (" + p.Brand + ")"
		}
		add(p, what)
	}
	return out
}

// dayRanges are stretches of days, the newest first, as the windows come.
type dayRanges []ledger.Period

func (r *dayRanges) add(p ledger.Period) {
	if n := len(*r); n > 0 && (*r)[n-1].From == p.To+1 {
		(*r)[n-1].From = p.From
		return
	}
	*r = append(*r, p)
}

// rangesShown is how many stretches a line names.
const rangesShown = 4

// describe names the first stretches.
func (r dayRanges) describe(l view.Language) string {
	var parts []string
	for _, p := range r[:min(len(r), rangesShown)] {
		parts = append(parts, l.FormatPeriod(p.From, p.To))
	}
	if more := len(r) - rangesShown; more > 0 {
		parts = append(parts, words.Text(l, "command.and_more", "n", l.FormatCount(int64(more))))
	}
	return strings.Join(parts, ", ")
}
