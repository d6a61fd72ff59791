package casework

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"concilia/export/report"
	"concilia/jobs/source"
	"concilia/store/ledger"
	"concilia/store/published"
	"concilia/store/reports"
	"concilia/store/sqldb"
)

// RunDiff is what changed between two runs, in the records and the expectations of the ledger when each had reconciled.
type RunDiff struct {
	From, To *ledger.Run
	Accounts []ledger.Account // of either, in order
	// Pulled is what was first known to the reconciles after From, up to and including To.
	Pulled ledger.Counts
	// Periods are the operation months that a night of either run would publish, oldest first. Sums are over them, by
	// name.
	Periods []ledger.Period
	Sums    []SumChange
	Cases   CaseChanges
	// Documents are those that differ between the two records: contract, mapping, profile, rules, calendars, config and
	// the engine's commit.
	Documents []DocumentChange
	Sets      []*published.Set // revisions made after From, up to To
}

// SumChange is a total as of each of two runs.
type SumChange struct {
	Name          string
	Before, After ledger.Amount
}

// DocumentChange is a document with the hash that each run used; empty if the run used none.
type DocumentChange struct{ Name, Before, After string }

// CaseChanges groups the cases by what happened to them; each is in at most one group.
type CaseChanges struct {
	Opened         CaseGroup // unresolved now, not before
	Resolved       CaseGroup // by data
	Closed         CaseGroup // by a person, or by age
	Changed        CaseGroup // unresolved before and now, with another impact
	StateChanged   int64     // unresolved with the same impact in another state: after an act, or when a pending one opened
	OpenedAndEnded int64     // opened and ended in between
}

// CaseGroup is a group of cases and the sum of their impacts (for Changed, of the differences). A positive Amount means
// that more is at stake.
type CaseGroup struct {
	Cases  int64
	Amount ledger.Amount
	Top    []reports.CaseChange // those with the largest amounts, regardless of sign
}

// maxTopCases is how many cases of a group are named.
const maxTopCases = 5

// CompareRuns returns what changed from one run to a later one. It only reads the ledger. Runs in the wrong order are a
// *RequestError.
func (v *Overview) CompareRuns(ctx context.Context, from, to *ledger.Run) (*RunDiff, error) {
	if from.ID > to.ID {
		return nil, NewRequestError("error.runs_backwards", "hint.older_run_first", "from", from.ID, "to", to.ID)
	}
	d := &RunDiff{From: from, To: to, Documents: compareDocuments(from, to)}
	d.Accounts = slices.Compact(slices.Sorted(slices.Values(slices.Concat(from.Accounts, to.Accounts))))
	var before, after report.Totals
	periods := map[ledger.Period]bool{}
	for _, a := range d.Accounts {
		since, err := v.Ledger.FirstDay(ctx, a)
		if err != nil && !errors.Is(err, sqldb.ErrNotFound) {
			return nil, err
		}
		of := map[ledger.Period]bool{}
		for _, p := range slices.Concat(source.PublishedMonths(from.AsOf, since), source.PublishedMonths(to.AsOf, since)) {
			of[p], periods[p] = true, true
		}
		for p := range of {
			if err := errors.Join(source.AddPeriodTotals(ctx, v.Ledger, nil, v.Unit, &before, a, p, from.ID), source.AddPeriodTotals(ctx, v.Ledger, nil, v.Unit, &after, a, p, to.ID)); err != nil {
				return nil, err
			}
		}
		pulled, err := v.Ledger.PulledBetween(ctx, a, from.ID, to.ID)
		if err != nil {
			return nil, err
		}
		d.Pulled.Add(pulled)
		err = v.Ledger.CaseChanges(ctx, a, from.ID, to.ID, func(c *reports.CaseChange) error {
			d.Cases.addCase(c)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	d.Periods = slices.SortedFunc(maps.Keys(periods), func(p, q ledger.Period) int {
		return cmp.Or(cmp.Compare(p.From, q.From), cmp.Compare(p.To, q.To))
	})
	was, is := source.NameTotals(&before), source.NameTotals(&after)
	for _, name := range slices.Sorted(maps.Keys(is)) {
		d.Sums = append(d.Sums, SumChange{name, was[name], is[name]})
	}
	var err error
	d.Sets, err = v.Ledger.SetsBetween(ctx, from.ID, to.ID)
	return d, err
}

func compareDocuments(from, to *ledger.Run) []DocumentChange {
	names := map[string]bool{}
	for _, docs := range []map[string]string{from.Documents, to.Documents} {
		for name := range docs {
			names[name] = true
		}
	}
	var out []DocumentChange
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if a, b := from.Documents[name], to.Documents[name]; a != b {
			out = append(out, DocumentChange{name, a, b})
		}
	}
	return out
}

// addCase puts a case into its group.
func (g *CaseChanges) addCase(c *reports.CaseChange) {
	stood, stands := c.Before.IsUnresolved(), c.After.IsUnresolved()
	switch {
	case !stood && stands:
		g.Opened.addCase(c, c.Impact.V)
	case stood && c.After == ledger.Resolved:
		g.Resolved.addCase(c, c.ImpactBefore.V)
	case stood && !stands:
		g.Closed.addCase(c, c.ImpactBefore.V)
	case !stood && !stands && c.Before == "":
		g.OpenedAndEnded++
	case stood && c.Impact != c.ImpactBefore:
		g.Changed.addCase(c, c.Impact.V-c.ImpactBefore.V)
	case stood && c.Before != c.After:
		g.StateChanged++
	}
}

// addCase counts a case and keeps it if it is among those that come to most; of equal ones that with the lesser id.
func (g *CaseGroup) addCase(c *reports.CaseChange, amount ledger.Amount) {
	g.Cases++
	g.Amount += amount
	by := func(x *reports.CaseChange) ledger.Amount {
		if x.Before.IsUnresolved() && x.After.IsUnresolved() {
			return (x.Impact.V - x.ImpactBefore.V).Abs()
		}
		if x.After.IsUnresolved() {
			return x.Impact.V.Abs()
		}
		return x.ImpactBefore.V.Abs()
	}
	g.Top = append(g.Top, *c)
	slices.SortFunc(g.Top, func(x, y reports.CaseChange) int {
		return cmp.Or(cmp.Compare(by(&y), by(&x)), cmp.Compare(x.Case, y.Case))
	})
	g.Top = g.Top[:min(len(g.Top), maxTopCases)]
}
