package results

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// CardSums gives what the ledger holds of the days per day, brand and product, by a query of its own over the rows: the
// other side of the cards' bridge, N* − R, and the gross of the open rows. R is taken from the rows, not from what the
// rules made of it; what was paid before a claw-back is netted against it. Rows that no run has evaluated, and vanished ones,
// are in neither. No days at all are every day.
func (r *ReconcileTx) CardSums(days []ledger.Date) ([]ledger.DaySum, error) {
	if err := r.flushAll(); err != nil {
		return nil, r.t.DB.WrapError(r.doing, err)
	}
	err := r.sums.sumOtherDays(r.ctx, r.t, r.account, days)
	if err != nil {
		return nil, r.t.DB.WrapError(r.doing, err)
	}
	out := r.sums.sums
	if len(days) > 0 {
		asked := make(map[ledger.Date]bool, len(days))
		for _, d := range days {
			asked[d] = true
		}
		out = slices.DeleteFunc(slices.Clone(out), func(s ledger.DaySum) bool { return !asked[s.Day] })
	}
	slices.SortStableFunc(out, func(a, b ledger.DaySum) int { return cmp.Compare(a.Day, b.Day) })
	r.sums = cardDaySums{}
	return out, nil
}

// SumCardsAhead begins to sum the days for CardSums in the background. They come in order, and the caller writes no more
// expectations of their cards in this reconcile, unless it calls Restart.
func (r *ReconcileTx) SumCardsAhead(days []ledger.Date) error {
	if len(days) == 0 {
		return nil
	}
	err := r.installments.flushBatch(r.ctx)
	if err == nil {
		err = r.t.RunInBackground(func() error { return r.sums.sumDays(r.ctx, r.t, r.account, days) })
	}
	return r.t.DB.WrapError(r.doing, err)
}

// SlipSums gives V* − credited of the account's slips per due date, as CardSums does: credited is what was paid, once
// the view seen last has a credit date.
func (r *ReconcileTx) SlipSums() ([]ledger.DaySum, error) {
	if err := r.flushAll(); err != nil {
		return nil, r.t.DB.WrapError(r.doing, err)
	}
	rows, err := readDifferences(r.ctx, r.t, r.account, "slips", facts.MergedSlipsSQL(facts.CurrentSlips())+slipDifferences)
	out := make([]ledger.DaySum, len(rows))
	for i, b := range rows {
		out[i] = ledger.DaySum{Day: b.Day, Difference: b.Amount}
	}
	return out, r.t.DB.WrapError(r.doing, err)
}

// Differences returns the other side of the account's current bridge: both sides, cards before slips. Days are those
// that the rows are of: of cards the sale's, of slips the due date, which may be missing. The zero period is every day, and
// none.
func (l *Store) Differences(ctx context.Context, a ledger.Account, days ledger.Period) ([]ledger.BridgeRow, error) {
	var cards cardDaySums
	within, args := "", []any{int64(a)}
	if days != (ledger.Period{}) {
		within, args = daysBetweenSQL, append(args, int64(days.From), int64(days.To))
	}
	if err := cards.sumWhere(ctx, l.db.Read, l.db.Dialect, within, args...); err != nil {
		return nil, l.db.WrapError("sum the cards of account "+a.String(), err)
	}
	slips, err := readDifferences(ctx, l.db.Read, a, "slips", facts.MergedSlipsSQL(facts.CurrentSlips())+slipDifferences)
	out := make([]ledger.BridgeRow, 0, len(cards.sums)+len(slips))
	for _, d := range cards.sums {
		out = append(out, ledger.BridgeRow{Account: a, Side: "cards", Day: d.Day, Brand: d.Brand, Product: d.Product, Amount: d.Difference})
	}
	if days != (ledger.Period{}) {
		slips = slices.DeleteFunc(slips, func(b ledger.BridgeRow) bool { return !days.Contains(b.Day) })
	}
	return append(out, slips...), l.db.WrapError("sum the slips of account "+a.String(), err)
}

