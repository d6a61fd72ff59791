package books

import (
	"context"
	"database/sql"
	"errors"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// JournalQuery chooses entries of an account by a method: those posted in a period, or those of a set.
type JournalQuery struct {
	Account ledger.Account
	Method  ledger.Method
	Period  ledger.Period // zero: whatever day
	Set     int           // 0: of whatever set
	UpTo    int           // 0: of every set, else of those up to this one
	Skip    []ledger.EntryType
}

func (q *JournalQuery) newConditions() *sqldb.Conditions {
	c := &sqldb.Conditions{Args: []any{int64(q.Account), string(q.Method)}}
	c.Add("x.account = $1")
	c.Add("x.method = $2")
	if q.Period.From != 0 {
		c.Add("x.posted BETWEEN " + c.AddArg(int64(q.Period.From)) + " AND " + c.AddArg(int64(q.Period.To)))
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

// journalColumns are the columns of an entry x with the set of its cut c.
const journalColumns = `
			x.account,
			x.method,
			x.source,
			c.set_number,
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

const fromEntries = `
		FROM journal_entry AS x
		LEFT JOIN event_cut AS c ON c.account = x.account AND c.source = x.source AND c.number = x.cut`

func eachEntry(ctx context.Context, q sqldb.Querier, fn func(*ledger.Entry) error, where string, args ...any) error {
	return sqldb.EachRow(ctx, q, func(rows *sql.Rows) error {
		e, set, lines := &ledger.Entry{}, sql.NullInt64{}, ""
		err := rows.Scan(
			&e.Account, &e.Method, &e.Source, &set, &e.Cut, &e.Position, &e.Number, &e.Event, sqldb.IntoDate(&e.Posted), sqldb.IntoDate(&e.Occurred),
			&e.Type, &e.Reverses, &e.Subject, &e.Title, &e.Version, &e.Brand, &e.Product, &e.Text, &lines,
		)
		if err != nil {
			return err
		}
		e.Set = int(set.Int64)
		if e.Lines, err = decodeLines(lines); err != nil {
			return err
		}
		return fn(e)
	}, `
		SELECT`+journalColumns+fromEntries+where, args...)
}

// Entries calls fn for the entries that a query chooses, in order of day, title, and as they were made.
func (s *Store) Entries(ctx context.Context, q *JournalQuery, fn func(*ledger.Entry) error) error {
	// A check reads the journal in a snapshot, which has no connection of its own to stream on.
	err := eachEntry(ctx, s.db.Read, fn, q.newConditions().Where()+`
		ORDER BY x.posted, x.title, x.cut, x.position, x.number`, q.newConditions().Args...)
	return s.db.WrapError("read entries of account "+q.Account.String(), err)
}

const fromSums = `
		FROM journal_sum AS x
		LEFT JOIN event_cut AS c ON c.account = x.account AND c.source = x.source AND c.number = x.cut`

// DayEntry is all that the entries of one day say with the same words, by role.
type DayEntry struct {
	Set      int
	Posted   ledger.Date
	Type     ledger.EntryType
	Reversal bool
	Brand    string
	Product  ledger.Product
	Role     ledger.Role
	Entries  int64 // with a line of the role
	Debit    ledger.Amount
	Credit   ledger.Amount
}

// DayEntries calls fn for what a query chooses, day by day; those with the same words follow each other.
func (s *Store) DayEntries(ctx context.Context, q *JournalQuery, fn func(*DayEntry) error) error {
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
			CAST(SUM(x.credit) AS BIGINT)`+fromSums+c.Where()+`
		GROUP BY c.set_number, x.posted, x.type, x.reversal, x.brand, x.product, x.role
		ORDER BY x.posted, c.set_number, x.type, x.reversal DESC, x.brand, x.product, x.role`, c.Args...)
	return s.db.WrapError("read days of the journal of account "+q.Account.String(), err)
}

// RoleSum is what the entries of a role and a brand add up to.
type RoleSum struct {
	Role          ledger.Role
	Brand         string
	Lines         int64
	Debit, Credit ledger.Amount
}

// RoleSums adds up what a query chooses, by role and brand.
func (s *Store) RoleSums(ctx context.Context, q *JournalQuery) (out []RoleSum, err error) {
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
			CAST(SUM(x.credit) AS BIGINT)`+fromSums+c.Where()+`
		GROUP BY x.role, x.brand
		ORDER BY x.role, x.brand`, c.Args...)
	return out, s.db.WrapError("sum the journal of account "+q.Account.String(), err)
}

// CountEntries counts the entries that a query chooses.
func (s *Store) CountEntries(ctx context.Context, q *JournalQuery) (n int64, err error) {
	c := q.newConditions()
	err = s.db.Read.QueryRowContext(ctx, `
		SELECT COUNT(*)`+fromEntries+c.Where(), c.Args...).Scan(&n)
	return n, s.db.WrapError("count entries of account "+q.Account.String(), err)
}

// CountDays counts what a query chooses as entries of a day, or the lines of these: a role has one for its debits and one for its
// credits.
func (s *Store) CountDays(ctx context.Context, q *JournalQuery, entries bool) (n int64, err error) {
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
				SUM(x.credit) AS credit`+fromSums+c.Where()+`
			GROUP BY c.set_number, x.posted, x.type, x.reversal, x.brand, x.product`+role+`) AS days`, c.Args...).Scan(&n)
	return n, s.db.WrapError("count days of the journal of account "+q.Account.String(), err)
}
