package reportset

import (
	"fmt"
	"sync"

	"concilia/export"
	"concilia/export/report"
	"concilia/store/ledger"
)

// maxKeptLines bounds the summary lines that cardRows keeps, some 400 bytes each.
const maxKeptLines = 50_000

// CardRows remembers what the card rows of each account's set left, so that the set over all accounts, which comes last, does
// not read them again. It is for one run, and safe for concurrent use. nil remembers nothing.
type CardRows struct {
	mu    sync.Mutex
	sets  map[string]map[ledger.Account]*export.CardRows
	lines int
}

// cardRowsKey names sets whose rows are chosen alike, apart from the account.
func cardRowsKey(set *Request) string {
	return fmt.Sprintf("%s %s %s", set.Basis, set.Period, set.Filter.Canonical())
}

// KeepAccountRows remembers what the rows of a set of one account left.
func (c *CardRows) KeepAccountRows(set *Request, rows *export.CardRows) {
	if c == nil || rows == nil || set.IsOfAllAccounts() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lines += rows.Summary.Lines(); c.lines > maxKeptLines {
		return
	}
	key := cardRowsKey(set)
	if c.sets == nil {
		c.sets = make(map[string]map[ledger.Account]*export.CardRows)
	}
	if c.sets[key] == nil {
		c.sets[key] = make(map[ledger.Account]*export.CardRows)
	}
	c.sets[key][set.Accounts[0].Number] = rows
}

// FindRowsForAll gives what is remembered of the accounts of a set over all of them that shows no other rows of cards than the summary's;
// nil for any other set.
func (c *CardRows) FindRowsForAll(set *Request) map[ledger.Account]*export.CardRows {
	if c == nil || !set.IsOfAllAccounts() || set.Basis == report.ByAsOf {
		return nil
	}
	for _, k := range set.Kinds {
		if k != report.SummaryKind && k != report.MonthKind && k != report.ControlKind {
			return nil
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	known := make(map[ledger.Account]*export.CardRows)
	for i := range set.Accounts {
		if rows := c.sets[cardRowsKey(set)][set.Accounts[i].Number]; rows != nil {
			known[set.Accounts[i].Number] = rows
		}
	}
	return known
}
