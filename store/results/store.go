package results

import (
	"concilia/store/facts"
	"concilia/store/runs"
	"concilia/store/sqldb"
)

// Store keeps conclusions in a ledger's database. It is safe for use by many goroutines.
type Store struct {
	db    *sqldb.DB
	runs  *runs.Store
	facts *facts.Store
}

// New is the store of conclusions in db, which rest on the facts of f and are written by the runs of r.
func New(db *sqldb.DB, r *runs.Store, f *facts.Store) *Store {
	return &Store{db: db, runs: r, facts: f}
}
