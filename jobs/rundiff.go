package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"concilia/export"
	"concilia/store"
	"concilia/store/ledger"
)

// RunDiff is what changed between two runs: what the ledger knew and believed when each of them had reconciled.
type RunDiff struct {
	From, To *ledger.Run
	Accounts []ledger.Account // of either, in order
	// Pulled is what the reconciles after From, up to To, were the first to know.
	Pulled ledger.Counts
	// Periods are the operation months that a night of either would publish, oldest first; Sums are over them, by name.
	Periods []ledger.Period
	Sums    []SumChange
	Cases   CaseChanges
	// Documents differ in the two records: contract, mapping, profile, rules, calendars, config and the engine's commit.
	Documents []DocumentChange
	Sets      []*store.Set // revisions made after From, up to To
}

// SumChange is a total as of both runs.
type SumChange struct {
	Name          string
	Before, After ledger.Amount
}

// DocumentChange is a document by the hash each run used; empty where it used none.
type DocumentChange struct{ Name, Before, After string }

// CaseChanges are the cases by what became of them, each in one group at most.
type CaseChanges struct {
	Opened   CaseGroup // stand now, and did not
	Resolved CaseGroup // by data
	Closed   CaseGroup // by a person, or by their age
	Changed  CaseGroup // stand as they did, at another impact
	Moved    int64     // stand at the same impact in another state: a person took them up, or a pending one opened
	Passed   int64     // came and were over in between
}

// CaseGroup are cases and what they come to: impacts, of Changed the differences of impacts. More is at stake when Amount
// is positive.
type CaseGroup struct {
	Cases  int64
	Amount ledger.Amount
	Top    []store.CaseChange // those that come to most, without their sign
}

// topCases is how many cases of a group are named.
const topCases = 5

// DiffRuns tells what changed from one run to a later one. It asks nothing and writes nothing. Runs in the wrong order are
// a *RequestError.
func (w *Worker) DiffRuns(ctx context.Context, from, to *ledger.Run) (*RunDiff, error) {
	if from.ID > to.ID {
		return nil, &RequestError{fmt.Sprintf("run %s began after run %s", from.ID, to.ID), "name the older run first"}
	}
	d := &RunDiff{From: from, To: to, Documents: documentChanges(from, to)}
	d.Accounts = slices.Compact(slices.Sorted(slices.Values(slices.Concat(from.Accounts, to.Accounts))))
	var before, after export.Totals
	periods := map[ledger.Period]bool{}
	for _, a := range d.Accounts {
		since, err := w.Ledger.Since(ctx, a)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
		of := map[ledger.Period]bool{}
		for _, p := range slices.Concat(nightPeriods(from.AsOf, since), nightPeriods(to.AsOf, since)) {
			of[p], periods[p] = true, true
		}
		for p := range of {
			if err := errors.Join(w.addTotals(ctx, &before, a, p, from.ID), w.addTotals(ctx, &after, a, p, to.ID)); err != nil {
				return nil, err
			}
		}
		pulled, err := w.Ledger.PulledBetween(ctx, a, from.ID, to.ID)
		if err != nil {
			return nil, err
		}
		d.Pulled.Add(pulled)
		err = w.Ledger.CaseChanges(ctx, a, from.ID, to.ID, func(c *store.CaseChange) error {
			d.Cases.add(c)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	d.Periods = slices.SortedFunc(maps.Keys(periods), func(p, q ledger.Period) int {
		return cmp.Or(cmp.Compare(p.From, q.From), cmp.Compare(p.To, q.To))
	})
	was, is := sumsOf(&before), sumsOf(&after)
	for _, name := range slices.Sorted(maps.Keys(is)) {
		d.Sums = append(d.Sums, SumChange{name, was[name], is[name]})
	}
	var err error
	d.Sets, err = w.Ledger.SetsBetween(ctx, from.ID, to.ID)
	return d, err
}

func documentChanges(from, to *ledger.Run) []DocumentChange {
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

// add puts a case into its group.
func (g *CaseChanges) add(c *store.CaseChange) {
	stood, stands := c.Before.Standing(), c.After.Standing()
	switch {
	case !stood && stands:
		g.Opened.add(c, c.Impact.V)
	case stood && c.After == ledger.Resolved:
		g.Resolved.add(c, c.ImpactBefore.V)
	case stood && !stands:
		g.Closed.add(c, c.ImpactBefore.V)
	case !stood && !stands && c.Before == "":
		g.Passed++
	case stood && c.Impact != c.ImpactBefore:
		g.Changed.add(c, c.Impact.V-c.ImpactBefore.V)
	case stood && c.Before != c.After:
		g.Moved++
	}
}

// add counts a case and keeps it if it is among those that come to most; of equal ones that with the lesser id.
func (g *CaseGroup) add(c *store.CaseChange, amount ledger.Amount) {
	g.Cases++
	g.Amount += amount
	by := func(x *store.CaseChange) ledger.Amount {
		if x.Before.Standing() && x.After.Standing() {
			return (x.Impact.V - x.ImpactBefore.V).Abs()
		}
		if x.After.Standing() {
			return x.Impact.V.Abs()
		}
		return x.ImpactBefore.V.Abs()
	}
	g.Top = append(g.Top, *c)
	slices.SortFunc(g.Top, func(x, y store.CaseChange) int {
		return cmp.Or(cmp.Compare(by(&y), by(&x)), cmp.Compare(x.Case, y.Case))
	})
	g.Top = g.Top[:min(len(g.Top), topCases)]
}
