//go:build unix

package store_test

import (
	"database/sql"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/store"
	"concilia/store/bank"
	"concilia/store/ledger"
	"concilia/store/reports"
	"concilia/store/sqldb"
	"concilia/store/storetest"
)

// TestViews: the same rows in both databases read the same in every view, and the views say what the ledger says.
func TestViews(t *testing.T) {
	t.Parallel()
	lite, pg := storetest.FreshSQLite(t), storetest.FreshPostgres(t)
	var tables []map[string][]string
	for _, dsn := range []string{lite, pg} {
		l := openDSN(t, dsn)
		story := newStory(t, l, 7)
		run := ""
		for range 6 {
			run = story.Night()
		}
		takeIn(t, l, statementA)
		must(t, l.KeepConclusion(t.Context(), &ledger.Run{ID: run}, bank.Account{Home: 1001, ID: statementA.takeIn().Bank}, concludedOf(parseAmount("320.78")), nil))
		db := rawDB(t, dsn)
		views := make(map[string][]string)
		for _, name := range viewNames(t, db) {
			views[name] = viewRows(t, db, name)
			if len(views[name]) < 2 {
				t.Errorf("%s has no rows", name)
			}
		}
		tables = append(tables, views)
		viewsSayWhatIsThere(t, l, db, story.Account())
	}
	if len(tables[0]) < 10 {
		t.Errorf("%d views", len(tables[0]))
	}
	if d := cmp.Diff(tables[0], tables[1]); d != "" {
		t.Errorf("SQLite (-), Postgres (+):\n%s", d)
	}
}

func viewNames(t *testing.T, db *sqldb.DB) []string {
	t.Helper()
	if db.Dialect.Name() == "sqlite" {
		return lines(t, db, "SELECT name FROM sqlite_master WHERE type = 'view'")
	}
	return lines(t, db, "SELECT viewname FROM pg_views WHERE schemaname = current_schema()")
}

// viewRows gives the rows of a view, each on a line, sorted, its columns first. A fact of time is spelled as ISO 8601
// does, a truth as 0 or 1: what a column is in one database and its text in the other.
func viewRows(t *testing.T, db *sqldb.DB, view string) []string {
	t.Helper()
	rows, err := db.Write.QueryContext(t.Context(), "SELECT * FROM "+view)
	must(t, err)
	defer func() { _ = rows.Close() }()
	types, err := rows.ColumnTypes()
	must(t, err)
	names, err := rows.Columns()
	must(t, err)
	var out []string
	for rows.Next() {
		cells, targets := make([]any, len(types)), make([]any, len(types))
		for i := range cells {
			targets[i] = &cells[i]
		}
		must(t, rows.Scan(targets...))
		line := make([]string, len(cells))
		for i, c := range cells {
			line[i] = cellText(t, view+"."+names[i], types[i], c)
		}
		out = append(out, strings.Join(line, "|"))
	}
	must(t, rows.Err())
	slices.Sort(out)
	return append([]string{strings.Join(names, "|")}, out...)
}

func cellText(t *testing.T, name string, typ *sql.ColumnType, cell any) string {
	t.Helper()
	switch v := cell.(type) {
	case nil:
		return "NULL"
	case bool:
		return map[bool]string{false: "0", true: "1"}[v]
	case int64:
		return fmt.Sprint(v)
	case float64: // an amount or a rate in SQLite, which has no decimals
		return strconv.FormatFloat(v, 'f', -1, 64)
	case string:
		if typ.DatabaseTypeName() == "NUMERIC" {
			return shortest(v)
		}
		return v
	case time.Time:
		layout, known := map[string]string{
			"DATE": "2006-01-02", "TIMESTAMP": "2006-01-02T15:04:05.000000", "TIMESTAMPTZ": "2006-01-02T15:04:05.000000Z",
		}[typ.DatabaseTypeName()]
		if known {
			return v.UTC().Format(layout)
		}
	}
	t.Fatalf("%s is of type %T (%s)", name, cell, typ.DatabaseTypeName())
	return ""
}

