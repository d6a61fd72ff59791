package reports

import (
	"concilia/store/caselog"
	"concilia/store/facts"
	"concilia/store/results"
	"concilia/store/sqldb"
)

// Store reads what reports show from a ledger's database: a reader for each subject. It is safe for use by many goroutines.
type Store struct {
	RowReader
	CaseReader
	AgendaReader
	RestatementReader
}

// RowReader reads the rows that reports show, as of now or as of a run.
type RowReader struct {
	db      *sqldb.DB
	facts   *facts.Store
	cases   *caselog.Store
	results *results.Store
	// MaxSortedRows is how many rows of one sale day Installments sorts as they are, more than a kilobyte each; those of a larger day are
	// packed, and beyond about as many bytes as these would take then in a temporary file. 0: 15,000.
	MaxSortedRows int
}

// CaseReader reads cases as reports show them, as of a run, and what they add up to.
type CaseReader struct {
	db    *sqldb.DB
	cases *caselog.Store
}

// AgendaReader reads what is still to be received, and how that moved.
type AgendaReader struct{ db *sqldb.DB }

// RestatementReader reads what changed in closed periods, and what that adds up to.
type RestatementReader struct{ db *sqldb.DB }

// New is the store of reports in db, over its facts, cases and results.
func New(db *sqldb.DB, f *facts.Store, k *caselog.Store, c *results.Store) *Store {
	return &Store{
		RowReader: RowReader{db: db, facts: f, cases: k, results: c}, CaseReader: CaseReader{db: db, cases: k},
		AgendaReader: AgendaReader{db}, RestatementReader: RestatementReader{db},
	}
}
