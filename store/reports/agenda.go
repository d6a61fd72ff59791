package reports

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strings"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/results"
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
	q.AddCurrent(w)
	q.AddFilters(w)
	w.Add("(" + restNotDue + " OR " + restBlocked + ")")
	join := q.ExpectationJoin(w)
	return `installment AS i
		JOIN expectation AS e ON ` + join + w.Where(), w.Args
}

// chargedCents is what a row is charged, each part as printed.
func (a *Agenda) chargedCents(d sqldb.Dialect) string {
	sum := sqldb.RoundToCents("COALESCE(i.mdr, 0)") + " + " + sqldb.RoundToCents("COALESCE(i.fee, 0)") + " + " + sqldb.RoundToCents("COALESCE(i.antifraud, 0)") +
		" + " + sqldb.RoundToCents("COALESCE(i.anticipation, 0)")
	if a.NetOfSplits {
		sum += " + COALESCE(" + SplitsInCents(d) + ", 0)"
	}
	return sum
}

// AgendaItems calls fn for every installment of the account that is still to be received, in no order. It uses the
// filters and the run of the query, but not its period and basis. Memory does not grow with the rows.
func (l *AgendaReader) AgendaItems(ctx context.Context, q Query, a Agenda, fn func(*ledger.AgendaItem) error) error {
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
func (l *AgendaReader) ReceivedTypes(ctx context.Context, q Query) ([]string, error) {
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
func (l *AgendaReader) AgendaSums(ctx context.Context, q Query, a Agenda) (Sums, error) {
	w := &sqldb.Conditions{}
	q.AddCurrent(w)
	q.AddFilters(w)
	early := "COALESCE(i.anticipation, 0) > 0"
	if len(a.Anticipated) > 0 {
		types := &sqldb.Conditions{Args: w.Args}
		sqldb.AddIn(types, "i.received_type", a.Anticipated, func(t string) any { return t })
		early, w.Args = early+" OR "+types.Parts[0], types.Args
	}
	w.Add("(" + restNotDue + " OR " + restBlocked + ")")
	join := q.ExpectationJoin(w)
	rest := sqldb.RoundToCents("e.net - e.received")
	with := `
		WITH figures AS (
			SELECT
				COALESCE(i.forecast, 2147483647) AS forecast,
				e.brand,
				e.product,
				e.gross_cents * 100 AS gross,
				` + a.chargedCents(l.db.Dialect) + ` AS deductions,
				CASE WHEN ` + restNotDue + ` THEN ` + rest + ` ELSE 0 END AS net,
				CASE WHEN ` + restNotDue + ` AND (` + early + `) THEN ` + rest + ` ELSE 0 END AS anticipated,
				CASE WHEN ` + restBlocked + ` THEN ` + rest + ` ELSE 0 END AS blocked
			FROM installment AS i
			JOIN expectation AS e ON ` + join + w.Where() + `),
		lines AS (
			SELECT
				forecast,
				brand,
				product,
				CAST(SUM(net) AS BIGINT) AS net
			FROM figures
			GROUP BY forecast, brand, product)`
	out, err := SumColumns(ctx, l.db, []SumColumn{
		{"installments", "1"},
		{"gross", "gross"},
		{"deductions", "deductions"},
		{"net", "net"},
		{"anticipated", "anticipated"},
		{"blocked", "blocked"},
	}, with, "(SELECT COUNT(*) FROM lines)", "figures", w.Args)
	if err == nil {
		var line Sums
		line, err = SumColumns(ctx, l.db, []SumColumn{{"cumulative", "so_far"}}, with, "COUNT(*)", `(
			SELECT CAST(SUM(net) OVER (ORDER BY forecast, brand, product) AS BIGINT) AS so_far
			FROM lines) AS running`, w.Args)
		if err == nil {
			out.Columns["cumulative"] = line.Columns["cumulative"]
		}
	}
	return out, l.db.WrapError("sum the agenda of account "+q.Account.String(), err)
}

// AgendaSpan returns the span that the movement of the agenda covers on a day, as of the run: since the state set of the
// last day before that has it, in the revision that first said what it says. A reconcile since then whose movements did
// not lead from its opening to its closing is where it begins instead. Running a day again changes nothing of it.
func (l *AgendaReader) AgendaSpan(ctx context.Context, a ledger.Account, asOf ledger.Date, run string) (ledger.AgendaSpan, error) {
	s := ledger.AgendaSpan{Until: run}
	mark := ""
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var by, tables string
		var on ledger.Date
		if err := rows.Scan(&by, &on, &tables); err != nil || s.After != "" && on != s.Since {
			return err
		}
		marks := map[string]string{}
		if err := json.Unmarshal([]byte(tables), &marks); err != nil {
			return err
		}
		switch now := marks["table:agenda-roll"]; {
		case now == "": // a revision of which the agenda was withheld, or not asked for
		case s.After == "":
			s.After, s.Since, mark = by, on, now
		case now == mark: // a later revision was about another table
			s.After = by
		}
		return nil
	}, `
		SELECT
			run,
			to_day,
			tables
		FROM report
		WHERE account = $1 AND basis = 'asof' AND filter = '' AND to_day < $2 AND run < $3
		ORDER BY to_day DESC, revision DESC`, a.String(), int64(asOf), run)
	if err == nil {
		err = l.sinceBreak(ctx, a, &s)
	}
	return s, l.db.WrapError("look for the agenda before "+asOf.String()+" of account "+a.String(), err)
}

