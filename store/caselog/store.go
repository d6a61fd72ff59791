package caselog

import "concilia/store/sqldb"

// Store keeps cases and acts in a ledger's database. It is safe for use by many goroutines.
type Store struct {
	db *sqldb.DB
}

// New is the store of cases in db.
func New(db *sqldb.DB) *Store { return &Store{db: db} }
