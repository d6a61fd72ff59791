package reports

import (
	"context"
	"database/sql"
	"encoding/json"

	"concilia/store/ledger"
	"concilia/store/results"
	"concilia/store/sqldb"
)

// KeepRestated replaces what the run has kept of changes in a closed period, and records that the run looked for them.
// agenda is by what the contract net of the period moved in the run besides these changes.
func (l *Store) KeepRestated(
	ctx context.Context, c *ledger.PeriodClose, run *ledger.Run, rows []ledger.Restatement, agenda ledger.Amount,
) error {
	return l.db.TransactRepeatable(ctx, "restate "+c.Subject(), func(t *sqldb.Tx) error {
		of := []any{int64(c.Account), c.Basis, c.Act, run.ID}
		for _, query := range [...]string{
			"DELETE FROM restatement WHERE account = $1 AND basis = $2 AND act = $3 AND run = $4",
			"DELETE FROM restated WHERE account = $1 AND basis = $2 AND act = $3 AND run = $4",
		} {
			if _, err := t.ExecContext(ctx, query, of...); err != nil {
				return err
			}
		}
		if _, err := t.ExecContext(ctx, "INSERT INTO restated (account, basis, act, run, agenda) VALUES ($1, $2, $3, $4, $5)",
			append(of, int64(agenda))...); err != nil {
			return err
		}
		fields := make([]string, len(rows))
		for i := range rows {
			var err error
			if fields[i], err = sqldb.MarshalText(rows[i].Fields); err != nil {
				return err
			}
		}
		return t.ExecBatch(ctx, `
			INSERT INTO restatement (
				account,
				basis,
				act,
				subject,
				run,
				seen_on,
				cause,
				fields,
				gross,
				net,
				received,
				contract,
				came,
				not_due,
				overdue,
				blocked,
				short_by,
				over_by)
			VALUES (`+sqldb.ListPlaceholders(1, 18)+`)`, len(rows), func(i int) []any {
			r, m := &rows[i], &rows[i].Changes
			return []any{
				int64(c.Account), c.Basis, c.Act, r.Subject, run.ID, int64(run.AsOf), string(r.Cause), fields[i],
				int64(m.Gross), int64(m.Net), int64(m.Received), int64(m.Contract), int64(m.Came), int64(m.NotDue),
				int64(m.Overdue), int64(m.Blocked), int64(m.ShortBy), int64(m.OverBy),
			}
		})
	})
}

// closedRows is FROM and WHERE of the changes r of the closes c that stood, that the query's account and basis have, up to
// its run. A filter chooses none: what is adjusted has no brand and no class.
func (q *Query) closedRows() (*sqldb.Conditions, string) {
	w := &sqldb.Conditions{}
	w.Add("r.account = " + w.AddArg(int64(q.Account)))
	w.Add("r.basis = " + w.AddArg(q.Basis))
	if q.AsOfRun == "" {
		w.Add("c.reopened IS NULL")
	} else {
		run := w.AddArg(q.AsOfRun)
		w.Add(results.CloseInForceAsOf("c", run))
		w.Add("r.run <= " + run)
	}
	if len(q.Brands)+len(q.Classes) > 0 {
		w.Add("1 = 0")
	}
	return w, `restatement AS r
		JOIN period_close AS c ON c.account = r.account AND c.basis = r.basis AND c.act = r.act`
}

// addPeriod adds that the closed period lies in the query's.
func (q *Query) addPeriod(w *sqldb.Conditions) {
	w.Add("c.from_day >= " + w.AddArg(int64(q.Period.From)))
	w.Add("c.to_day <= " + w.AddArg(int64(q.Period.To)))
}

// Restatements calls fn for the changes of the periods that are closed on the query's basis and lie in its period, in
// order of period, subject and run.
func (l *Store) Restatements(ctx context.Context, q Query, fn func(*ledger.Restatement) error) error {
	w, from := q.closedRows()
	q.addPeriod(w)
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		r := ledger.Restatement{Close: ledger.PeriodClose{Account: q.Account, Basis: q.Basis}}
		c, m := &r.Close, &r.Changes
		var fields string
		err := rows.Scan(&c.Act, &c.Period.From, &c.Period.To, &c.Revision, &c.Run, sqldb.IntoDate(&c.AsOf), &r.Subject, &r.Run,
			sqldb.IntoDate(&r.SeenOn), &r.Cause, &fields, &m.Gross, &m.Net, &m.Received, &m.Contract, &m.Came, &m.NotDue, &m.Overdue,
			&m.Blocked, &m.ShortBy, &m.OverBy)
		if err == nil {
			err = json.Unmarshal([]byte(fields), &r.Fields)
		}
		if err != nil {
			return err
		}
		return fn(&r)
	}, `
		SELECT
			c.act,
			c.from_day,
			c.to_day,
			c.revision,
			c.run,
			c.as_of,
			r.subject,
			r.run,
			r.seen_on,
			r.cause,
			r.fields,
			r.gross,
			r.net,
			r.received,
			r.contract,
			r.came,
			r.not_due,
			r.overdue,
			r.blocked,
			r.short_by,
			r.over_by
		FROM `+from+w.Where()+`
		ORDER BY c.from_day, c.act, r.subject, r.run`, w.Args...)
	return l.db.WrapError("read what changed of closed periods of account "+q.Account.String(), err)
}

// addAdjustments adds that a change was seen in the query's period, is one of cards, and of a period that the query's has no
// day of: what it shows of its own days is as it stands.
func (q *Query) addAdjustments(w *sqldb.Conditions) {
	from, to := w.AddArg(int64(q.Period.From)), w.AddArg(int64(q.Period.To))
	w.Add("r.seen_on BETWEEN " + from + " AND " + to)
	w.Add("r.subject LIKE 'card:%'")
	w.Add("(c.to_day < " + from + " OR c.from_day > " + to + ")")
}

// Adjustments calls fn for each day with the sums of those changes in cards of closed periods that were seen in the
// query's period: as printed, with each change rounded to cents, and exact.
func (l *Store) Adjustments(ctx context.Context, q Query, fn func(day ledger.Date, printed, exact ledger.RestatedSums) error) error {
	w, from := q.closedRows()
	q.addAdjustments(w)
	columns := ""
	for _, c := range restatedColumns {
		columns += `,
			CAST(SUM(` + roundToCents("r."+c) + `) AS BIGINT),
			CAST(SUM(r.` + c + `) AS BIGINT)`
	}
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var day ledger.Date
		var p, x ledger.RestatedSums
		if err := rows.Scan(&day, &p.Net, &x.Net, &p.Contract, &x.Contract, &p.Came, &x.Came, &p.NotDue, &x.NotDue,
			&p.Overdue, &x.Overdue, &p.Blocked, &x.Blocked, &p.ShortBy, &x.ShortBy, &p.OverBy, &x.OverBy); err != nil {
			return err
		}
		return fn(day, p, x)
	}, `
		SELECT
			r.seen_on`+columns+`
		FROM `+from+w.Where()+`
		GROUP BY r.seen_on
		ORDER BY r.seen_on`, w.Args...)
	return l.db.WrapError("read the adjustments of account "+q.Account.String(), err)
}
