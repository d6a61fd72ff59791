package totals

import "concilia/store/ledger"

// WaitingTable is what waits on a sale day, and until when.
var WaitingTable = Table{
	Name: "waiting", Keys: []string{"sale_day", "rest", "next_on"}, IsNumber: map[string]bool{"sale_day": true, "next_on": true},
	Values: []string{"items"},
}

// waitingKey is what installments of a sale day wait for: until nextOn, 0: for ever.
type waitingKey struct {
	saleDay ledger.Date
	rest    ledger.BridgeLine // empty: they are neither open nor blocked, and only time may change them
	nextOn  ledger.Date
}

// addToWaiting adds an installment that is open or blocked, or that the passage of time may change.
func (c *Cards) addToWaiting(e *walkedExpectation) {
	rest := e.rest
	if e.class != ledger.Open && e.class != ledger.Blocked {
		rest = ""
	}
	if rest == "" && e.nextOn == 0 {
		return
	}
	if c.waiting == nil {
		c.waiting = make(map[waitingKey]int64)
	}
	c.waiting[waitingKey{e.Day, rest, e.nextOn}]++
}

// ListWaiting returns what waits on the summed days: rows of WaitingTable.
func (c *Cards) ListWaiting() []Row {
	out := make([]Row, 0, len(c.waiting))
	for k, items := range c.waiting {
		out = append(out, Row{[]any{int64(k.saleDay), string(k.rest), int64(k.nextOn)}, []int64{items}})
	}
	return out
}
