package results

import "concilia/store/ledger"

// waitingTable is what waits on a sale day, and until when.
var waitingTable = AggregateTable{
	Name: "waiting", Keys: []string{"sale_day", "rest", "next_on"}, isNumber: map[string]bool{"sale_day": true, "next_on": true},
	values: []string{"items"},
}

// waitingKey is what the installments of a sale day that are open or blocked wait for: until nextOn, 0: for ever.
type waitingKey struct {
	saleDay ledger.Date
	rest    ledger.BridgeLine
	nextOn  ledger.Date
}

// addToWaiting adds an installment that is open or blocked.
func (c *cardTotals) addToWaiting(e *walkedExpectation) {
	if c.waiting == nil {
		c.waiting = make(map[waitingKey]int64)
	}
	c.waiting[waitingKey{e.day, e.rest, e.nextOn}]++
}

// listWaiting returns what waits on the days, or on all of them.
func (c *cardTotals) listWaiting(all bool, days []ledger.Date) []aggregateRow {
	asked := setOfDays(days)
	var out []aggregateRow
	for k, items := range c.waiting {
		if all || asked[k.saleDay] {
			out = append(out, aggregateRow{[]any{int64(k.saleDay), string(k.rest), int64(k.nextOn)}, []int64{items}})
		}
	}
	return out
}

// keepWaiting keeps what waits on the days, or on all of them.
func (w *totalsWriter) keepWaiting(all bool, days []ledger.Date) error {
	before, err := w.aggregates.readCurrentAggregates(waitingTable)
	if err != nil {
		return err
	}
	dropOtherDays(before, all, days, func(c aggregateRow) (isCard bool, saleDay int64) { return true, c.key[0].(int64) })
	return w.aggregates.writeAggregates(waitingTable, before, replaceParts(before, w.conclusions.totals.listWaiting(all, days)))
}
