package main

import (
	"concilia/jobs/plan"
	"concilia/store/ledger"
)

// planJSON is a plan as plan --json prints it.
type planJSON struct {
	AsOf     ledger.Date       `json:"as_of"`
	Accounts []accountPlanJSON `json:"accounts"`
	Delays   []delayJSON       `json:"delays"`
	Calls    int               `json:"calls"`
	LookBack int               `json:"look_back_calls"`
}

type accountPlanJSON struct {
	Account       ledger.Account `json:"account"`
	Name          string         `json:"name"`
	Since         ledger.Date    `json:"since"`
	Notifications bool           `json:"notifications"`
	Windows       []windowJSON   `json:"windows"`
	Beside        []windowJSON   `json:"beside"`
}

// windowJSON is a window, or a question beside them.
type windowJSON struct {
	Source      ledger.Source `json:"source"`
	From        ledger.Date   `json:"from"`
	To          ledger.Date   `json:"to"`
	Reason      string        `json:"reason"`
	Wider       bool          `json:"wider,omitempty"`
	Integration int64         `json:"status_integration,omitempty"`
	Slip        string        `json:"slip,omitempty"`
	Brand       string        `json:"brand,omitempty"`
}

type delayJSON struct {
	What   string `json:"what"`
	Nights int    `json:"nights"`
}

func planOf(p *plan.NightPlan) planJSON {
	out := planJSON{AsOf: p.AsOf, Calls: p.CountRequests(), LookBack: p.FullSearchRequests()}
	for i := range p.Accounts {
		a := &p.Accounts[i]
		one := accountPlanJSON{
			Account: a.Number, Name: a.Name, Since: a.Since, Notifications: a.Notified, Windows: []windowJSON{}, Beside: []windowJSON{},
		}
		for j := range a.Windows {
			one.Windows = append(one.Windows, windowOf(&a.Windows[j]))
		}
		for j := range a.Probes {
			b := &a.Probes[j]
			w := windowOf(&b.Window)
			w.Wider, w.Integration, w.Slip, w.Brand = b.Wider, b.Integration.V, b.Slip, b.Brand
			one.Beside = append(one.Beside, w)
		}
		out.Accounts = append(out.Accounts, one)
	}
	for _, d := range plan.Delays() {
		out.Delays = append(out.Delays, delayJSON(d))
	}
	return out
}

func windowOf(w *ledger.Window) windowJSON {
	return windowJSON{Source: w.Source, From: w.Period.From, To: w.Period.To, Reason: w.Reason}
}
