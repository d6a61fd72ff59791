package reports

import (
	"concilia/store/caselog"
	"concilia/store/facts"
	"concilia/store/results"
	"concilia/store/runs"
	"concilia/store/sqldb"
)

// Store reads what reports show from a ledger's database. It is safe for use by many goroutines.
type Store struct {
	db      *sqldb.DB
	runs    *runs.Store
	facts   *facts.Store
	cases   *caselog.Store
	results *results.Store
	// MaxSortedRows is how many rows of one sale day Installments sorts in memory, more than a kilobyte each; those of a larger day the
	// database sorts. 0: 15,000.
	MaxSortedRows int
}

// New is the store of reports in db, over its runs, facts, cases and results.
func New(db *sqldb.DB, r *runs.Store, f *facts.Store, k *caselog.Store, c *results.Store) *Store {
	return &Store{db: db, runs: r, facts: f, cases: k, results: c}
}