// moves is the sum of the movements of a row of continuity.
var moves = strings.Join(results.MovementColumns[:], " + ")

// sinceBreak lets the span begin with the last reconcile in it, but the last of all, whose opening and movements did not
// come to its closing: what was shown before does not lead to what was counted then.
func (l *AgendaReader) sinceBreak(ctx context.Context, a ledger.Account, s *ledger.AgendaSpan) error {
	err := l.db.Read.QueryRowContext(ctx, `
		SELECT
			r.run,
			r.as_of
		FROM reconciled AS r
		WHERE r.account = $1 AND r.run > $2 AND r.run < (
				SELECT MAX(n.run)
				FROM reconciled AS n
				WHERE n.account = $1 AND n.run <= $3
			)
			AND EXISTS (
				SELECT 1
				FROM continuity AS c
				WHERE c.account = r.account AND c.run = r.run AND c.opening + `+moves+` <> c.closing
			)
		ORDER BY r.run DESC
		LIMIT 1`, int64(a), s.After, s.Until).Scan(&s.After, sqldb.IntoDate(&s.Since))
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	return err
}

// rollParts is a subquery of what the span opens with, what moved in it, and what it closes with; $1 is the account,
// $2 and $3 are its runs.
var rollParts = func() string {
	zero := strings.Repeat("0, ", len(results.MovementColumns))
	stood := func(run string) string {
		return "account = $1 AND run <= " + run + " AND (ended_run IS NULL OR ended_run > " + run + ")"
	}
	return `(
			SELECT brand, product, closing AS opening, ` + strings.Join(zeroColumns(), ", ") + `, 0 AS closing
			FROM continuity
			WHERE ` + stood("$2") + `
			UNION ALL
			SELECT brand, product, 0, ` + strings.Join(results.MovementColumns[:], ", ") + `, 0
			FROM continuity
			WHERE account = $1 AND run > $2 AND run <= $3
			UNION ALL
			SELECT brand, product, 0, ` + zero + `closing
			FROM continuity
			WHERE ` + stood("$3") + `) AS parts`
}()

// zeroColumns are the movements of a row that has none.
func zeroColumns() []string {
	out := make([]string, 0, len(results.MovementColumns))
	for _, c := range results.MovementColumns {
		out = append(out, "0 AS "+c)
	}
	return out
}

