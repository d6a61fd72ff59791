package runview

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"concilia/cmd/concilia/view"
	"concilia/export/words"
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
	Name   string      `json:"name"`
	Before view.Amount `json:"before"`
	After  view.Amount `json:"after"`
	Change view.Amount `json:"change"`
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
	Cases  int64       `json:"cases"`
	Amount view.Amount `json:"amount"`
	Top    []DiffCase  `json:"top"` // the largest
}

// DiffCase is a case before and after.
type DiffCase struct {
	Account      ledger.Account      `json:"account"`
	Case         string              `json:"case"`
	Code         string              `json:"code"`
	Subject      string              `json:"subject"`
	Severity     ledger.Severity     `json:"severity"`
	StateBefore  ledger.State        `json:"state_before"`
	State        ledger.State        `json:"state"`
	ImpactBefore view.OptionalAmount `json:"impact_before"`
	Impact       view.OptionalAmount `json:"impact"`
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
		out.Totals = append(out.Totals, DiffTotal{s.Name, view.Amount(s.Before), view.Amount(s.After), view.Amount(s.After - s.Before)})
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
	out := DiffGroup{Cases: g.Cases, Amount: view.Amount(g.Amount), Top: []DiffCase{}}
	for _, c := range g.Top {
		out.Top = append(out.Top, DiffCase{
			c.Account, c.Case, c.Code, c.Subject, c.Severity, c.Before, c.After, view.OptionalAmount(c.ImpactBefore), view.OptionalAmount(c.Impact),
		})
	}
	return out
}

// Runs are the two.
func (v *RunDiff) Runs() [2]*ledger.Run { return v.runs }

// WriteText writes what changed.
func (v *RunDiff) WriteText(w io.Writer, l view.Language) error {
	s := view.NewScreen(l, 10)
	for i, r := range v.runs {
		state := l.FormatVerdict(r.Verdict)
		if !r.Finished() {
			state = words.Text(l, "rundiff.not_ended")
		}
		s.AddLine([]string{"rundiff.from", "rundiff.to"}[i], strings.TrimSuffix(
			words.Text(l, "rundiff.run", "run", r.ID, "kind", words.Label(l, "run_kind", string(r.Kind)), "day", l.FormatDay(r.AsOf))+": "+state, ": "))
	}
	p := v.Pulled
	s.AddText("rundiff.rows", "rundiff.pulled_rows", "new", l.FormatCount(p.New), "changed", l.FormatCount(p.Changed),
		"vanished", l.FormatCount(p.Vanished), "quarantined", l.FormatCount(p.Quarantined))
	periods := make([]string, len(v.Periods))
	for i, p := range v.Periods {
		periods[i] = l.FormatDays(p.From, p.To)
	}
	s.AddText("rundiff.totals", "rundiff.totals_of", "periods", strings.Join(periods, ", "))
	v.writeTotals(s, l)
	v.Cases.writeText(s)
	for _, doc := range v.Documents {
		s.AddText("rundiff.document", "rundiff.document_changed", "name", nameDocument(l, doc.Name), "after", shortenHash(l, doc.After), "before", shortenHash(l, doc.Before))
	}
	if len(v.Documents) == 0 {
		s.AddText("rundiff.documents", "rundiff.documents_same")
	}
	for _, set := range v.Sets {
		s.AddLine("rundiff.set", formatSet(l, set.Account, set.Basis, set.From, set.To, set.Filter, set.Revision)+", "+l.Count(int64(len(set.Files)), "file"))
	}
	if len(v.Sets) == 0 {
		s.AddText("rundiff.sets", "rundiff.no_revision")
	}
	return s.Print(w)
}

// writeTotals writes the totals that moved, and those that people ask for first whether they did or not.
func (v *RunDiff) writeTotals(w io.Writer, l view.Language) {
	always := []string{"cards.gross", "cards.net_expected", "cards.received", "cards.difference"}
	t := view.NewTable(w, 2, 3, 4)
	t.AppendHeader(l.HeadRow("", "rundiff.before", "rundiff.after", "rundiff.change"))
	for _, s := range v.Totals {
		if s.Change != 0 || slices.Contains(always, s.Name) {
			t.AppendRow(table.Row{
				"  " + strings.ReplaceAll(words.Label(l, "run_total", s.Name), "_", " "), l.FormatReais(ledger.Amount(s.Before)), l.FormatReais(ledger.Amount(s.After)),
				formatChange(l, ledger.Amount(s.Change)),
			})
		}
	}
	t.Render()
}

func (c *DiffCases) writeText(s *view.Screen) {
	l := s.Language
	for _, group := range []struct {
		name string
		g    *DiffGroup
	}{{"rundiff.opened", &c.Opened}, {"rundiff.resolved", &c.Resolved}, {"rundiff.closed", &c.Closed}, {"rundiff.changed", &c.Changed}} {
		amount := l.FormatReais(ledger.Amount(group.g.Amount))
		if group.g == &c.Changed {
			amount = formatChange(l, ledger.Amount(group.g.Amount))
		}
		s.AddLine(group.name, l.Count(group.g.Cases, "case")+", R$ "+amount)
		for i := range group.g.Top {
			x := &group.g.Top[i]
			fmt.Fprintf(s, "  %s %12s  %s %s\n", x.Case, x.formatImpact(l), x.Code, x.Subject)
		}
		if more := group.g.Cases - int64(len(group.g.Top)); more > 0 {
			fmt.Fprintln(s, "  "+words.Text(l, "command.and_more", "n", l.FormatCount(more)))
		}
	}
	if c.OtherState+c.CameAndWent > 0 {
		s.AddText("rundiff.besides", "rundiff.other_cases", "cases", l.Count(c.OtherState, "case"), "n", l.FormatCount(c.CameAndWent))
	}
}

// formatImpact is what a case comes to now, or came to before it was over, or by how much it changed.
func (c *DiffCase) formatImpact(l view.Language) string {
	switch {
	case c.StateBefore.IsUnresolved() && c.State.IsUnresolved():
		return formatChange(l, c.Impact.V-c.ImpactBefore.V)
	case c.State.IsUnresolved():
		return l.FormatReais(c.Impact.V)
	}
	return l.FormatReais(c.ImpactBefore.V)
}

// shortenHash is the beginning of a hash, enough to distinguish two.
func shortenHash(l view.Language, h string) string {
	if h == "" {
		return words.Text(l, "rundiff.no_document")
	}
	return h[:min(len(h), 12)]
}
