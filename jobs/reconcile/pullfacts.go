package reconcile

import (
	"context"
	"fmt"
	"slices"

	"concilia/jobs/rules"
	"concilia/jobs/rules/runs"
	"concilia/store/ledger"
)

// RecentPulls are the pulls of an account since the last reconcile, including those of this run.
type RecentPulls struct {
	// Pulls are in order of their beginning, complete or not.
	Pulls []ledger.Pull
	// RowsByDay are the rows of each day of a source, by its last window of that day alone in the last 30 days. Largest
	// are the most rows any window of a source ever showed.
	RowsByDay   map[ledger.Source]map[ledger.Date]int64
	LargestRows map[ledger.Source]int64
	// ListCap is the number of rows at which the operator truncates a list; 0: not known.
	ListCap int64
}

// pullFacts are the facts that the rules need about RecentPulls.
type pullFacts struct {
	RecentPulls
	completePulls    map[string]*ledger.Pull         // the complete ones by id
	answeredLists    map[ledger.Source]bool          // those with a complete answer
	conflictingSlips map[string]ledger.Source        // by slip
	slipsOutside     map[string]*ledger.Pull         // by slip
	refusedSlips     map[string]bool                 // by slip: its detail
	daysByRows       map[ledger.Source]map[int64]int // days of Counts by their rows
	unknownFields    map[runs.UnknownField]struct{}  // undocumented members
	truncationByDay  map[sourceDay]runs.Truncation   // of each day that was asked for
	windowLeak       runs.Leak                       // of cards
	largestSkew      ledger.Opt[int64]               // the largest in absolute terms
	simulations      map[string]*ledger.Simulation   // last answer of the simulator, by brand
	// missingRows are the known rows that the answer for a single day lacked, until the day is asked for again; regainedRows
	// are those that the second answer showed.
	missingRows, regainedRows map[sourceDay]int64
}

type sourceDay struct {
	source ledger.Source
	day    ledger.Date
}

func readPullFacts(ctx context.Context, src Source, account ledger.Account) (*pullFacts, error) {
	asked, err := src.RecentPulls(ctx, account)
	if err != nil {
		return nil, fmt.Errorf("what was asked: %w", err)
	}
	a := &pullFacts{
		RecentPulls: asked, completePulls: map[string]*ledger.Pull{}, answeredLists: map[ledger.Source]bool{}, conflictingSlips: map[string]ledger.Source{},
		slipsOutside: map[string]*ledger.Pull{}, refusedSlips: map[string]bool{}, daysByRows: map[ledger.Source]map[int64]int{},
		unknownFields: map[runs.UnknownField]struct{}{}, truncationByDay: map[sourceDay]runs.Truncation{}, windowLeak: runs.Leak{Source: ledger.Cards}, simulations: map[string]*ledger.Simulation{},
		missingRows: map[sourceDay]int64{}, regainedRows: map[sourceDay]int64{},
	}
	for source, days := range asked.RowsByDay {
		a.daysByRows[source] = map[int64]int{}
		for _, n := range days {
			a.daysByRows[source][n]++
		}
	}
	for i := range a.Pulls {
		a.addPull(&a.Pulls[i])
	}
	return a, nil
}

// addPull adds one pull. A later answer about a day replaces an earlier one.
func (a *pullFacts) addPull(p *ledger.Pull) {
	source := p.Window.Source
	a.countRows(p)
	if s := p.Note.Skew; s.OK && (!a.largestSkew.OK || max(s.V, -s.V) > max(a.largestSkew.V, -a.largestSkew.V)) {
		a.largestSkew = s
	}
	for _, m := range p.Note.Unknown {
		a.unknownFields[runs.UnknownField{Source: source, Member: m}] = struct{}{}
	}
	if p.Note.Refused != "" {
		a.refusedSlips[p.Note.Refused] = true
	}
	if s := p.Note.Simulated; s != nil {
		a.simulations[s.Brand] = s
	}
	if !p.Complete {
		return
	}
	a.completePulls[p.ID], a.answeredLists[source] = p, true
	for _, id := range p.Note.Twice {
		a.conflictingSlips[id] = source
	}
	if p.Note.Wider {
		return
	}
	for _, id := range p.Note.SlipsOutside {
		a.slipsOutside[id] = p
	}
	if source == ledger.Cards {
		if a.windowLeak.Windows++; a.windowLeak.Rows == 0 {
			a.windowLeak.Day, a.windowLeak.Window = p.Note.Day, p.Window.Period
		}
		a.windowLeak.Rows += p.Note.Outside
	}
}

// countRows notes the rows of the days of a window. For a window that was asked for again in halves, the halves count,
// until a window of a single day shows the rows of that day.
func (a *pullFacts) countRows(p *ledger.Pull) {
	source := p.Window.Source
	several, alone := p.Window.Period.Days() > 1, sourceDay{source, p.Window.Period.From}
	if !several && p.Note.Missing > 0 {
		a.missingRows[alone] = p.Note.Missing
	}
	if source == ledger.SlipDetail || source == ledger.Simulator || p.Note.Wider || !p.Complete && !p.Note.Halved {
		return
	}
	if n := a.missingRows[alone]; n > 0 && !several {
		a.regainedRows[alone] = n - p.Counts.Vanished
		delete(a.missingRows, alone)
	}
	for d := p.Window.Period.From; d <= p.Window.Period.To; d++ {
		t := runs.Truncation{
			Source: source, Day: d, Rows: p.Counts.Rows, Cap: a.ListCap, Largest: a.LargestRows[source],
			Days: a.daysByRows[source][p.Counts.Rows], Several: several,
		}
		if p.Note.Halved {
			t.Halves, t.Differ = ledger.Some(p.Note.Halves), slices.Contains(p.Note.Cut, d)
		}
		if !several {
			t.Regained = a.regainedRows[alone]
		}
		if known, ok := a.truncationByDay[sourceDay{source, d}]; ok && several && (!known.Several || known.Halves.OK && !t.Halves.OK) {
			continue
		}
		a.truncationByDay[sourceDay{source, d}] = t
	}
}

// describeSlip returns what the answers show about a slip apart from its views.
func (a *pullFacts) describeSlip(s *ledger.Slip) rules.SlipNote {
	n := rules.SlipNote{Twice: a.conflictingSlips[s.ID], Refused: a.refusedSlips[s.ID], Detail: a.refusedSlips[s.ID]}
	for i := range s.Views {
		v := &s.Views[i]
		switch {
		case a.completePulls[v.LastPull] == nil:
		case v.List == ledger.SlipDetail:
			n.Detail, n.Refused = true, false
		default:
			n.Asked = true
		}
	}
	p := a.slipsOutside[s.ID]
	if p == nil {
		return n
	}
	if v := s.View(p.Window.Source); v != nil && !p.Window.Period.Contains(v.ListDay()) {
		n.Outside, n.On, n.Window = v.List, v.ListDay(), p.Window.Period
	}
	return n
}