// viewsSayWhatIsThere compares the views of current rows with the ledger's own reading.
func viewsSayWhatIsThere(t *testing.T, l *store.Ledger, db *sqldb.DB, a ledger.Account) {
	t.Helper()
	q := reports.Query{Account: a, Basis: "operation", Period: ledger.Period{From: 1, To: 1 << 20}}
	var cards, slips []string
	must(t, l.Installments(t.Context(), q, func(v *ledger.InstallmentVersion, e *ledger.Expectation) error {
		cards = append(cards, fmt.Sprintln(v.SoldAt.Date(), v.NSU, v.Key().Number, v.Occurrence, v.Version, spelledShort(v.Gross),
			spelledShort(v.MDR.V), spelledShort(e.Net), e.Class))
		return nil
	}))
	must(t, l.Slips(t.Context(), a, func(s *ledger.Slip) error {
		slips = append(slips, fmt.Sprintln(s.ID, spelledShort(s.Value), s.Due, s.Status.V, s.Integration.V, spelledShort(s.Penalty.V), s.List))
		return nil
	}))
	slices.Sort(cards)
	if d := cmp.Diff(cards, viewLines(t, db, `
		SELECT
			sale_date,
			nsu,
			installment,
			occurrence,
			version,
			gross,
			COALESCE(mdr, 0),
			net_expected,
			class
		FROM v_installment`)); d != "" {
		t.Errorf("%s: ledger (-), v_installment (+):\n%s", db.Dialect.Name(), d)
	}
	if d := cmp.Diff(slips, viewLines(t, db, `
		SELECT
			id,
			value,
			due,
			COALESCE(status, 0),
			COALESCE(integration, 0),
			COALESCE(penalty, 0),
			seen_last_in
		FROM v_slip`)); d != "" {
		t.Errorf("%s: ledger (-), v_slip (+):\n%s", db.Dialect.Name(), d)
	}
}

// spelledShort is an amount as views show it: a number without zeros at its end.
func spelledShort(a ledger.Amount) string { return shortest(a.Fixed(4)) }

func shortest(decimal string) string {
	if strings.Contains(decimal, ".") {
		decimal = strings.TrimRight(strings.TrimRight(decimal, "0"), ".")
	}
	return decimal
}

func viewLines(t *testing.T, db *sqldb.DB, query string) []string {
	t.Helper()
	midnight, decimal := regexp.MustCompile(`T00:00:00Z`), regexp.MustCompile(`\b\d+\.\d+\b`)
	out := lines(t, db, query)
	for i := range out {
		out[i] = decimal.ReplaceAllStringFunc(midnight.ReplaceAllString(out[i], ""), shortest) + "\n"
	}
	return out
}

// A query that spells an amount or a rate as people do finds the rows that have it, in both databases.
func TestViewsAreAskedByAmount(t *testing.T) {
	t.Parallel()
	for _, dsn := range []string{storetest.FreshSQLite(t), storetest.FreshPostgres(t)} {
		l := openDSN(t, dsn)
		story := newStory(t, l, 7)
		for range 3 {
			story.Night()
		}
		db := rawDB(t, dsn)
		findsAmounts(t, db, "v_installment.gross", "installment.gross", " AND ended_pull IS NULL", 4)
		findsAmounts(t, db, "v_installment.mdr_rate", "installment.mdr_rate", " AND ended_pull IS NULL", 6)
		findsAmounts(t, db, "v_slip_history.value", "slip.value", "", 4)
		findsAmounts(t, db, "v_finding.impact", "finding.impact", "", 4)
	}
}

// findsAmounts asks a view for values of a column's integers, spelled with their decimals; which are the rows of the table
// that the view shows.
func findsAmounts(t *testing.T, db *sqldb.DB, column, integers, which string, decimals int) {
	t.Helper()
	view, name, _ := strings.Cut(column, ".")
	table, integer, _ := strings.Cut(integers, ".")
	rows := lines(t, db, "SELECT "+integer+", COUNT(*) FROM "+table+" WHERE "+integer+" IS NOT NULL"+which+" GROUP BY 1")
	if len(rows) == 0 {
		t.Errorf("%s: no row of %s", db.Dialect.Name(), table)
	}
	for _, row := range rows[:min(20, len(rows))] {
		value, count, _ := strings.Cut(row, " ")
		text := fmt.Sprintf("%0*s", decimals+1, strings.TrimPrefix(value, "-"))
		text = shortest(text[:len(text)-decimals] + "." + text[len(text)-decimals:])
		if strings.HasPrefix(value, "-") {
			text = "-" + text
		}
		for _, condition := range []string{" = " + text, " = '" + text + "'", " BETWEEN " + text + " - 0.0000005 AND " + text + " + 0.0000005"} {
			query := "SELECT COUNT(*) FROM " + view + " WHERE " + name + condition
			if got := lines(t, db, query); got[0] != count {
				t.Errorf("%s: %s gives %s rows, want %s", db.Dialect.Name(), query, got[0], count)
			}
		}
	}
}