func readDifferences(ctx context.Context, q sqldb.Querier, a ledger.Account, side, query string) ([]ledger.BridgeRow, error) {
	var out []ledger.BridgeRow
	err := sqldb.EachRow(ctx, q, func(rows *sql.Rows) error {
		b := ledger.BridgeRow{Account: a, Side: side}
		err := rows.Scan(&b.Day, &b.Brand, &b.Product, &b.Amount)
		out = append(out, b)
		return err
	}, query, int64(a))
	return out, err
}

// slipDifferences goes behind mergedSlips.
const slipDifferences = `
		SELECT
			COALESCE(e.day, 0),
			'',
			'',
			CAST(SUM(e.face - CASE WHEN m.credited_on IS NULL THEN 0 ELSE COALESCE(m.paid_value, 0) END) AS BIGINT)
		FROM merged AS m
		JOIN slip_expectation AS e ON e.account = $1 AND e.id = m.id AND e.ended_run IS NULL
		GROUP BY COALESCE(e.day, 0)
		ORDER BY COALESCE(e.day, 0)`

// daysPerQuery is how many days one query sums: databases bound the arguments of one.
const daysPerQuery = 400

// cardDaySums are the sums of some days.
type cardDaySums struct {
	days []ledger.Date
	sums []ledger.DaySum
}

// sumDays sums days. The caller has the connection of the transaction to itself.
func (s *cardDaySums) sumDays(ctx context.Context, t *sqldb.Tx, a ledger.Account, days []ledger.Date) error {
	s.days = append(s.days, days...)
	if t.DB.Dialect.JoinsBySeeking() {
		for begin, end := 0, 1; begin < len(days); begin, end = end, end+1 {
			for end < len(days) && days[end] == days[end-1]+1 {
				end++
			}
			if err := s.sumByWalk(ctx, t, a, days[begin], days[end-1]); err != nil {
				return err
			}
		}
		return nil
	}
	for some := range slices.Chunk(days, daysPerQuery) {
		first, last := some[0], some[len(some)-1]
		if int(last-first) == len(some)-1 {
			if err := s.sumPeriod(ctx, t, a, first, last); err != nil {
				return err
			}
			continue
		}
		args := []any{int64(a)}
		for _, d := range some {
			args = append(args, int64(d))
		}
		in := " IN (" + sqldb.ListPlaceholders(2, len(some)) + ")"
		if err := s.sumWhere(ctx, t.Tx, t.DB.Dialect, " AND i.sale_day"+in+" AND e.sale_day"+in, args...); err != nil {
			return err
		}
	}
	return nil
}

// sumOtherDays sums what is not summed yet of the days, or, when none is named, of all days there can be.
func (s *cardDaySums) sumOtherDays(ctx context.Context, t *sqldb.Tx, a ledger.Account, days []ledger.Date) error {
	slices.Sort(s.days)
	if len(days) > 0 {
		return s.sumDays(ctx, t, a, slices.DeleteFunc(slices.Clone(days), func(day ledger.Date) bool {
			_, known := slices.BinarySearch(s.days, day)
			return known
		}))
	}
	from := facts.AllDays.From
	for _, day := range append(slices.Clone(s.days), facts.AllDays.To+1) {
		if day > from {
			if err := s.sumPeriod(ctx, t, a, from, day-1); err != nil {
				return err
			}
		}
		from = day + 1
	}
	return nil
}

// sumPeriod sums the days from first to last. They are named of either table: a planner carries a bound over a join from
// one only where it is a single value.
func (s *cardDaySums) sumPeriod(ctx context.Context, t *sqldb.Tx, a ledger.Account, first, last ledger.Date) error {
	if t.DB.Dialect.JoinsBySeeking() {
		return s.sumByWalk(ctx, t, a, first, last)
	}
	if first == last { // one day less to join, to sort and to group by
		return s.sumWhere(ctx, t.Tx, t.DB.Dialect, " AND i.sale_day = $2 AND e.sale_day = $2", int64(a), int64(first))
	}
	return s.sumWhere(ctx, t.Tx, t.DB.Dialect, daysBetweenSQL, int64(a), int64(first), int64(last))
}

