package published

import "concilia/store/sqldb"

// Store keeps revisions in a ledger's database, and what their files are numbered by. It is safe for use by many goroutines.
type Store struct {
	NumberStore
	db *sqldb.DB
}

// NumberStore gives EDI files and titles their numbers, each of them once.
type NumberStore struct{ db *sqldb.DB }

// New is the store of what was published, in db.
func New(db *sqldb.DB) *Store { return &Store{NumberStore: NumberStore{db}, db: db} }
