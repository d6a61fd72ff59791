package books

import (
	"context"
	"database/sql"
	"strings"

	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
	"concilia/store/sqldb"
)

// SentSums are the sums of all cuts of a source up to a set, with what occurred before the first day: of the set itself over its events, of
// those before it as each cut keeps them. So a night does not read the events of all nights before it; ledger check holds every cut against its
// events.
func (s *EventReader) SentSums(ctx context.Context, a ledger.Account, source bookkeeping.EventSource, set int) (m bookkeeping.Measures, err error) {
	cuts, err := s.Cuts(ctx, a)
	for i := range cuts {
		c := &cuts[i]
		if err != nil || c.Source != source || c.Set > set {
			continue
		}
		sums := c.Sums
		if c.Set == set {
			sums, err = s.sumEvents(ctx, c)
		}
		m.Add(c.BeforeFrom)
		m.Add(sums)
	}
	return m, s.db.WrapError("sum the movement of account "+a.String(), err)
}

// sumEvents adds up the events of a cut.
func (s *EventReader) sumEvents(ctx context.Context, c *Cut) (m bookkeeping.Measures, err error) {
	var columns []string
	for _, id := range bookkeeping.MeasureIDs() {
		columns = append(columns, `
			CAST(COALESCE(SUM(`+id+`), 0) AS BIGINT)`)
	}
	var into []any
	for _, v := range m.All() {
		into = append(into, v)
	}
	err = s.db.Read.QueryRowContext(ctx, `
		SELECT`+strings.Join(columns, ",")+`
		FROM event
		WHERE account = $1 AND source = $2 AND cut = $3`, int64(c.Account), string(c.Source), int64(c.Number)).Scan(into...)
	return m, err
}

// Tally is how many events of a cut have one type, and one reason for being in no EDI file or none.
type Tally struct {
	Type   bookkeeping.EventType
	Reason string
	Count  int64
	// Restated are those of titles whose row is the same version before and after: what the contract, the mapping or the profile say of it has
	// changed.
	Restated int64
	Sums     bookkeeping.Measures
}

// Tallies counts and adds up the events of a cut, by type and reason.
func (s *EventReader) Tallies(ctx context.Context, c *Cut) (out []Tally, err error) {
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
func (s *EventReader) ColumnSums(ctx context.Context, c *Cut) (rows int64, sums map[string]int64, err error) {
	names := append(bookkeeping.MeasureIDs(), "value", "nsa", "lote", "record", "version")
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
