package books

import (
	"context"
	"database/sql"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// SentSums are the sums of all cuts of a source up to a set, with what occurred before the first day.
func (s *Store) SentSums(ctx context.Context, a ledger.Account, source ledger.EventSource, set int) (m ledger.Measures, err error) {
	var into []any
	text, of := "", ""
	for i, id := range ledger.MeasureIDs() {
		if i > 0 {
			text, of = text+",", of+","
		}
		text += `
			CAST(COALESCE(SUM(x.` + id + `), 0) AS BIGINT)`
		of += `
			CAST(COALESCE(SUM(before_` + id + `), 0) AS BIGINT)`
	}
	var before ledger.Measures
	for _, v := range m.All() {
		into = append(into, v)
	}
	err = s.db.Read.QueryRowContext(ctx, `
		SELECT`+text+fromEvents+`
		WHERE x.account = $1 AND x.source = $2 AND c.set_number <= $3`, int64(a), string(source), int64(set)).Scan(into...)
	if err == nil {
		into = into[:0]
		for _, v := range before.All() {
			into = append(into, v)
		}
		err = s.db.Read.QueryRowContext(ctx, `
		SELECT`+of+`
		FROM event_cut
		WHERE account = $1 AND source = $2 AND set_number <= $3`, int64(a), string(source), int64(set)).Scan(into...)
	}
	m.Add(before)
	return m, s.db.WrapError("sum the movement of account "+a.String(), err)
}

// Tally is how many events of a cut have one type, and one reason for being in no EDI file or none.
type Tally struct {
	Type   ledger.EventType
	Reason string
	Count  int64
	// Restated are those of titles whose row is the same version before and after: what the contract, the mapping or the profile say of it has
	// changed.
	Restated int64
	Sums     ledger.Measures
}

// Tallies counts and adds up the events of a cut, by type and reason.
func (s *Store) Tallies(ctx context.Context, c *Cut) (out []Tally, err error) {
	err = sqldb.EachRow(ctx, s.db.Read, func(rows *sql.Rows) error {
		var t Tally
		into := []any{&t.Type, &t.Reason, &t.Count, &t.Restated}
		for _, m := range t.Sums.All() {
			into = append(into, m)
		}
		err := rows.Scan(into...)
		out = append(out, t)
		return err
	}, `
		SELECT
			type,
			reason,
			COUNT(*),
			CAST(SUM(CASE WHEN after_state <> '' AND before_state LIKE CAST(version AS TEXT) || '|%' THEN 1 ELSE 0 END) AS BIGINT),
			CAST(SUM(face) AS BIGINT),
			CAST(SUM(closed) AS BIGINT),
			CAST(SUM(received) AS BIGINT),
			CAST(SUM(fees) AS BIGINT),
			CAST(SUM(anticipation) AS BIGINT),
			CAST(SUM(splits) AS BIGINT)
		FROM event
		WHERE account = $1 AND source = $2 AND cut = $3
		GROUP BY type, reason
		ORDER BY type, reason`, int64(c.Account), string(c.Source), int64(c.Number))
	return out, s.db.WrapError("count events", err)
}

// ColumnSums are the sums of the numbers that the events of a cut have, by the name of their column.
func (s *Store) ColumnSums(ctx context.Context, c *Cut) (rows int64, sums map[string]int64, err error) {
	names := append(ledger.MeasureIDs(), "value", "nsa", "lote", "record", "version")
	values := make([]int64, len(names))
	into := []any{&rows}
	text := ""
	for i, name := range names {
		into = append(into, &values[i])
		text += `,
			CAST(COALESCE(SUM(` + name + `), 0) AS BIGINT)`
	}
	err = s.db.Read.QueryRowContext(ctx, `
		SELECT
			COUNT(*)`+text+`
		FROM event
		WHERE account = $1 AND source = $2 AND cut = $3`, int64(c.Account), string(c.Source), int64(c.Number)).Scan(into...)
	sums = map[string]int64{"set": rows * int64(c.Set)}
	for i, name := range names {
		sums[name] = values[i]
	}
	return rows, sums, s.db.WrapError("sum events", err)
}
