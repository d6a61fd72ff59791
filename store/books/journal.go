package books

import (
	"context"
	"database/sql"
	"errors"

	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
	"concilia/store/sqldb"
)

// JournalQuery chooses entries of an account by a method: those posted in a period, or those of a set.
type JournalQuery struct {
	Account ledger.Account
	Method  bookkeeping.Method
	Period  ledger.Period // zero: whatever day
	Set     int           // 0: of whatever set
	UpTo    int           // 0: of every set, else of those up to this one
	Skip    []bookkeeping.EntryType
}

func (q *JournalQuery) newConditions() *sqldb.Conditions {
	c := &sqldb.Conditions{Args: []any{int64(q.Account), string(q.Method)}}
	c.Add("x.account = $1")
	c.Add("x.method = $2")
	posted := "x.posted"
	if q.Set != 0 {
		c.Add("c.account = $1 AND c.source = x.source AND c.number = x.cut")
		posted = "+x.posted" // no index is to be searched by it
	}
	if q.Period.From != 0 {
		c.Add(posted + " BETWEEN " + c.AddArg(int64(q.Period.From)) + " AND " + c.AddArg(int64(q.Period.To)))
	}
	if q.Set != 0 {
		c.Add("c.set_number = " + c.AddArg(int64(q.Set)))
	}
	if q.UpTo != 0 {
		c.Add("c.set_number <= " + c.AddArg(int64(q.UpTo)))
	}
	for _, t := range q.Skip {
		c.Add("x.type <> " + c.AddArg(string(t)))
	}
	return c
}

// fromTable names a table x of the journal with the cuts c of its rows. A set is read from its few cuts on, which SQLite takes first as they stand
// first: what a night reads of its own set does not grow with the nights before it.
func (q *JournalQuery) fromTable(table string) string {
	if q.Set != 0 {
		return `
		FROM event_cut AS c
		CROSS JOIN ` + table + ` AS x`
	}
	return `
		FROM ` + table + ` AS x
		LEFT JOIN event_cut AS c ON c.account = x.account AND c.source = x.source AND c.number = x.cut`
}

// entryColumns are the columns of an entry x, in the order in which an entryReader reads them.
const entryColumns = `
			x.account,
			x.method,
			x.source,
			x.cut,
			x.position,
			x.number,
			x.event,
			x.posted,
			x.occurred,
			x.type,
			x.reverses,
			x.subject,
			x.title,
			x.version,
			x.brand,
			x.product,
			x.text,
			x.lines`

func eachEntry(ctx context.Context, q sqldb.Querier, fn func(*bookkeeping.Entry) error, where string, args ...any) error {
	return sqldb.ReadRows(ctx, q, func(f *sqldb.RowReader) error {
		r := &entryReader{}
		e, err := r.read(f, true)
		if err != nil {
			return err
		}
		return fn(e)
	}, `
		SELECT`+entryColumns+`,
			c.set_number`+(&JournalQuery{}).fromTable("journal_entry")+where, args...)
}

// entryReader reads entries, each into the place of the one before.
type entryReader struct{ entry bookkeeping.Entry }

// read reads a row of entryColumns, with the set that may follow them.
func (r *entryReader) read(f *sqldb.RowReader, withSet bool) (*bookkeeping.Entry, error) {
	e := &r.entry
	lines := e.Lines[:0]
	*e = bookkeeping.Entry{
		Account: ledger.Account(f.NextInt()), Method: bookkeeping.Method(f.NextText()), Source: bookkeeping.EventSource(f.NextText()),
		Cut: int(f.NextInt()), Position: int(f.NextInt()), Number: int(f.NextInt()),
		Event: f.NextText(), Posted: f.NextDate(), Occurred: f.NextDate(), Type: bookkeeping.EntryType(f.NextText()), Reverses: f.NextText(),
		Subject: f.NextText(), Title: f.NextText(), Version: int(f.NextInt()), Brand: f.NextText(), Product: ledger.Product(f.NextText()),
		Text: f.NextText(),
	}
	var err error
	if e.Lines, err = appendDecoded(lines, f.NextText()); err != nil {
		return nil, err
	}
	if withSet {
		e.Set = int(sqldb.NextOpt[ledger.Amount](f).V)
	}
	return e, f.Err()
}

// Entries calls fn for the entries that a query chooses, in order of day, title, and as they were made. An entry is good until fn returns.
func (s *JournalReader) Entries(ctx context.Context, q *JournalQuery, fn func(*bookkeeping.Entry) error) error {
	cuts, err := s.events.Cuts(ctx, q.Account)
	if err != nil {
		return err
	}
	sets := setsOf(cuts)
	of, from := *q, `
		FROM journal_entry AS x`
	if of.UpTo = 0; q.Set != 0 {
		from = q.fromTable("journal_entry")
	}
	// The sets are known: read with each entry, they would be looked up for each.
	c := of.newConditions()
	r := &entryReader{}
	err = s.db.StreamRows(ctx, func(f *sqldb.RowReader) error {
		e, err := r.read(f, false)
		if err != nil {
			return err
		}
		e.Set = sets[entryCut{e.Source, e.Cut}]
		if q.UpTo != 0 && e.Set > q.UpTo {
			return nil
		}
		return fn(e)
	}, `
		SELECT`+entryColumns+from+c.Where()+`
		ORDER BY x.posted, x.title, x.cut, x.position, x.number, x.source`, c.Args...)
	return s.db.WrapError("read entries of account "+q.Account.String(), err)
}

