package reports

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"concilia/store/sqldb"
)

// Sums are the totals of one table of a report as SQL computes them, or, of whole sale days, as a reconcile did from what it had written, without
// the code that reads rows for reports: the first of three proofs; the others are the writer's counters and a reader of what was written.
type Sums struct {
	Rows    int64            // of the table, header not counted
	Columns map[string]int64 // by column id; a column's null cells count as zero
}

// SumColumn is a column of a report: its id, and the SQL of its printed value.
type SumColumn [2]string

// SumColumns runs one query: SELECT rows, then every cell's sum, from what from says.
func SumColumns(ctx context.Context, db *sqldb.DB, cells []SumColumn, with, rows, from string, args []any) (Sums, error) {
	return SumAndCountColumns(ctx, db, nil, cells, with, rows, from, args)
}

// SumAndCountColumns is SumColumns with counts, which are taken as they are and not summed.
func SumAndCountColumns(ctx context.Context, db *sqldb.DB, counts, cells []SumColumn, with, rows, from string, args []any) (Sums, error) {
	var b strings.Builder
	b.WriteString(with + `
		SELECT
			` + rows)
	for _, c := range counts {
		b.WriteString(`,
			` + c[1])
	}
	for _, c := range cells {
		// Postgres sums BIGINT as numeric; the cast makes what does not fit an error on both.
		b.WriteString(`,
			CAST(COALESCE(SUM(` + c[1] + `), 0) AS BIGINT)`)
	}
	b.WriteString(`
		FROM ` + from)
	columns := slices.Concat(counts, cells)
	out := Sums{Columns: make(map[string]int64, len(columns))}
	values := make([]int64, len(columns))
	targets := []any{sqldb.IntoNumber(&out.Rows)}
	for i := range values {
		targets = append(targets, &values[i])
	}
	err := sqldb.EachRow(ctx, db.Read, func(rows *sql.Rows) error { return rows.Scan(targets...) }, b.String(), args...)
	for i, c := range columns {
		out.Columns[c[0]] = values[i]
	}
	return out, err
}

// SplitsInCents is the sum of the splits of an installment i as printed; NULL when it has none. Most rows have none, and nothing is unnested
// for them.
func SplitsInCents(d sqldb.Dialect) string {
	return "CASE WHEN i.splits IS NOT NULL THEN (SELECT SUM(" + sqldb.RoundToCents("COALESCE("+d.IntMember("x", "value")+", 0)") +
		") FROM " + d.UnnestJSON("i.splits", "x") + ") END"
}
