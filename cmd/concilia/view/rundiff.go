package view

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"concilia/jobs/casework"
	"concilia/store/ledger"
)

// RunDiff is what changed from a run to a later one.
type RunDiff struct {
	From      string           `json:"from"`
	To        string           `json:"to"`
	Accounts  []ledger.Account `json:"accounts"`
	Pulled    DiffPulled       `json:"pulled"`
	Periods   []DiffPeriod     `json:"periods"`
	Totals    []DiffTotal      `json:"totals"`
	Cases     DiffCases        `json:"cases"`
	Documents []DiffDocument   `json:"documents"`
	Sets      []DiffSet        `json:"sets"`

	runs [2]*ledger.Run // for text: what the two came to
}

// DiffPulled is what was pulled in between.
type DiffPulled struct {
	Rows        int64 `json:"rows"`
	New         int64 `json:"new"`
	Changed     int64 `json:"changed"`
	Same        int64 `json:"same"`
	Vanished    int64 `json:"vanished"`
	Quarantined int64 `json:"quarantined"`
}

// DiffPeriod is a month that totals are of.
type DiffPeriod struct {
	From ledger.Date `json:"from"`
	To   ledger.Date `json:"to"`
}

// DiffTotal is a total before and after.
type DiffTotal struct {
	Name   string `json:"name"`
	Before Amount `json:"before"`
	After  Amount `json:"after"`
	Change Amount `json:"change"`
}

// DiffCases are the cases that differ.
type DiffCases struct {
	Opened      DiffGroup `json:"opened"`
	Resolved    DiffGroup `json:"resolved"`
	Closed      DiffGroup `json:"closed"`
	Changed     DiffGroup `json:"changed"`
	OtherState  int64     `json:"other_state"`
	CameAndWent int64     `json:"came_and_went"`
}

// DiffGroup is cases that differ in one way: Amount is the sum of the impacts, of changed cases of their differences.
type DiffGroup struct {
	Cases  int64      `json:"cases"`
	Amount Amount     `json:"amount"`
	Top    []DiffCase `json:"top"` // the largest
}

// DiffCase is a case before and after.
type DiffCase struct {
	Account      ledger.Account  `json:"account"`
	Case         string          `json:"case"`
	Code         string          `json:"code"`
	Subject      string          `json:"subject"`
	Severity     ledger.Severity `json:"severity"`
	StateBefore  ledger.State    `json:"state_before"`
	State        ledger.State    `json:"state"`
	ImpactBefore OptionalAmount  `json:"impact_before"`
	Impact       OptionalAmount  `json:"impact"`
}

