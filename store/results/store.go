package results

import (
	"context"

	"concilia/store/facts"
	"concilia/store/runs"
	"concilia/store/sqldb"
)

// Store keeps conclusions in a ledger's database. It is safe for use by many goroutines.
type Store struct {
	RowReader
	RunReader
	db     *sqldb.DB
	leases *runs.LeaseStore
}

// RowReader reads installments and slips with what was concluded of each, for rules and reports.
type RowReader struct {
	db    *sqldb.DB
	facts *facts.Store
}

// RunReader reads the sums that the rules moved, and what they did, as a run left them.
type RunReader struct{ db *sqldb.DB }

// New is the store of conclusions in db, which rest on the facts of f and are written by runs that hold these leases.
func New(db *sqldb.DB, leases *runs.LeaseStore, f *facts.Store) *Store {
	return &Store{RowReader: RowReader{db, f}, RunReader: RunReader{db}, db: db, leases: leases}
}

// What the long tables are searched, joined and grouped by: a sample of these columns takes the server a third of the time
// that one of all columns does. The others it looks at by itself, when it finds the time.
var (
	installmentsFoundBy = []string{
		"account", "sale_day", "nsu", "auth", "number", "occurrence", "version", "first_pull", "ended_pull", "vanished",
		"sold_at", "forecast", "effective", "leads",
	}
	expectationsFoundBy = []string{
		"account", "sale_day", "nsu", "auth", "number", "occurrence", "run", "ended_run", "version", "class", "brand",
		"product", "band", "next_on",
	}
)

// AnalyzeTables reports that about this many rows of facts, or of expectations, were written, so that statistics are refreshed and
// later queries are planned for the tables as they are. It does nothing where that is not needed.
func (l *Store) AnalyzeTables(ctx context.Context, facts, beliefs int64) error {
	for _, grown := range []struct {
		table   string
		columns []string
		rows    int64
	}{
		{"installment", installmentsFoundBy, facts},
		{"slip", nil, facts},
		{"pull", nil, facts},
		{"expectation", expectationsFoundBy, beliefs},
		{"slip_expectation", nil, beliefs},
	} {
		if grown.rows == 0 {
			continue
		}
		if err := l.db.Dialect.Analyze(ctx, l.db.Write, grown.table, grown.columns, grown.rows); err != nil {
			return l.db.WrapError("count the rows of "+grown.table, err)
		}
	}
	return nil
}
