package sales

import (
	"context"
	"database/sql"
	"fmt"

	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
	"concilia/store/sqldb"
)

// Concluded asks for what was concluded of the stores of a home, as of a run, of the days of a period.
type Concluded struct {
	Home   ledger.Account
	Run    string
	Period ledger.Period
}

// isCurrent is the condition that a row of c was current when the run had concluded, and is of the period.
const isCurrent = "c.account = $1 AND c.run <= $2 AND (c.ended_run IS NULL OR c.ended_run > $2) AND c.day >= $3 AND c.day <= $4"

// listArguments are the arguments of the condition isCurrent, $1 to $4.
func (q *Concluded) listArguments() []any {
	return []any{int64(q.Home), q.Run, int64(q.Period.From), int64(q.Period.To)}
}

// readConcluded calls fn for the rows of a table, in order of store and key. A row may be reused after fn returns.
func readConcluded[T comparable](ctx context.Context, s *ConclusionStore, q Concluded, table *shopTable[T], fn func(*T) error) error {
	all := table.Columns()
	return s.db.StreamRows(ctx, func(f *sqldb.RowReader) error {
		var row T
		table.place(&row, Shop{Home: q.Home, ID: f.NextText()})
		all.Read(&row, f)
		if f.Err() != nil {
			return f.Err()
		}
		return fn(&row)
	}, `
		SELECT
			c.store,`+all.SelectList("c")+`
		FROM `+table.Name+` AS c
		WHERE `+isCurrent+`
		ORDER BY c.store, `+table.orderBy(), q.listArguments()...)
}

// OwnMatches calls fn for how payments and sales stood, in order of store, day, sale, payment and sale of the service.
func (s *ConclusionStore) OwnMatches(ctx context.Context, q Concluded, fn func(*ownsales.Match) error) error {
	return s.db.WrapError("read how the stores of account "+q.Home.String()+" stand", readConcluded(ctx, s, q, &matchTable, fn))
}

// SeenOwnDays calls fn for the evaluated days, in order of store and day.
func (s *ConclusionStore) SeenOwnDays(ctx context.Context, q Concluded, fn func(*ownsales.SeenDay) error) error {
	return s.db.WrapError("read the days of the stores of account "+q.Home.String(), readConcluded(ctx, s, q, &seenDayTable, fn))
}

// OwnMonths calls fn for the months that begin in the period, in order of store, month and institution.
func (s *ConclusionStore) OwnMonths(ctx context.Context, q Concluded, fn func(*ownsales.MonthTotal) error) error {
	return s.db.WrapError("read the months of the stores of account "+q.Home.String(), readConcluded(ctx, s, q, &monthTable, fn))
}

// HasConcludedStores reports whether a run had concluded anything of a store of the home.
func (s *ConclusionStore) HasConcludedStores(ctx context.Context, home ledger.Account, run string) (has bool, err error) {
	err = sqldb.EachRow(ctx, s.db.Read, func(*sql.Rows) error {
		has = true
		return nil
	}, `
		SELECT 1
		FROM own_month AS c
		WHERE c.account = $1 AND c.run <= $2
		LIMIT 1`, int64(home), run)
	return has, s.db.WrapError("read the stores of account "+home.String(), err)
}

// What rows count in sums, as their nouns say.
const (
	ownTotalSQL     = "CASE WHEN c.own_status IN ('cancelled', 'refunded') THEN 0 ELSE COALESCE(c.own_amount, 0) END"
	serviceTotalSQL = "CASE WHEN c.live = 1 THEN COALESCE(c.sale_total, 0) ELSE 0 END"
)

// OwnSums are sums of what was concluded, by column.
type OwnSums struct {
	Rows    int64
	Columns map[string]int64
}

// SumOwnMatches sums the rows of OwnMatches.
func (s *ConclusionStore) SumOwnMatches(ctx context.Context, q Concluded) (OwnSums, error) {
	return s.sumConcluded(ctx, q, "own_match", "COUNT(*)", map[string]string{
		"payment_no": "c.payment_no", "own_amount": "c.own_amount", "own_installments": "c.own_installments", "level": "c.level",
		"sale_total": "c.sale_total", "installments": "c.installments", "difference": ownTotalSQL + " - " + serviceTotalSQL,
	})
}

