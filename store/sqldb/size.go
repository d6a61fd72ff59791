package sqldb

import "context"

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
