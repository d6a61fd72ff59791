package published

import "concilia/store/sqldb"

// Store keeps revisions in a ledger's database, and what their files are numbered by. It is safe for use by many goroutines.
type Store struct {
	SetReader
	ArchiveStore
	NumberStore
	db *sqldb.DB
}

// SetReader reads revisions and the names of their files.
type SetReader struct{ db *sqldb.DB }

// ArchiveStore keeps which archive the ledger has.
type ArchiveStore struct{ db *sqldb.DB }

// NumberStore gives EDI files and titles their numbers, each of them once.
type NumberStore struct{ db *sqldb.DB }

// New is the store of what was published, in db.
func New(db *sqldb.DB) *Store {
	return &Store{SetReader: SetReader{db}, ArchiveStore: ArchiveStore{db}, NumberStore: NumberStore{db}, db: db}
}
