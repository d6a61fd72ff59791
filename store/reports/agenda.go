package reports

import (
	"context"
	"database/sql"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// Agenda is how rows to come are read according to the profile and mapping, which the ledger does not know.
type Agenda struct {
	// Anticipated are the received types, as sent, that mark a row as being anticipated.
	Anticipated []string
	// NetOfSplits: splits are taken out of what is received.
	NetOfSplits bool
}

// What is to come, by the line of a row's rest, of an expectation e: as the summary counts it in not_due and blocked.
const (
	restNotDue  = "e.rest IN ('not_due', 'no_forecast')"
	restBlocked = "e.rest = 'blocked'"
)

// openRowsSQL is FROM and WHERE of the rows whose money is to come, of any date.
func (q *Query) openRowsSQL() (from string, args []any) {
	w := &sqldb.Conditions{}
	q.addCurrent(w)
	q.addFilters(w)
	w.Add("(" + restNotDue + " OR " + restBlocked + ")")
	believed := q.expectationJoin(w)
	return `installment AS i
		JOIN expectation AS e ON ` + believed + w.Where(), w.Args
}

// chargedCents is what a row is charged, each part as printed.
func (s *sumQuery) chargedCents(a *Agenda) string {
	sum := roundToCents("COALESCE(i.mdr, 0)") + " + " + roundToCents("COALESCE(i.fee, 0)") + " + " + roundToCents("COALESCE(i.antifraud, 0)") +
		" + " + roundToCents("COALESCE(i.anticipation, 0)")
	if a.NetOfSplits {
		sum += " + COALESCE(" + s.splitSum() + ", 0)"
	}
	return sum
}

// AgendaItems calls fn for every installment of the account that is still to be received, in no order. It uses the
// filters and the run of the query, but not its period and basis. Memory does not grow with the rows.
func (l *Store) AgendaItems(ctx context.Context, q Query, a Agenda, fn func(*ledger.AgendaItem) error) error {
	from, args := q.openRowsSQL()
	splits := "''"
	if a.NetOfSplits {
		splits = "COALESCE(i.splits, '')"
	}
	var i ledger.AgendaItem
	var parts [4]ledger.Amount
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var received ledger.Amount
		var shares string
		if err := rows.Scan(sqldb.IntoDate(&i.Forecast), &i.Brand, &i.Product, sqldb.IntoBool(&i.Blocked), &i.GrossCents, &i.Gross, &i.Net,
			&received, &parts[0], &parts[1], &parts[2], &parts[3], &shares, &i.ReceivedType); err != nil {
			return err
		}
		split, err := facts.UnmarshalSplits(shares)
		if err != nil {
			return err
		}
		// Rounded here and not by SQL: the sums of AgendaSums are.
		i.Net, i.Anticipating, i.Charged, i.ChargedCents = i.Net-received, parts[3] > 0, 0, 0
		charge := func(p ledger.Amount) {
			i.Charged, i.ChargedCents = i.Charged+p, i.ChargedCents+p.Rounded(ledger.HalfAwayFromZero)
		}
		for _, p := range parts {
			charge(p)
		}
		for k := range split {
			charge(split[k].Value.Or(0))
		}
		return fn(&i)
	}, `
		SELECT
			i.forecast,
			e.brand,
			e.product,
			CASE WHEN `+restBlocked+` THEN 1 ELSE 0 END,
			e.gross_cents,
			i.gross,
			e.net,
			e.received,
			COALESCE(i.mdr, 0),
			COALESCE(i.fee, 0),
			COALESCE(i.antifraud, 0),
			COALESCE(i.anticipation, 0),
			`+splits+`,
			i.received_type
		FROM `+from, args...)
	return l.db.WrapError("read the agenda of account "+q.Account.String(), err)
}

// ReceivedTypes returns the received types, as sent, of the rows of AgendaItems.
func (l *Store) ReceivedTypes(ctx context.Context, q Query) ([]string, error) {
	from, args := q.openRowsSQL()
	var types []string
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var t string
		err := rows.Scan(&t)
		types = append(types, t)
		return err
	}, `
		SELECT DISTINCT i.received_type
		FROM `+from+`
		ORDER BY i.received_type`, args...)
	return types, l.db.WrapError("read the received types of account "+q.Account.String(), err)
}

// AgendaSums are the totals of the table agenda as SQL computes them, as Sums does for others: gross is gross_cents,
// deductions the fees as printed, with the splits where the reading takes them out; net is N − R of the open rows and
// blocked that of the blocked ones, both in cents; anticipated is the part of net that has a cost of anticipation or an
// anticipated type; cumulative is net added up line by line. Rows counts forecast dates, brands and products.
func (l *Store) AgendaSums(ctx context.Context, q Query, a Agenda) (Sums, error) {
	s := sumQuery{l: l, q: &q}
	w := &sqldb.Conditions{}
	q.addCurrent(w)
	q.addFilters(w)
	early := "COALESCE(i.anticipation, 0) > 0"
	if len(a.Anticipated) > 0 {
		types := &sqldb.Conditions{Args: w.Args}
		sqldb.AddIn(types, "i.received_type", a.Anticipated, func(t string) any { return t })
		early, w.Args = early+" OR "+types.Parts[0], types.Args
	}
	w.Add("(" + restNotDue + " OR " + restBlocked + ")")
	believed := q.expectationJoin(w)
	rest := roundToCents("e.net - e.received")
	with := `
		WITH figures AS (
			SELECT
				COALESCE(i.forecast, 2147483647) AS forecast,
				e.brand,
				e.product,
				e.gross_cents * 100 AS gross,
				` + s.chargedCents(&a) + ` AS deductions,
				CASE WHEN ` + restNotDue + ` THEN ` + rest + ` ELSE 0 END AS net,
				CASE WHEN ` + restNotDue + ` AND (` + early + `) THEN ` + rest + ` ELSE 0 END AS anticipated,
				CASE WHEN ` + restBlocked + ` THEN ` + rest + ` ELSE 0 END AS blocked
			FROM installment AS i
			JOIN expectation AS e ON ` + believed + w.Where() + `),
		lines AS (
			SELECT
				forecast,
				brand,
				product,
				CAST(SUM(net) AS BIGINT) AS net
			FROM figures
			GROUP BY forecast, brand, product)`
	out, err := s.sumColumns(ctx, []sumColumn{
		{"installments", "1"},
		{"gross", "gross"},
		{"deductions", "deductions"},
		{"net", "net"},
		{"anticipated", "anticipated"},
		{"blocked", "blocked"},
	}, with, "(SELECT COUNT(*) FROM lines)", "figures", w.Args)
	if err == nil {
		var line Sums
		line, err = s.sumColumns(ctx, []sumColumn{{"cumulative", "so_far"}}, with, "COUNT(*)", `(
			SELECT CAST(SUM(net) OVER (ORDER BY forecast, brand, product) AS BIGINT) AS so_far
			FROM lines) AS running`, w.Args)
		if err == nil {
			out.Columns["cumulative"] = line.Columns["cumulative"]
		}
	}
	return out, l.db.WrapError("sum the agenda of account "+q.Account.String(), err)
}
