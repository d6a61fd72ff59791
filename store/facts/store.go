package facts

import (
	"concilia/store/runs"
	"concilia/store/sqldb"
)

// Store keeps facts in a ledger's database: a store or reader for each subject. It is safe for use by many goroutines.
type Store struct {
	PullStore
	NotificationStore
	PlanReader
	CreditReader
	HistoryReader
}

// PullStore keeps pulls: merges what they brought, and has their bodies and the rows that could not be read.
type PullStore struct {
	db     *sqldb.DB
	leases *runs.LeaseStore // of the runs that pull
}

// NotificationStore keeps notifications and links them to installments.
type NotificationStore struct {
	db     *sqldb.DB
	leases *runs.LeaseStore // of the runs that link
}

// PlanReader reads which days of lists are known, and what a nightly run plans by.
type PlanReader struct{ db *sqldb.DB }

// CreditReader reads what the service says it credited, by day.
type CreditReader struct{ db *sqldb.DB }

// HistoryReader reads single sales and slips, with all their versions, and the rows that hold a payer.
type HistoryReader struct{ db *sqldb.DB }

// New is the store of facts in db, which runs write that hold these leases.
func New(db *sqldb.DB, leases *runs.LeaseStore) *Store {
	return &Store{
		PullStore: PullStore{db, leases}, NotificationStore: NotificationStore{db, leases}, PlanReader: PlanReader{db}, CreditReader: CreditReader{db},
		HistoryReader: HistoryReader{db},
	}
}
