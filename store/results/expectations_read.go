package results

import (
	"context"
	"database/sql"
	"slices"
	"strconv"
	"strings"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// salesPerQuery is how many sales of one day are asked for by name in one query.
const salesPerQuery = 200

// SalesInScope is Sales for a reconcile: the sales of the scope, each row with its stored expectation, vanished rows that
// still have one among Vanished, and what is new since the last reconcile marked. If the scope leaves nothing out, the stored
// expectations lack Band, Lines and AggregateDelta: all sums are then made from scratch.
func (l *RowReader) SalesInScope(ctx context.Context, a ledger.Account, scope *ledger.Scope, fn func(*ledger.Sale) error) error {
	doing := "read the sales of account " + a.String()
	s, err := l.saleStream(ctx, a, fn)
	if err != nil {
		return l.db.WrapError(doing, err)
	}
	s.withStored = true
	if s.notIncluded, err = pullsNotIncluded(ctx, l.db.Read, a); err != nil {
		return l.db.WrapError(doing, err)
	}
	for _, q := range planSalesQueries(a, scope) {
		s.changed, s.storedPages = q.changed, nil
		read := l.db.StreamRows
		if q.days.To != 0 {
			s.storedPages = l.pageStored(a, q.days, !scope.IsUnrestricted())
			read = l.db.StreamInIndexOrder
		}
		if err = read(ctx, s.addRow, q.text, q.args...); err == nil {
			err = s.flushSales()
		}
		if err != nil {
			break
		}
	}
	return l.db.WrapError(doing, err)
}

// salesQuery reads a part of a scope that no other part shares a sale with.
type salesQuery struct {
	text    string
	args    []any
	days    ledger.Period // whole ones, whose expectations are read by another query
	changed func(ledger.SaleKey) bool
}

// Only the last version of an installment is joined with its expectation.
var salesWithStored = `
		SELECT ` + facts.InstallmentColumns + `,` + storedColumns + `
		FROM installment AS i
		LEFT JOIN expectation AS e ON e.account = i.account AND e.sale_day = i.sale_day AND e.nsu = i.nsu
			AND e.auth = i.auth AND e.number = i.number AND e.occurrence = i.occurrence AND e.ended_run IS NULL
			AND (i.ended_pull IS NULL OR i.vanished = 1)
		WHERE i.account = $1`

// salesOfDays are the sales of days, without their expectations.
func salesOfDays(a ledger.Account, days ledger.Period) salesQuery {
	return salesQuery{text: `
		SELECT ` + facts.InstallmentColumns + `
		FROM installment AS i
		WHERE i.account = $1 AND i.sale_day BETWEEN $2 AND $3` + saleOrder, args: []any{int64(a), int64(days.From), int64(days.To)}, days: days}
}

func planSalesQueries(a ledger.Account, scope *ledger.Scope) []salesQuery {
	if scope.IsUnrestricted() {
		return []salesQuery{salesOfDays(a, facts.AllDays)}
	}
	var all []salesQuery
	for i := 0; i < len(scope.Days); i++ {
		d := &scope.Days[i]
		if !d.Whole {
			for some := range slices.Chunk(d.Sales, salesPerQuery) {
				all = append(all, salesByName(a, d.Day, some))
			}
			continue
		}
		last := d.Day
		for i+1 < len(scope.Days) && scope.Days[i+1].Whole && scope.Days[i+1].Day == last+1 {
			i++
			last++
		}
		all = append(all, salesOfDays(a, ledger.Period{From: d.Day, To: last}))
	}
	return all
}

func salesByName(a ledger.Account, day ledger.Date, some []ledger.ScopeSale) salesQuery {
	var b strings.Builder
	b.WriteString(salesWithStored + " AND i.sale_day = $2 AND (i.nsu, i.auth) IN (VALUES ")
	args := []any{int64(a), int64(day)}
	for i := range some {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("($" + strconv.Itoa(len(args)+1) + ", $" + strconv.Itoa(len(args)+2) + ")")
		args = append(args, some[i].NSU, some[i].Auth)
	}
	b.WriteString(")" + saleOrder)
	return salesQuery{text: b.String(), args: args, changed: func(k ledger.SaleKey) bool {
		i, found := slices.BinarySearchFunc(some, k, func(s ledger.ScopeSale, k ledger.SaleKey) int {
			if c := strings.Compare(s.NSU, k.NSU); c != 0 {
				return c
			}
			return strings.Compare(s.Auth, k.Auth)
		})
		return found && some[i].Changed
	}}
}

// slipsPerQuery is how many slips are asked for by name in one query.
const slipsPerQuery = 500

// SlipsInScope is Slips for a reconcile: the slips of the scope with their stored expectations, including those that no list
// shows any more and that still have one.
func (l *RowReader) SlipsInScope(ctx context.Context, a ledger.Account, scope *ledger.Scope, fn func(*ledger.Slip) error) error {
	doing := "read the slips of account " + a.String()
	if !scope.IsUnrestricted() && len(scope.Slips) == 0 {
		return nil
	}
	lastSeen, err := l.facts.LoadSlipsLastSeen(ctx, l.db.Read, a)
	if err != nil {
		return l.db.WrapError(doing, err)
	}
	s := slipStream{lastSeen: lastSeen, fn: fn, withStored: true}
	if scope.IsUnrestricted() {
		err = sqldb.ReadRows(ctx, l.db.Read, s.addRow, slipsWithStored+slipOrder, int64(a))
	} else {
		for some := range slices.Chunk(scope.Slips, slipsPerQuery) {
			args := []any{int64(a)}
			for _, id := range some {
				args = append(args, id)
			}
			if err = sqldb.ReadRows(ctx, l.db.Read, s.addRow, slipsWithStored+" AND v.id IN ("+sqldb.ListPlaceholders(2, len(some))+")"+slipOrder,
				args...); err != nil {
				break
			}
		}
	}
	if err == nil {
		err = s.flushSlip()
	}
	return l.db.WrapError(doing, err)
}

const slipOrder = `
		ORDER BY v.id, v.list, v.version`

var slipsWithStored = `
		SELECT ` + facts.SlipColumns + `,
			e.content,
			e.version,
			e.class,
			e.day,
			e.brackets,
			e.contribution
		FROM slip AS v
		LEFT JOIN slip_expectation AS e ON e.account = v.account AND e.id = v.id AND e.ended_run IS NULL
		WHERE v.account = $1`

// UnreportedVanishedSlips calls fn, as SlipsInScope does, for the slips that no list shows any more and that have no unresolved case of the
// code: their disappearance has not been reported yet.
func (l *RowReader) UnreportedVanishedSlips(ctx context.Context, a ledger.Account, code string, fn func(*ledger.Slip) error) error {
	var vanished ledger.Scope
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		vanished.Slips = append(vanished.Slips, id)
		return err
	}, `
		SELECT DISTINCT
			v.id
		FROM slip AS v
		WHERE
			v.account = $1
			AND v.vanished = 1
			AND NOT EXISTS (
				SELECT 1
				FROM slip AS s
				WHERE s.account = v.account AND s.id = v.id AND s.ended_pull IS NULL
			)
			AND v.id NOT IN (
				SELECT f.slip
				FROM finding AS f
				WHERE f.account = $1 AND f.code = $2 AND f.state <> 'resolved'
			)
		ORDER BY v.id`, int64(a), code)
	if err != nil {
		return l.db.WrapError("read the slips that vanished of account "+a.String(), err)
	}
	return l.SlipsInScope(ctx, a, &vanished, fn)
}

