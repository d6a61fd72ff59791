package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"strings"
)

// PlanWithoutStatistics makes the plans of a transaction independent of statistics that its own rows have outrun: what was just
// written in bulk is not counted yet, and a join planned for a handful of rows would run for each of a million.
func (postgresDialect) PlanWithoutStatistics(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, "SET LOCAL enable_nestloop = off")
	return err
}

// PlanWithoutStatistics has nothing to do: SQLite plans these joins by their indexes, not by counts.
func (sqliteDialect) PlanWithoutStatistics(context.Context, *sql.Tx) error { return nil }

// PlanInIndexOrder leaves only the merge of two indexes, whatever the statistics say: the server would rather
// hash both and sort the rows, which are wide, on its disk.
func (postgresDialect) PlanInIndexOrder(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, `
		SELECT
			set_config(name, 'off', true)
		FROM unnest(ARRAY['enable_hashjoin', 'jit', 'enable_nestloop', 'enable_sort', 'enable_bitmapscan', 'enable_seqscan']) AS name
		UNION ALL
		SELECT set_config('max_parallel_workers_per_gather', '0', true)`)
	return err
}

// PlanInIndexOrder has nothing to do: SQLite reads so by itself.
func (sqliteDialect) PlanInIndexOrder(context.Context, *sql.Tx) error { return nil }

// PlanPagesByIndex leaves out the bitmap of pages, whose rows would have to be sorted.
func (postgresDialect) PlanPagesByIndex(ctx context.Context, tx *sql.Tx, always bool) error {
	statement := "SET LOCAL enable_bitmapscan = on"
	if always {
		statement = "SET LOCAL enable_bitmapscan = off"
	}
	_, err := tx.ExecContext(ctx, statement)
	return err
}

// PlanPagesByIndex has nothing to do: SQLite reads so by itself.
func (sqliteDialect) PlanPagesByIndex(context.Context, *sql.Tx, bool) error { return nil }

// analyzeShare is the part of a table, one in so many rows, that has to be new before its rows are counted again.
const analyzeShare = 20

// analyzeSample is how closely Analyze looks, in the server's unit: 300 rows each. Its own is 100, which takes three times as long
// and is what it comes back with by itself.
const analyzeSample = 30

// Analyze counts the rows of a table again when so many changed that plans may be wrong. The server does so by itself,
// but a minute later: too late for what is asked next.
func (postgresDialect) Analyze(ctx context.Context, db *sql.DB, table string, columns []string, changed int64) error {
	var counted int64
	err := db.QueryRowContext(ctx, "SELECT CAST(reltuples AS BIGINT) FROM pg_class WHERE oid = CAST($1 AS regclass)", table).Scan(&counted)
	if err != nil || changed*analyzeShare < counted {
		return err
	}
	if len(columns) > 0 {
		table += " (" + strings.Join(columns, ", ") + ")"
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	for _, statement := range [...]string{"SET LOCAL default_statistics_target = " + strconv.Itoa(analyzeSample), "ANALYZE " + table} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	return tx.Commit()
}

// Analyze has nothing to do.
func (sqliteDialect) Analyze(context.Context, *sql.DB, string, []string, int64) error { return nil }

// DatabaseSize is how many bytes the tables and indexes take, the log of what was just written not counted.
func (sqliteDialect) DatabaseSize(ctx context.Context, db Querier) (n int64, err error) {
	err = db.QueryRowContext(ctx, `
		SELECT c.page_count * s.page_size
		FROM pragma_page_count() AS c, pragma_page_size() AS s`).Scan(&n)
	return n, err
}

// DatabaseSize is how many bytes the tables and indexes of the schema take: other schemas of the database are not the ledger's.
func (postgresDialect) DatabaseSize(ctx context.Context, db Querier) (n int64, err error) {
	err = db.QueryRowContext(ctx, `
		SELECT CAST(COALESCE(SUM(pg_total_relation_size(c.oid)), 0) AS BIGINT)
		FROM pg_class AS c
		JOIN pg_namespace AS n ON n.oid = c.relnamespace
		WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'm')`).Scan(&n)
	return n, err
}
