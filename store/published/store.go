package published

import "concilia/store/sqldb"

// Store keeps revisions in a ledger's database. It is safe for use by many goroutines.
type Store struct{ db *sqldb.DB }

// New is the store of what was published, in db.
func New(db *sqldb.DB) *Store { return &Store{db: db} }