// daysBetweenSQL are the conditions on the days from $2 to $3.
const daysBetweenSQL = " AND i.sale_day BETWEEN $2 AND $3 AND e.sale_day BETWEEN $2 AND $3"

func (s *cardDaySums) sumWhere(ctx context.Context, q sqldb.Querier, d sqldb.Dialect, where string, args ...any) error {
	return sqldb.EachRow(ctx, q, func(rows *sql.Rows) error {
		var sum ledger.DaySum
		err := rows.Scan(&sum.Day, &sum.Brand, &sum.Product, &sum.Difference, &sum.Open)
		s.sums = append(s.sums, sum)
		return err
	}, cardSumsSQL(d, where), args...)
}

// cardSumsSQL sums the evaluated rows that the conditions choose, after that of the account $1. What is grouped holds no
// more of a row than its sums need.
func cardSumsSQL(d sqldb.Dialect, conditions string) string {
	return `
		SELECT
			day,
			brand,
			product,
			CAST(SUM(difference) AS BIGINT),
			CAST(SUM(waiting) AS BIGINT)
		FROM (
			SELECT
				i.sale_day AS day,
				e.brand AS brand,
				e.product AS product,
				e.net_contract - CASE
					WHEN e.class IN ('cancelled', 'chargeback') AND i.received < 0 THEN i.received + COALESCE((
						SELECT MAX(b.received)
						FROM installment AS b
						WHERE b.account = i.account AND b.sale_day = i.sale_day AND b.nsu = i.nsu AND b.auth = i.auth
							AND b.number = i.number AND b.occurrence = i.occurrence AND b.version < i.version
							AND b.received > 0), 0)
					ELSE COALESCE(i.received, 0)
				END AS difference,
				CASE WHEN e.class = 'open' THEN i.gross ELSE 0 END AS waiting
			FROM installment AS i
			JOIN expectation AS e ON ` + facts.CurrentExpectationJoin + `
			WHERE i.account = $1 AND i.ended_pull IS NULL` + conditions + d.OptimizationFence() + `) AS judged
		GROUP BY day, brand, product
		ORDER BY day, brand, product`
}

// walkPageSize is how many expectations are read before their versions: some hundred kilobytes.
const walkPageSize = 2000

// cardWalk sums what cardSumsSQL does, without a join: expectations and versions are each read in the order of the key, and put
// together here.
type cardWalk struct {
	t       *sqldb.Tx
	account ledger.Account
	until   ledger.Date
	after   rowKey // the last one that is summed
	page    []walkedExpectation
	at      int
	paid    ledger.Amount // the most that an earlier version of the installment at hand had received, from 0
	paidOf  rowKey
	sums    map[dayGroup]*daySum
}

// walkedExpectation is the current expectation of an installment, as far as it is summed.
type walkedExpectation struct {
	rowKey
	version        int64
	brand, product string
	class          ledger.Class
	net            ledger.Amount
}

type dayGroup struct {
	day            ledger.Date
	brand, product string
}

type daySum struct{ difference, open ledger.Amount }

// sumByWalk sums the days from first to last.
func (s *cardDaySums) sumByWalk(ctx context.Context, t *sqldb.Tx, a ledger.Account, first, last ledger.Date) error {
	w := cardWalk{t: t, account: a, until: last, after: rowKey{day: first}, sums: map[dayGroup]*daySum{}}
	for more := true; more; {
		if err := w.readExpectations(ctx); err != nil {
			return err
		}
		if len(w.page) == 0 {
			break
		}
		if err := w.sumVersions(ctx); err != nil {
			return err
		}
		more = len(w.page) == walkPageSize
	}
	for g, sum := range w.sums {
		s.sums = append(s.sums, ledger.DaySum{
			Day: g.day, Brand: g.brand, Product: ledger.Product(g.product), Difference: sum.difference, Open: sum.open,
		})
	}
	slices.SortFunc(s.sums, func(a, b ledger.DaySum) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), strings.Compare(a.Brand, b.Brand), cmp.Compare(a.Product, b.Product))
	})
	return nil
}