// AgendaRoll calls fn for what moved the gross of open installments over the span, a line for each of the brands (none: all)
// and products of which anything was open or moved: its Day is none. The movements are those that the reconciles kept,
// added up, and Closing is what the last of them counted.
func (l *AgendaReader) AgendaRoll(ctx context.Context, a ledger.Account, s ledger.AgendaSpan, brands []string,
	fn func(*ledger.Continuity) error,
) error {
	w := &sqldb.Conditions{Args: []any{int64(a), s.After, s.Until}}
	sqldb.AddIn(w, "brand", brands, func(b string) any { return b })
	sum := func(c string) string { return "CAST(SUM(" + c + ") AS BIGINT)" }
	var b strings.Builder
	b.WriteString(`
		SELECT
			brand,
			product,
			` + sum("opening"))
	for _, c := range results.MovementColumns {
		b.WriteString(`,
			` + sum(c))
	}
	b.WriteString(`,
			` + sum("closing") + `
		FROM ` + rollParts + w.Where() + `
		GROUP BY brand, product
		ORDER BY brand, product`)
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var c ledger.Continuity
		targets := []any{&c.Brand, &c.Product, &c.Opening}
		for i := range c.Changes {
			targets = append(targets, &c.Changes[i])
		}
		if err := rows.Scan(append(targets, &c.Closing)...); err != nil {
			return err
		}
		if c.Opening == 0 && c.Closing == 0 && c.Changes == [ledger.MovementCount]ledger.Amount{} {
			return nil
		}
		return fn(&c)
	}, b.String(), w.Args...)
	return l.db.WrapError("read the movement of the agenda of account "+a.String(), err)
}

// AgendaRollSums are the totals of the table agenda-roll by other ways than its rows: the movements in one sum, opening
// and closing counted over the installments and expectations that were current when the runs of the span had
// reconciled. residual is what these leave. Rows counts brands and products.
func (l *AgendaReader) AgendaRollSums(ctx context.Context, a ledger.Account, s ledger.AgendaSpan, brands []string) (Sums, error) {
	doing := "sum the movement of the agenda of account " + a.String()
	w := &sqldb.Conditions{Args: []any{int64(a), s.After, s.Until}}
	w.Add("account = $1 AND run > $2 AND run <= $3")
	sqldb.AddIn(w, "brand", brands, func(b string) any { return b })
	groups := &sqldb.Conditions{Args: []any{int64(a), s.After, s.Until}}
	sqldb.AddIn(groups, "brand", brands, func(b string) any { return b })
	nonZero := "SUM(opening) <> 0 OR SUM(closing) <> 0"
	var cells []SumColumn
	for _, c := range results.MovementColumns {
		cells = append(cells, SumColumn{movedAs(c), c})
		nonZero += " OR SUM(" + c + ") <> 0"
	}
	out, err := SumColumns(ctx, l.db, cells, "", `(
				SELECT COUNT(*)
				FROM (
					SELECT brand
					FROM `+rollParts+groups.Where()+`
					GROUP BY brand, product
					HAVING `+nonZero+`) AS lines)`, "continuity"+w.Where(), w.Args)
	if err != nil {
		return out, l.db.WrapError(doing, err)
	}
	for column, run := range map[string]string{"opening": s.After, "closing": s.Until} {
		open, err := l.openAsOf(ctx, a, run, brands)
		if err != nil {
			return out, l.db.WrapError(doing, err)
		}
		out.Columns[column] = open
	}
	rest := out.Columns["opening"] - out.Columns["closing"]
	for _, c := range results.MovementColumns {
		rest += out.Columns[movedAs(c)]
	}
	out.Columns["residual"] = rest
	return out, nil
}

// movedAs is the column of the report that shows a movement.
func movedAs(column string) string {
	switch column {
	case "started":
		return "start"
	case "added":
		return "new"
	}
	return column
}

// openAsOf is the gross of the open installments when the run had reconciled; no run: nothing.
func (l *AgendaReader) openAsOf(ctx context.Context, a ledger.Account, run string, brands []string) (open int64, err error) {
	if run == "" {
		return 0, nil
	}
	q := Query{Account: a, AsOfRun: run, Brands: brands, Classes: []ledger.Class{ledger.Open}}
	w := &sqldb.Conditions{}
	q.AddCurrent(w)
	q.AddFilters(w)
	join := q.ExpectationJoin(w)
	err = l.db.Read.QueryRowContext(ctx, `
		SELECT
			CAST(COALESCE(SUM(i.gross), 0) AS BIGINT)
		FROM installment AS i
		JOIN expectation AS e ON `+join+w.Where(), w.Args...).Scan(&open)
	return open, err
}