// readStoredSlip reads what slipsWithStored selects of a slip's expectation; nil when an outer join found none.
func readStoredSlip(f *sqldb.RowReader) *ledger.StoredExpectation {
	if f.NextIsNull() {
		return nil
	}
	return &ledger.StoredExpectation{
		Content: f.NextHash(), Version: int(f.NextInt()), Class: ledger.Class(f.NextText()), Day: f.NextDate(), Lines: f.NextText(),
		AggregateDelta: f.NextText(),
	}
}

// storedColumns are the columns that readStored takes, of a table of expectations named e.
const storedColumns = `
			e.content,
			e.version,
			e.class,
			e.brand,
			e.product,
			e.band,
			e.brackets,
			e.contribution`

// readStored takes a row of storedColumns; nil when an outer join found none.
func readStored(f *sqldb.RowReader) *ledger.StoredExpectation {
	const columns = 8
	if f.NextIsNull() {
		f.Skip(columns)
		return nil
	}
	return &ledger.StoredExpectation{
		Content: f.NextHash(), Version: int(f.NextInt()), Class: ledger.Class(f.NextText()), Brand: f.NextText(), Product: ledger.Product(f.NextText()),
		Band: f.NextText(), Lines: f.NextText(), AggregateDelta: f.NextText(),
	}
}

