package main

import (
	"time"

	"concilia/export"
	"concilia/jobs/casework"
	"concilia/store/ledger"
)

// json is the page as --json prints it.
func (p *statusPage) json() statusJSON {
	out := statusJSON{
		Now: p.Now.UTC().Format(time.RFC3339), AsOf: p.AsOf, Ledger: statusLedger{p.Ledger, p.Size}, Schedule: p.ticks,
		Coverage: []statusCoverage{}, Cases: []statusCases{}, Outbox: []statusOutbox{}, Held: []statusHeld{},
		Inbox: waitingOf(p.Inbox), NotLinked: waitingOf(p.NotLinked), Figures: export.FiguresJSON(p.Figures),
	}
	live := map[string]bool{}
	for _, h := range p.Leases {
		live[h.Run] = true
		out.Held = append(out.Held, statusHeld{h.Account, h.Run, utc(h.Since), h.Host, h.Process})
	}
	for _, r := range []struct {
		run *ledger.Run
		to  **record
	}{{p.LastNightly, &out.LastNight}, {p.Unfinished, &out.Unfinished}} {
		if r.run != nil {
			told := recordOf(r.run, live)
			*r.to = &told
		}
	}
	for _, c := range p.Coverage {
		out.Coverage = append(out.Coverage, statusCoverage{c.Account, c.Source, len(c.Days), c.Complete, c.Partial, c.Missing, c.FirstGap.String()})
	}
	for _, c := range p.Cases {
		out.Cases = append(out.Cases, statusCases{c.Severity, c.State, c.Cases, c.Oldest.String()})
	}
	if f := p.Oldest; f != nil {
		out.Oldest = &statusOldest{f.Case, f.Code, f.Severity, f.Subject, impactText(f.Impact), f.OpenedOn, p.ageOf(f)}
	}
	for _, s := range p.Outbox {
		out.Outbox = append(out.Outbox, statusOutbox{s.Account, s.Basis, s.Period.From, s.Period.To, s.Revision, len(s.Files), s.AsOf})
	}
	return out
}

// ageOf is for how many days a case has been open.
func (p *statusPage) ageOf(f *ledger.Finding) int { return int(p.AsOf - f.OpenedOn) }

func waitingOf(w casework.WaitingItems) statusWaiting { return statusWaiting{w.Count, utc(w.Oldest)} }