// entryCut names the cut of an entry of an account.
type entryCut struct {
	source bookkeeping.EventSource
	number int
}

// setsOf are the sets of the cuts of an account.
func setsOf(cuts []Cut) map[entryCut]int {
	sets := make(map[entryCut]int, len(cuts))
	for i := range cuts {
		sets[entryCut{cuts[i].Source, cuts[i].Number}] = cuts[i].Set
	}
	return sets
}

// DayEntry is all that the entries of one day say with the same words, by role.
type DayEntry struct {
	Set      int
	Posted   ledger.Date
	Type     bookkeeping.EntryType
	Reversal bool
	Brand    string
	Product  ledger.Product
	Role     bookkeeping.Role
	Entries  int64 // with a line of the role
	Debit    ledger.Amount
	Credit   ledger.Amount
}

// DayEntries calls fn for what a query chooses, day by day; those with the same words follow each other.
func (s *JournalReader) DayEntries(ctx context.Context, q *JournalQuery, fn func(*DayEntry) error) error {
	c := q.newConditions()
	err := sqldb.EachRow(ctx, s.db.Read, func(rows *sql.Rows) error {
		var e DayEntry
		err := rows.Scan(&e.Set, sqldb.IntoDate(&e.Posted), &e.Type, sqldb.IntoBool(&e.Reversal), &e.Brand, &e.Product, &e.Role, &e.Entries, &e.Debit, &e.Credit)
		return errors.Join(err, fn(&e))
	}, `
		SELECT
			c.set_number,
			x.posted,
			x.type,
			x.reversal,
			x.brand,
			x.product,
			x.role,
			CAST(SUM(x.entries) AS BIGINT),
			CAST(SUM(x.debit) AS BIGINT),
			CAST(SUM(x.credit) AS BIGINT)`+q.fromTable("journal_sum")+c.Where()+`
		GROUP BY c.set_number, x.posted, x.type, x.reversal, x.brand, x.product, x.role
		ORDER BY x.posted, c.set_number, x.type, x.reversal DESC, x.brand, x.product, x.role`, c.Args...)
	return s.db.WrapError("read days of the journal of account "+q.Account.String(), err)
}

// RoleSum is what the entries of a role and a brand add up to.
type RoleSum struct {
	Role          bookkeeping.Role
	Brand         string
	Lines         int64
	Debit, Credit ledger.Amount
}

// RoleSums adds up what a query chooses, by role and brand.
func (s *JournalReader) RoleSums(ctx context.Context, q *JournalQuery) (out []RoleSum, err error) {
	c := q.newConditions()
	err = sqldb.EachRow(ctx, s.db.Read, func(rows *sql.Rows) error {
		var r RoleSum
		err := rows.Scan(&r.Role, &r.Brand, &r.Lines, &r.Debit, &r.Credit)
		out = append(out, r)
		return err
	}, `
		SELECT
			x.role,
			x.brand,
			CAST(SUM(x.lines) AS BIGINT),
			CAST(SUM(x.debit) AS BIGINT),
			CAST(SUM(x.credit) AS BIGINT)`+q.fromTable("journal_sum")+c.Where()+`
		GROUP BY x.role, x.brand
		ORDER BY x.role, x.brand`, c.Args...)
	return out, s.db.WrapError("sum the journal of account "+q.Account.String(), err)
}

// CountEntries counts the entries that a query chooses.
func (s *JournalReader) CountEntries(ctx context.Context, q *JournalQuery) (n int64, err error) {
	c := q.newConditions()
	err = s.db.Read.QueryRowContext(ctx, `
		SELECT COUNT(*)`+q.fromTable("journal_entry")+c.Where(), c.Args...).Scan(&n)
	return n, s.db.WrapError("count entries of account "+q.Account.String(), err)
}

// CountDays counts what a query chooses as entries of a day, or the lines of these: a role has one for its debits and one for its
// credits.
func (s *JournalReader) CountDays(ctx context.Context, q *JournalQuery, entries bool) (n int64, err error) {
	c := q.newConditions()
	role, count := ", x.role", "CAST(COALESCE(SUM(CASE WHEN debit <> 0 THEN 1 ELSE 0 END + CASE WHEN credit <> 0 THEN 1 ELSE 0 END), 0) AS BIGINT)"
	if entries {
		role, count = "", "COUNT(*)"
	}
	err = s.db.Read.QueryRowContext(ctx, `
		SELECT `+count+`
		FROM (
			SELECT
				SUM(x.debit) AS debit,
				SUM(x.credit) AS credit`+q.fromTable("journal_sum")+c.Where()+`
			GROUP BY c.set_number, x.posted, x.type, x.reversal, x.brand, x.product`+role+`) AS days`, c.Args...).Scan(&n)
	return n, s.db.WrapError("count days of the journal of account "+q.Account.String(), err)
}
