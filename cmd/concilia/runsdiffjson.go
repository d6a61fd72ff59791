package main

import (
	"concilia/jobs/casework"
	"concilia/store/ledger"
)

// runDiff is what runs diff --json prints.
type runDiff struct {
	From      string           `json:"from"`
	To        string           `json:"to"`
	Accounts  []ledger.Account `json:"accounts"`
	Pulled    diffPulled       `json:"pulled"`
	Periods   []diffPeriod     `json:"periods"`
	Totals    []diffTotal      `json:"totals"`
	Cases     diffCases        `json:"cases"`
	Documents []diffDocument   `json:"documents"`
	Sets      []diffSet        `json:"sets"`
}

type diffPulled struct {
	Rows        int64 `json:"rows"`
	New         int64 `json:"new"`
	Changed     int64 `json:"changed"`
	Same        int64 `json:"same"`
	Vanished    int64 `json:"vanished"`
	Quarantined int64 `json:"quarantined"`
}

type diffPeriod struct {
	From ledger.Date `json:"from"`
	To   ledger.Date `json:"to"`
}

type diffTotal struct {
	Name   string `json:"name"`
	Before string `json:"before"`
	After  string `json:"after"`
	Change string `json:"change"`
}

type diffCases struct {
	Opened      diffGroup `json:"opened"`
	Resolved    diffGroup `json:"resolved"`
	Closed      diffGroup `json:"closed"`
	Changed     diffGroup `json:"changed"`
	OtherState  int64     `json:"other_state"`
	CameAndWent int64     `json:"came_and_went"`
}

type diffGroup struct {
	Cases  int64      `json:"cases"`
	Amount string     `json:"amount"`
	Top    []diffCase `json:"top"`
}

type diffCase struct {
	Account      ledger.Account  `json:"account"`
	Case         string          `json:"case"`
	Code         string          `json:"code"`
	Subject      string          `json:"subject"`
	Severity     ledger.Severity `json:"severity"`
	StateBefore  ledger.State    `json:"state_before"`
	State        ledger.State    `json:"state"`
	ImpactBefore string          `json:"impact_before"`
	Impact       string          `json:"impact"`
}

type diffDocument struct {
	Name   string `json:"name"`
	Before string `json:"before"`
	After  string `json:"after"`
}

type diffSet struct {
	Account  string      `json:"account"`
	Basis    string      `json:"basis"`
	From     ledger.Date `json:"from"`
	To       ledger.Date `json:"to"`
	Filter   string      `json:"filter,omitempty"`
	Revision int         `json:"revision"`
	Files    []diffFile  `json:"files"`
}

type diffFile struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Kind   string `json:"kind"`
	Format string `json:"format"`
}

func diffOf(d *casework.RunDiff) runDiff {
	p := d.Pulled
	out := runDiff{
		From: d.From.ID, To: d.To.ID, Accounts: d.Accounts,
		Pulled:  diffPulled{p.Rows, p.New, p.Changed, p.Same, p.Vanished, p.Quarantined},
		Periods: []diffPeriod{}, Totals: []diffTotal{}, Documents: []diffDocument{}, Sets: []diffSet{},
		Cases: diffCases{
			Opened: groupOf(&d.Cases.Opened), Resolved: groupOf(&d.Cases.Resolved), Closed: groupOf(&d.Cases.Closed),
			Changed: groupOf(&d.Cases.Changed), OtherState: d.Cases.StateChanged, CameAndWent: d.Cases.OpenedAndEnded,
		},
	}
	for _, p := range d.Periods {
		out.Periods = append(out.Periods, diffPeriod{p.From, p.To})
	}
	for _, s := range d.Sums {
		out.Totals = append(out.Totals, diffTotal{s.Name, s.Before.String(), s.After.String(), (s.After - s.Before).String()})
	}
	for _, doc := range d.Documents {
		out.Documents = append(out.Documents, diffDocument(doc))
	}
	for _, s := range d.Sets {
		set := diffSet{s.Account, s.Basis, s.Period.From, s.Period.To, s.Filter, s.Revision, []diffFile{}}
		for _, f := range s.Files {
			set.Files = append(set.Files, diffFile{f.Path, f.SHA256, f.Kind, f.Format})
		}
		out.Sets = append(out.Sets, set)
	}
	return out
}

func groupOf(g *casework.CaseGroup) diffGroup {
	out := diffGroup{Cases: g.Cases, Amount: g.Amount.String(), Top: []diffCase{}}
	for _, c := range g.Top {
		out.Top = append(out.Top, diffCase{
			c.Account, c.Case, c.Code, c.Subject, c.Severity, c.Before, c.After, impactText(c.ImpactBefore), impactText(c.Impact),
		})
	}
	return out
}