// scanRows reads without waiting for the background work of the transaction: the walk is part of it.
func (w *cardWalk) scanRows(ctx context.Context, fn func(*sqldb.RowReader) error, query string, args ...any) error {
	return w.t.DB.Dialect.ScanRows(ctx, w.t.Conn, sqldb.ReadEachRow(fn), query, args...)
}

func (k *rowKey) toArgs() []any {
	return []any{int64(k.day), k.nsu, k.auth, int64(k.number), int64(k.occurrence)}
}

func readRowKey(f *sqldb.RowReader) rowKey {
	return rowKey{f.NextDate(), f.NextText(), f.NextText(), int(f.NextInt()), int(f.NextInt())}
}

// readExpectations reads the next page of current expectations.
func (w *cardWalk) readExpectations(ctx context.Context) error {
	w.page, w.at = w.page[:0], 0
	return w.scanRows(ctx, func(f *sqldb.RowReader) error {
		w.page = append(w.page, walkedExpectation{
			rowKey: readRowKey(f), version: f.NextInt(), brand: f.NextText(), product: f.NextText(), class: ledger.Class(f.NextText()),
			net: ledger.Amount(f.NextInt()),
		})
		return nil
	}, `
		SELECT
			sale_day,
			nsu,
			auth,
			number,
			occurrence,
			version,
			brand,
			product,
			class,
			net_contract
		FROM expectation
		WHERE account = $1 AND ended_run IS NULL AND sale_day <= $2
			AND (sale_day, nsu, auth, number, occurrence) > ($3, $4, $5, $6, $7)
		ORDER BY sale_day, nsu, auth, number, occurrence
		LIMIT $8`, append(append([]any{int64(w.account), int64(w.until)}, w.after.toArgs()...), int64(walkPageSize))...)
}

// sumVersions sums the versions that the page is about. All of an installment are read: what was paid before a claw-back is
// in one that is no longer current.
func (w *cardWalk) sumVersions(ctx context.Context) error {
	last := w.page[len(w.page)-1].rowKey
	args := append(append([]any{int64(w.account)}, w.after.toArgs()...), last.toArgs()...)
	w.after = last
	return w.scanRows(ctx, w.sumVersion, `
		SELECT
			sale_day,
			nsu,
			auth,
			number,
			occurrence,
			version,
			CASE WHEN ended_pull IS NULL THEN 1 ELSE 0 END,
			received,
			gross
		FROM installment
		WHERE account = $1 AND (sale_day, nsu, auth, number, occurrence) > ($2, $3, $4, $5, $6)
			AND (sale_day, nsu, auth, number, occurrence) <= ($7, $8, $9, $10, $11)
		ORDER BY sale_day, nsu, auth, number, occurrence, version`, args...)
}

func (w *cardWalk) sumVersion(f *sqldb.RowReader) error {
	key := readRowKey(f)
	version, stands, received, gross := f.NextInt(), f.NextBool(), ledger.Amount(f.NextInt()), ledger.Amount(f.NextInt())
	if key != w.paidOf {
		w.paid, w.paidOf = 0, key
	}
	paid := w.paid
	w.paid = max(w.paid, received)
	if !stands {
		return nil
	}
	for w.at < len(w.page) && w.page[w.at].compareTo(&key) < 0 {
		w.at++
	}
	for i := w.at; i < len(w.page) && w.page[i].rowKey == key; i++ {
		if b := &w.page[i]; b.version == version { // and not evaluated as another one
			if err := w.addDifference(b, received, paid, gross); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *cardWalk) addDifference(b *walkedExpectation, received, paid, gross ledger.Amount) error {
	if b.class.IsReversal() && received < 0 {
		received += paid
	}
	if b.class != ledger.Open {
		gross = 0
	}
	g := dayGroup{b.day, b.brand, b.product}
	sum := w.sums[g]
	if sum == nil {
		sum = &daySum{}
		w.sums[g] = sum
	}
	var err error
	if sum.difference, err = sum.difference.Add(b.net - received); err != nil {
		return err
	}
	sum.open, err = sum.open.Add(gross)
	return err
}
