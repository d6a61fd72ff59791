package totals

import "concilia/store/sqldb"

// Store reads what the rows of an account add up to: as kept by a run, and summed anew. It is safe for use by many goroutines.
type Store struct{ db *sqldb.DB }

// New is the store of the totals in db.
func New(db *sqldb.DB) *Store { return &Store{db} }
