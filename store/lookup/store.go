package lookup

import "concilia/store/sqldb"

// Store finds the sales and slips of a ledger's database. It is safe for use by many goroutines.
type Store struct{ db *sqldb.DB }

// New finds sales and slips in db.
func New(db *sqldb.DB) *Store { return &Store{db} }
