package reconcile

import (
	"slices"
	"strings"

	"concilia/jobs/rules/assumptions"
	"concilia/store/ledger"
)

// aggregates are the sums and counts over all rows of an account: as the last reconcile left them, what this run
// changes, and, after update, as this run leaves them.
type aggregates struct {
	*attempt
	changes     aggregateChanges
	populations []ledger.Population
	bridgeRows  []ledger.BridgeRow // after update
	guard       *assumptions.Guard // after update
}

// storeChanges writes the changes and reads the new values.
func (a *aggregates) storeChanges() error {
	counts, err := a.changes.sortedPopulations()
	if err != nil {
		return err
	}
	if err := a.sink.UpdateBridge(a.everything, a.changes.sortedBridge(a.account)); err != nil {
		return err
	}
	if err := a.sink.UpdateRounding(a.everything, a.changes.sortedRounding()); err != nil {
		return err
	}
	if err := a.sink.UpdatePopulations(a.everything, counts); err != nil {
		return err
	}
	if a.bridgeRows, err = a.sink.CurrentBridge(); err != nil {
		return err
	}
	if a.populations, err = a.sink.CurrentPopulations(); err != nil {
		return err
	}
	counters := map[string]int64{}
	for _, p := range a.populationsOf(kindGuard) {
		counters[p.Item] = p.Members
	}
	a.guard, err = assumptions.RestoreGuard(counters)
	return err
}

// populationsOf returns the populations of one kind.
func (a *aggregates) populationsOf(kind string) []ledger.Population {
	return populationsOf(a.populations, kind)
}

// populationsOf returns the populations of one kind; all are in order.
func populationsOf(all []ledger.Population, kind string) []ledger.Population {
	from, _ := slices.BinarySearchFunc(all, kind, func(p ledger.Population, kind string) int { return strings.Compare(p.Kind, kind) })
	to := from
	for to < len(all) && all[to].Kind == kind {
		to++
	}
	return all[from:to]
}

// listSuppressed returns the codes of the rules that the counts suppress, sorted.
func (a *aggregates) listSuppressed() []string {
	var codes []string
	for _, d := range a.guard.Suppressions() {
		codes = append(codes, d.Code)
	}
	slices.Sort(codes)
	return codes
}

// sumBridge adds the lines of the bridge up over all days, brands and products.
func (a *aggregates) sumBridge() []ledger.BridgeRow {
	sums := map[ledger.BridgeRow]bridgeSum{}
	for _, l := range a.bridgeRows {
		of := ledger.BridgeRow{Account: a.account, Side: l.Side, Line: l.Line, Reason: l.Reason}
		sums[of] = bridgeSum{sums[of].amount + l.Amount, sums[of].excess + l.Excess}
	}
	var rows []ledger.BridgeRow
	for row, sum := range sums {
		if row.Amount, row.Excess = sum.amount, sum.excess; sum != (bridgeSum{}) {
			rows = append(rows, row)
		}
	}
	slices.SortFunc(rows, compareRows)
	return rows
}
