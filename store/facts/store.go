package facts

import (
	"concilia/store/runs"
	"concilia/store/sqldb"
)

// Store keeps facts in a ledger's database. It is safe for use by many goroutines.
type Store struct {
	db   *sqldb.DB
	runs *runs.Store
}

// New is the store of facts in db, whose runs are r.
func New(db *sqldb.DB, r *runs.Store) *Store { return &Store{db: db, runs: r} }
