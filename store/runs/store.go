package runs

import "concilia/store/sqldb"

// Store keeps runs, and what belongs to them, in a ledger's database: a store for each subject. It is safe for use by many goroutines.
type Store struct {
	RunStore
	DocumentStore
	UnitStore
	LeaseStore
	OccurrenceStore
	AlertStore
}

// RunStore keeps the records of runs.
type RunStore struct{ db *sqldb.DB }

// DocumentStore keeps the documents that runs used, and since when accounts are answered for.
type DocumentStore struct{ db *sqldb.DB }

// UnitStore keeps the units of work of runs, which processes share, and the rate at which they may ask together.
type UnitStore struct {
	db   *sqldb.DB
	self process // this one
}

// LeaseStore keeps the leases of runs on accounts.
type LeaseStore struct {
	db   *sqldb.DB
	self process // this one
}

// OccurrenceStore keeps the occurrences of schedules.
type OccurrenceStore struct {
	db   *sqldb.DB
	self process // this one
}

// AlertStore keeps the alerts that were sent, and to whom.
type AlertStore struct{ db *sqldb.DB }

// New is the store of runs in db.
func New(db *sqldb.DB) *Store {
	self := newProcess()
	return &Store{
		RunStore: RunStore{db}, DocumentStore: DocumentStore{db}, UnitStore: UnitStore{db, self}, LeaseStore: LeaseStore{db, self},
		OccurrenceStore: OccurrenceStore{db, self}, AlertStore: AlertStore{db},
	}
}
