package columns

import (
	"maps"
	"slices"

	"concilia/store/ledger"
	"concilia/store/ledger/banking"
)

// balances are what a column of balances says, as its rows are read. Rows are in order of time or against it; in which, the balances
// themselves show.
type balances struct {
	before ledger.Opt[ledger.Amount] // the last one stated
	// since is what the rows behind that of the last balance come to, ofIts what its own row comes to.
	since, ofIts ledger.Amount
	// breaksDown and breaksUp are set where a balance is not the one before it and the amounts since, reading down and up.
	breaksDown, breaksUp bool
	// first and last are the balances of the first and of the last row of each day that states one.
	first, last map[ledger.Date]ledger.Amount
}

// add takes the next row, with the balance that it states.
func (b *balances) add(row *banking.Row, stated ledger.Opt[ledger.Amount]) {
	moved := row.Amount
	if isBalance, _ := banking.IsBalanceText(row.Text); isBalance {
		moved = 0
	}
	if !stated.OK {
		b.since += moved
		return
	}
	if b.before.OK {
		b.breaksDown = b.breaksDown || stated.V-b.before.V != b.since+moved
		b.breaksUp = b.breaksUp || b.before.V-stated.V != b.ofIts+b.since
	}
	b.before, b.since, b.ofIts = stated, 0, moved
	if b.first == nil {
		b.first, b.last = map[ledger.Date]ledger.Amount{}, map[ledger.Date]ledger.Amount{}
	}
	if _, had := b.first[row.Day]; !had {
		b.first[row.Day] = stated.V
	}
	b.last[row.Day] = stated.V
}

// listClosings returns the balances after the last row of each day. They follow no row where the column is another.
func (b *balances) listClosings() (all []banking.Balance, follow bool) {
	ofDay := b.last
	if b.breaksDown {
		ofDay = b.first
	}
	for i, day := range slices.Sorted(maps.Keys(ofDay)) {
		all = append(all, banking.Balance{Day: day, Amount: ofDay[day], Choice: i})
	}
	return all, !b.breaksDown || !b.breaksUp
}