// SumOwnDays sums OwnMatches by day and method, and counts a line for each, and one for each day without any.
func (s *ConclusionStore) SumOwnDays(ctx context.Context, q Concluded) (OwnSums, error) {
	columns := map[string]string{"own_total": ownTotalSQL, "service_total": serviceTotalSQL, "difference": ownTotalSQL + " - " + serviceTotalSQL}
	for _, bucket := range ownsales.Buckets() {
		b := string(bucket)
		of := "CASE WHEN c.bucket = '" + b + "' THEN "
		columns[b+"_qty"] = of + "1 ELSE 0 END"
		columns[b] = of + ownTotalSQL + " ELSE 0 END"
	}
	columns["only_at_service"] = "CASE WHEN c.bucket = 'only_at_service' THEN " + serviceTotalSQL + " ELSE 0 END"
	columns["waiting"] = "CASE WHEN c.bucket = 'waiting' THEN " + ownTotalSQL + " - " + serviceTotalSQL + " ELSE 0 END"
	return s.sumConcluded(ctx, q, "own_match", `(
			SELECT COUNT(*)
			FROM (
				SELECT DISTINCT c.store, c.day, CASE WHEN c.own_method <> '' THEN c.own_method ELSE c.product END AS method
				FROM own_match AS c
				WHERE `+isCurrent+`
			) AS m
		) + (
			SELECT COUNT(*)
			FROM own_seen_day AS c
			WHERE `+isCurrent+` AND NOT EXISTS (
				SELECT 1
				FROM own_match AS m
				WHERE m.account = c.account AND m.store = c.store AND m.day = c.day AND m.run <= $2 AND (m.ended_run IS NULL OR m.ended_run > $2))
		)`, columns)
}

// OwnTotals returns what the payments of a shop come to, whether their days are complete or not, in order of day.
func (s *ConclusionStore) OwnTotals(ctx context.Context, at Shop, p ledger.Period) (all []ownsales.Total, err error) {
	err = sqldb.EachRow(ctx, s.db.Read, func(rows *sql.Rows) error {
		var t ownsales.Total
		err := rows.Scan(sqldb.IntoDate(&t.Day), &t.Institution, &t.Method, &t.Amount)
		all = append(all, t)
		return err
	}, `
		SELECT
			day,
			institution,
			method,
			CAST(SUM(amount) AS BIGINT)
		FROM own_sale
		WHERE account = $1 AND store = $2 AND ended_file IS NULL AND vanished = 0 AND status = 'paid' AND day >= $3 AND day <= $4
		GROUP BY day, institution, method
		ORDER BY day, institution, method`, int64(at.Home), at.ID, int64(p.From), int64(p.To))
	return all, s.db.WrapError("sum the payments of store "+at.ID, err)
}

// SumOwnMonths sums the rows of OwnMonths.
func (s *ConclusionStore) SumOwnMonths(ctx context.Context, q Concluded) (OwnSums, error) {
	return s.sumConcluded(ctx, q, "own_month", "COUNT(*)", map[string]string{"own_total": "c.own_total", "days_missing": "c.days_missing"})
}

func (s *ConclusionStore) sumConcluded(ctx context.Context, q Concluded, table, count string, columns map[string]string) (OwnSums, error) {
	query, names := "SELECT "+count, make([]string, 0, len(columns))
	for name, expression := range columns {
		names = append(names, name)
		query += ", CAST(COALESCE(SUM(" + expression + "), 0) AS BIGINT)"
	}
	out := OwnSums{Columns: make(map[string]int64, len(names))}
	values := make([]int64, len(names))
	targets := []any{&out.Rows}
	for i := range values {
		targets = append(targets, &values[i])
	}
	err := sqldb.EachRow(ctx, s.db.Read, func(row *sql.Rows) error { return row.Scan(targets...) },
		query+" FROM "+table+" AS c WHERE "+isCurrent, q.listArguments()...)
	for i, name := range names {
		out.Columns[name] = values[i]
	}
	return out, s.db.WrapError("sum "+table+" of account "+q.Home.String(), err)
}

// OwnState names all that the rows of a period were when the run had concluded: it differs when any of them does.
func (s *ConclusionStore) OwnState(ctx context.Context, q Concluded) (state string, err error) {
	for _, table := range []string{"own_match", "own_seen_day", "own_month"} {
		var rows, ended int64
		var last, end string
		err := s.db.Read.QueryRowContext(ctx, `
			SELECT
				COUNT(*),
				CAST(COALESCE(SUM(CASE WHEN c.ended_run <= $2 THEN 1 ELSE 0 END), 0) AS BIGINT),
				COALESCE(MAX(c.run), ''),
				COALESCE(MAX(CASE WHEN c.ended_run <= $2 THEN c.ended_run ELSE '' END), '')
			FROM `+table+` AS c
			WHERE c.account = $1 AND c.run <= $2 AND c.day >= $3 AND c.day <= $4`, q.listArguments()...).Scan(&rows, &ended, &last, &end)
		if err != nil {
			return "", s.db.WrapError("read the state of "+table, err)
		}
		state += fmt.Sprintf("%s %d %d %s %s\n", table, rows, ended, last, end)
	}
	return state, nil
}
