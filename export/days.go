package export

import (
	"context"
	"encoding/json"

	"concilia/export/report"
	"concilia/export/table"
	"concilia/store/ledger"
)

// SaleDays lets the rendering of a set on basis operation take the sale days that did not move since the current revision from that
// revision: their lines are copied from its files, and what they left in sums is added. The other days are read.
type SaleDays struct {
	Account ledger.Account // of the set
	// States name what the rows of each day of the period are read from. While the name of a day is the same, so are its rows.
	States map[ledger.Date]string
	// Kept is what the days left in the current revision, one after the other through the whole period; empty: every day is read.
	Kept []KeptDay
	// Files are the paths, on this machine, of the files of the current revision, whose hashes were compared with the ledger's, by their
	// names without the set's: installments.csv.
	Files map[string]string
	// Read yields the rows of a part of the period as report.RowSource.Installments does.
	Read func(ctx context.Context, p ledger.Period, yield func(*ledger.InstallmentVersion, *ledger.Expectation) error) error
}

// KeptDay is what the card rows of a sale day left in a set.
type KeptDay struct {
	Day      ledger.Date
	State    string // as in SaleDays.States
	HasRows  bool
	Verdict  ledger.Verdict // the worst that the rows leave
	Contents map[report.Kind]json.RawMessage
	Tables   map[string]KeptLines // of the tables with rows of the day, by id
}

// KeptLines are the rows of a day in the files of a table: how many they are, what they come to, as table.Counter has it, and how many
// bytes they take in each file, by extension.
type KeptLines struct {
	Rows                   int64
	Printed, Exact, Excess []int64
	Bytes                  map[string]int64
}

// NewKeptLines returns the lines that a counter counted.
func NewKeptLines(c *table.Counter, size map[string]int64) KeptLines {
	return KeptLines{Rows: c.Rows, Printed: c.Printed, Exact: c.Exact, Excess: c.Excess, Bytes: size}
}

// Counter returns what the rows come to; ok is false when they are of a table with other columns.
func (k *KeptLines) Counter(t *table.Table) (c table.Counter, ok bool) {
	ok = len(k.Printed) == t.Width() && len(k.Exact) == t.Width() && len(k.Excess) == t.Width()
	return table.Counter{Table: t, Rows: k.Rows, Printed: k.Printed, Exact: k.Exact, Excess: k.Excess}, ok
}

// CopiesDays reports whether lines of the current revision may be copied.
func (j *Job) CopiesDays() bool { return j.SaleDays != nil && len(j.SaleDays.Kept) > 0 }