// shortStoredColumns are those of an expectation without what it added to sums.
const shortStoredColumns = `
			e.content,
			e.version,
			e.class,
			e.brand,
			e.product`

// readShortStored takes a row of shortStoredColumns.
func readShortStored(f *sqldb.RowReader) *ledger.StoredExpectation {
	return &ledger.StoredExpectation{
		Content: f.NextHash(), Version: int(f.NextInt()), Class: ledger.Class(f.NextText()), Brand: f.NextText(), Product: ledger.Product(f.NextText()),
	}
}

// storedPageSize is how many current expectations are read at once: some hundred kilobytes.
const storedPageSize = 2000

// storedPages reads the current expectations of installments that come in order of key, a page at a time: two walks in the
// same order cost less than a join that looks each row up. Only the reconcile they are read for changes the
// expectations of its account, so the pages agree with each other.
type storedPages struct {
	l       *RowReader
	account ledger.Account
	until   ledger.Date
	sums    bool         // with what the expectations added to sums
	last    facts.RowKey // of the page at hand
	page    []storedRow
	at      int
	ended   bool // no page follows
}

type storedRow struct {
	facts.RowKey
	ledger.StoredExpectation
}

// pageStored begins before the first key of the days. sums asks for what the expectations added to sums, too: the
// longest of their columns, which a reconcile that makes all sums from scratch does not need.
func (l *RowReader) pageStored(a ledger.Account, days ledger.Period, sums bool) *storedPages {
	return &storedPages{l: l, account: a, until: days.To, sums: sums, last: facts.RowKey{Day: days.From}}
}

// findStored returns the current expectation of the installment, or nil. Keys come in order; one may come again.
func (s *storedPages) findStored(ctx context.Context, key ledger.InstallmentKey) (*ledger.StoredExpectation, error) {
	k := facts.RowKey{Day: key.Day, NSU: key.NSU, Auth: key.Auth, Number: key.Number, Occurrence: key.Occurrence}
	for {
		for ; s.at < len(s.page); s.at++ {
			switch c := s.page[s.at].Compare(&k); {
			case c == 0:
				return &s.page[s.at].StoredExpectation, nil
			case c > 0:
				return nil, nil
			}
		}
		if s.ended {
			return nil, nil
		}
		if err := s.readPage(ctx); err != nil {
			return nil, err
		}
	}
}

// readPage reads the next page. The one before may still be in use.
func (s *storedPages) readPage(ctx context.Context) error {
	s.page, s.at = make([]storedRow, 0, storedPageSize), 0
	columns, read := shortStoredColumns, readShortStored
	if s.sums {
		columns, read = storedColumns, readStored
	}
	err := s.l.db.StreamRows(ctx, func(f *sqldb.RowReader) error {
		b := storedRow{RowKey: facts.ReadRowKey(f)}
		b.StoredExpectation = *read(f)
		s.page = append(s.page, b)
		return nil
	}, `
		SELECT
			e.sale_day,
			e.nsu,
			e.auth,
			e.number,
			e.occurrence,`+columns+`
		FROM expectation AS e
		WHERE e.account = $1 AND e.ended_run IS NULL AND e.sale_day <= $2
			AND (e.sale_day, e.nsu, e.auth, e.number, e.occurrence) > ($3, $4, $5, $6, $7)
		ORDER BY e.sale_day, e.nsu, e.auth, e.number, e.occurrence
		LIMIT $8`, append(append([]any{int64(s.account), int64(s.until)}, s.last.ToArgs()...), int64(storedPageSize))...)
	if len(s.page) > 0 {
		s.last = s.page[len(s.page)-1].RowKey
	}
	s.ended = len(s.page) < storedPageSize
	return err
}

// ExpectationCurrentAsOf is the condition that an expectation e was current as of a run.
func ExpectationCurrentAsOf(run string) string {
	return "e.run <= " + run + " AND (e.ended_run IS NULL OR e.ended_run > " + run + ")"
}