// DiffDocument is a document whose hash differs; empty: there is none.
type DiffDocument struct {
	Name   string `json:"name"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// DiffSet is a revision published in between.
type DiffSet struct {
	Account  string      `json:"account"`
	Basis    string      `json:"basis"`
	From     ledger.Date `json:"from"`
	To       ledger.Date `json:"to"`
	Filter   string      `json:"filter,omitempty"`
	Revision int         `json:"revision"`
	Files    []DiffFile  `json:"files"`
}

// DiffFile is a file of such a revision.
type DiffFile struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Kind   string `json:"kind"`
	Format string `json:"format"`
}

// RunDiffOf is what changed between two runs.
func RunDiffOf(d *casework.RunDiff) *RunDiff {
	p := d.Pulled
	out := &RunDiff{
		From: d.From.ID, To: d.To.ID, Accounts: d.Accounts, runs: [2]*ledger.Run{d.From, d.To},
		Pulled:  DiffPulled{p.Rows, p.New, p.Changed, p.Same, p.Vanished, p.Quarantined},
		Periods: []DiffPeriod{}, Totals: []DiffTotal{}, Documents: []DiffDocument{}, Sets: []DiffSet{},
		Cases: DiffCases{
			Opened: diffGroupOf(&d.Cases.Opened), Resolved: diffGroupOf(&d.Cases.Resolved), Closed: diffGroupOf(&d.Cases.Closed),
			Changed: diffGroupOf(&d.Cases.Changed), OtherState: d.Cases.StateChanged, CameAndWent: d.Cases.OpenedAndEnded,
		},
	}
	for _, p := range d.Periods {
		out.Periods = append(out.Periods, DiffPeriod{p.From, p.To})
	}
	for _, s := range d.Sums {
		out.Totals = append(out.Totals, DiffTotal{s.Name, Amount(s.Before), Amount(s.After), Amount(s.After - s.Before)})
	}
	for _, doc := range d.Documents {
		out.Documents = append(out.Documents, DiffDocument(doc))
	}
	for _, s := range d.Sets {
		set := DiffSet{s.Account, s.Basis, s.Period.From, s.Period.To, s.Filter, s.Revision, []DiffFile{}}
		for _, f := range s.Files {
			set.Files = append(set.Files, DiffFile{f.Path, f.SHA256, f.Kind, f.Format})
		}
		out.Sets = append(out.Sets, set)
	}
	return out
}

func diffGroupOf(g *casework.CaseGroup) DiffGroup {
	out := DiffGroup{Cases: g.Cases, Amount: Amount(g.Amount), Top: []DiffCase{}}
	for _, c := range g.Top {
		out.Top = append(out.Top, DiffCase{
			c.Account, c.Case, c.Code, c.Subject, c.Severity, c.Before, c.After, OptionalAmount(c.ImpactBefore), OptionalAmount(c.Impact),
		})
	}
	return out
}

// Runs are the two.
func (v *RunDiff) Runs() [2]*ledger.Run { return v.runs }

// WriteText writes what changed.
func (v *RunDiff) WriteText(w io.Writer, l Language) error {
	s := &screen{l: l, width: 10}
	for i, r := range v.runs {
		state := l.formatVerdict(r.Verdict)
		if !r.Finished() {
			state = l.text("rundiff.not_ended")
		}
		s.writeLine([]string{"rundiff.from", "rundiff.to"}[i], strings.TrimSuffix(
			l.text("rundiff.run", "run", r.ID, "kind", l.label("run_kind", string(r.Kind)), "day", l.FormatDay(r.AsOf))+": "+state, ": "))
	}
	p := v.Pulled
	s.writeText("rundiff.rows", "rundiff.pulled_rows", "new", l.FormatCount(p.New), "changed", l.FormatCount(p.Changed),
		"vanished", l.FormatCount(p.Vanished), "quarantined", l.FormatCount(p.Quarantined))
	periods := make([]string, len(v.Periods))
	for i, p := range v.Periods {
		periods[i] = l.formatDays(p.From, p.To)
	}
	s.writeText("rundiff.totals", "rundiff.totals_of", "periods", strings.Join(periods, ", "))
	v.writeTotals(&s.b, l)
	v.Cases.writeText(s)
	for _, doc := range v.Documents {
		s.writeText("rundiff.document", "rundiff.document_changed", "name", l.nameDocument(doc.Name), "after", l.shortenHash(doc.After), "before", l.shortenHash(doc.Before))
	}
	if len(v.Documents) == 0 {
		s.writeText("rundiff.documents", "rundiff.documents_same")
	}
	for _, set := range v.Sets {
		s.writeLine("rundiff.set", l.formatSet(set.Account, set.Basis, set.From, set.To, set.Filter, set.Revision)+", "+l.Count(int64(len(set.Files)), "file"))
	}
	if len(v.Sets) == 0 {
		s.writeText("rundiff.sets", "rundiff.no_revision")
	}
	return s.writeTo(w)
}

// writeTotals writes the totals that moved, and those that people ask for first whether they did or not.
func (v *RunDiff) writeTotals(w io.Writer, l Language) {
	always := []string{"cards.gross", "cards.net_expected", "cards.received", "cards.difference"}
	t := NewTable(w, 2, 3, 4)
	t.AppendHeader(l.HeadRow("", "rundiff.before", "rundiff.after", "rundiff.change"))
	for _, s := range v.Totals {
		if s.Change != 0 || slices.Contains(always, s.Name) {
			t.AppendRow(table.Row{
				"  " + strings.ReplaceAll(l.label("run_total", s.Name), "_", " "), l.FormatReais(ledger.Amount(s.Before)), l.FormatReais(ledger.Amount(s.After)),
				l.formatChange(ledger.Amount(s.Change)),
			})
		}
	}
	t.Render()
}

func (c *DiffCases) writeText(s *screen) {
	l := s.l
	for _, group := range []struct {
		name string
		g    *DiffGroup
	}{{"rundiff.opened", &c.Opened}, {"rundiff.resolved", &c.Resolved}, {"rundiff.closed", &c.Closed}, {"rundiff.changed", &c.Changed}} {
		amount := l.FormatReais(ledger.Amount(group.g.Amount))
		if group.g == &c.Changed {
			amount = l.formatChange(ledger.Amount(group.g.Amount))
		}
		s.writeLine(group.name, l.Count(group.g.Cases, "case")+", R$ "+amount)
		for i := range group.g.Top {
			x := &group.g.Top[i]
			fmt.Fprintf(&s.b, "  %s %12s  %s %s\n", x.Case, x.formatImpact(l), x.Code, x.Subject)
		}
		if more := group.g.Cases - int64(len(group.g.Top)); more > 0 {
			s.b.WriteString("  " + l.text("command.and_more", "n", l.FormatCount(more)) + "\n")
		}
	}
	if c.OtherState+c.CameAndWent > 0 {
		s.writeText("rundiff.besides", "rundiff.other_cases", "cases", l.Count(c.OtherState, "case"), "n", l.FormatCount(c.CameAndWent))
	}
}

// formatImpact is what a case comes to now, or came to before it was over, or by how much it changed.
func (c *DiffCase) formatImpact(l Language) string {
	switch {
	case c.StateBefore.IsUnresolved() && c.State.IsUnresolved():
		return l.formatChange(c.Impact.V - c.ImpactBefore.V)
	case c.State.IsUnresolved():
		return l.FormatReais(c.Impact.V)
	}
	return l.FormatReais(c.ImpactBefore.V)
}

// shortenHash is the beginning of a hash, enough to distinguish two.
func (l Language) shortenHash(h string) string {
	if h == "" {
		return l.text("rundiff.no_document")
	}
	return h[:min(len(h), 12)]
}
