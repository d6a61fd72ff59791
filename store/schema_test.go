//go:build unix

package store_test

import (
	"database/sql"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/store/sqldb"
	"concilia/store/storetest"
)

// equivalents are the types of a column in Postgres and those in SQLite that correspond to them. Views have types of their own:
// SQLite gives the columns of a view no type that says anything.
var equivalents = map[string]string{"bigint": "INTEGER", "text": "TEXT", "bytea": "BLOB"}

// onlyPostgres are tables that SQLite has no need of: its inbox is a file of its own, and one process alone pulls.
// Those of River's queue, which is on Postgres alone, begin with river_.
var onlyPostgres = []string{"inbox", "request_rate"}

// TestSchemasAgree: the catalogs of both databases, migrated, have the same tables and views, with the same columns in
// the same order, types that stand for each other, the same nullability, primary keys and indexes.
func TestSchemasAgree(t *testing.T) {
	t.Parallel()
	lite, pg := "sqlite:"+t.TempDir()+"/ledger.db", storetest.Schema(t, storetest.Shared(t))
	openDSN(t, lite)
	openDSN(t, pg)
	a, b := sqliteSchema(t, rawDB(t, lite)), postgresSchema(t, rawDB(t, pg))
	if len(a) < 50 {
		t.Fatalf("the catalog of SQLite has %d lines only", len(a))
	}
	if d := cmp.Diff(a, b); d != "" {
		t.Errorf("store/migrations/sqlite (-) and postgres (+) have other columns, in another order, or other indexes:\n%s", d)
	}
}

// lines runs a query of texts and gives its rows, each on one line, sorted.
func lines(t *testing.T, db *sqldb.DB, query string) []string {
	t.Helper()
	rows, err := db.Write.QueryContext(t.Context(), query)
	must(t, err)
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	must(t, err)
	var out []string
	for rows.Next() {
		cells := make([]sql.NullString, len(columns))
		targets := make([]any, len(columns))
		for i := range cells {
			targets[i] = &cells[i]
		}
		must(t, rows.Scan(targets...))
		var line []string
		for _, c := range cells {
			line = append(line, c.String)
		}
		out = append(out, strings.Join(line, " "))
	}
	must(t, rows.Err())
	slices.Sort(out)
	return out
}

// sqliteSchema has one line a column, with its place in the table and in the primary key, and one an index.
func sqliteSchema(t *testing.T, db *sqldb.DB) []string {
	t.Helper()
	out := lines(t, db, `
		SELECT
			m.type,
			m.name,
			printf('%02d', c.cid + 1),
			c.name,
			CASE WHEN m.type = 'view' THEN '' ELSE c.type END,
			CASE WHEN c."notnull" = 1 THEN 'NOT NULL' ELSE '' END,
			c.pk
		FROM sqlite_master AS m
		JOIN pragma_table_info(m.name) AS c
		WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite_%' AND m.name <> 'goose_db_version'`)
	return append(out, definitions(lines(t, db, `
		SELECT sql
		FROM sqlite_master
		WHERE type = 'index' AND sql IS NOT NULL`))...)
}

func postgresSchema(t *testing.T, db *sqldb.DB) []string {
	t.Helper()
	columns := lines(t, db, `
		SELECT
			CASE WHEN k.relkind = 'v' THEN 'view' ELSE 'table' END,
			k.relname,
			to_char(a.attnum, 'FM00'),
			a.attname,
			CASE WHEN k.relkind = 'v' THEN '' ELSE format_type(a.atttypid, a.atttypmod) END,
			CASE WHEN a.attnotnull THEN 'NOT NULL' ELSE '' END,
			COALESCE(array_position(p.conkey, a.attnum), 0)
		FROM pg_class AS k
		JOIN pg_attribute AS a ON a.attrelid = k.oid AND a.attnum > 0 AND NOT a.attisdropped
		LEFT JOIN pg_constraint AS p ON p.conrelid = k.oid AND p.contype = 'p'
		WHERE k.relnamespace = CAST(current_schema() AS regnamespace) AND k.relkind IN ('r', 'v')
			AND k.relname <> 'goose_db_version'`)
	var out []string
	for _, c := range columns {
		words := strings.Split(c, " ")
		if slices.Contains(onlyPostgres, words[1]) || strings.HasPrefix(words[1], "river_") {
			continue
		}
		if is, ok := equivalents[words[4]]; ok {
			words[4] = is
		}
		out = append(out, strings.Join(words, " "))
	}
	indexes := lines(t, db, `
		SELECT pg_get_indexdef(x.indexrelid)
		FROM pg_index AS x
		JOIN pg_class AS k ON k.oid = x.indrelid
		WHERE k.relnamespace = CAST(current_schema() AS regnamespace) AND NOT x.indisprimary
			AND k.relname <> 'goose_db_version' AND k.relname NOT LIKE 'river%'`)
	indexes = slices.DeleteFunc(indexes, func(def string) bool {
		return slices.ContainsFunc(onlyPostgres, func(table string) bool { return strings.Contains(def, "."+table+" ") })
	})
	return append(out, definitions(indexes)...)
}

// definitions are the texts of indexes with what the databases spell differently taken out.
func definitions(in []string) []string {
	var (
		schema = regexp.MustCompile(` ON \w+\.`)
		cast   = regexp.MustCompile(`::\w+`)
		drop   = strings.NewReplacer("USING btree ", "", " ~~ ", " LIKE ", "(", " ", ")", " ", `"`, "", ",", " ")
		out    []string
	)
	for _, def := range in {
		def = cast.ReplaceAllString(schema.ReplaceAllString(def, " ON "), "")
		out = append(out, strings.ToLower(strings.Join(strings.Fields(drop.Replace(def)), " ")))
	}
	slices.Sort(out)
	return out
}

// TestSchemaDiffers: the comparison sees a column, a null, a key and an index that only one side has.
func TestSchemaDiffers(t *testing.T) {
	t.Parallel()
	path := storetest.FreshSQLite(t)
	openDSN(t, path)
	db := rawDB(t, path)
	before := sqliteSchema(t, db)
	for _, change := range []string{
		"ALTER TABLE run ADD COLUMN more INTEGER", "CREATE INDEX more ON run (more)",
		"CREATE TABLE other (a INTEGER NOT NULL, b INTEGER, PRIMARY KEY (a)) STRICT", "DROP TABLE other",
		"CREATE TABLE other (a INTEGER, b INTEGER NOT NULL, PRIMARY KEY (a, b)) STRICT",
	} {
		_, err := db.Write.ExecContext(t.Context(), change)
		must(t, err)
		after := sqliteSchema(t, db)
		if fmt.Sprint(before) == fmt.Sprint(after) {
			t.Errorf("%s: not seen", change)
		}
		before = after
	}
}
