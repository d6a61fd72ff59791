package reports

import (
	"context"
	"database/sql"
	"encoding/json"
	"strings"

	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// ClosedRows is FROM and WHERE of the changes r of the closes c in force, that the query's account and basis have, up to
// its run. A filter chooses none: what is adjusted has no brand and no class.
func (q *Query) ClosedRows() (*sqldb.Conditions, string) {
	w := &sqldb.Conditions{}
	w.Add("r.account = " + w.AddArg(int64(q.Account)))
	w.Add("r.basis = " + w.AddArg(q.Basis))
	if q.AsOfRun == "" {
		w.Add("c.reopened IS NULL")
	} else {
		run := w.AddArg(q.AsOfRun)
		w.Add(caselog.CloseInForceAsOf("c", run))
		w.Add("r.run <= " + run)
	}
	if len(q.Brands)+len(q.Classes) > 0 {
		w.Add("1 = 0")
	}
	return w, `restatement AS r
		JOIN period_close AS c ON c.account = r.account AND c.basis = r.basis AND c.act = r.act`
}

// AddPeriod adds that the closed period lies in the query's.
func (q *Query) AddPeriod(w *sqldb.Conditions) {
	w.Add("c.from_day >= " + w.AddArg(int64(q.Period.From)))
	w.Add("c.to_day <= " + w.AddArg(int64(q.Period.To)))
}

// Restatements calls fn for the changes of the periods that are closed on the query's basis and lie in its period, in
// order of period, subject and run.
func (l *RestatementReader) Restatements(ctx context.Context, q Query, fn func(*ledger.Restatement) error) error {
	w, from := q.ClosedRows()
	q.AddPeriod(w)
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

// AddAdjustments adds that a change was seen in the query's period, is one of cards, and of a period that the query's has no
// day of: its own days are shown as they are now. A change of dates alone moves no amount and adjusts nothing.
func (q *Query) AddAdjustments(w *sqldb.Conditions) {
	from, to := w.AddArg(int64(q.Period.From)), w.AddArg(int64(q.Period.To))
	w.Add("r.seen_on BETWEEN " + from + " AND " + to)
	w.Add("r.subject LIKE 'card:%'")
	w.Add("(c.to_day < " + from + " OR c.from_day > " + to + ")")
	columns := RestatedColumns()
	moved := make([]string, len(columns))
	for i, c := range columns {
		moved[i] = "r." + c + " <> 0"
	}
	w.Add("(" + strings.Join(moved, " OR ") + ")")
}

// Adjustments calls fn for each day with the sums of those changes in cards of closed periods that were seen in the
// query's period: as printed, with each change rounded to cents, and exact.
func (l *RestatementReader) Adjustments(ctx context.Context, q Query, fn func(day ledger.Date, printed, exact ledger.RestatedSums) error) error {
	w, from := q.ClosedRows()
	q.AddAdjustments(w)
	columns := ""
	for _, c := range RestatedColumns() {
		columns += `,
			CAST(SUM(` + sqldb.RoundToCents("r."+c) + `) AS BIGINT),
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

// SlipsAsOf returns the slips of these ids that were current as of a run, with their expectations, by id. A slip that no
// list showed then is not among them.
func (l *RowReader) SlipsAsOf(ctx context.Context, a ledger.Account, run string, ids []string) (map[string]ReportedSlip, error) {
	out := make(map[string]ReportedSlip, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	const doing = "read slips as of a run"
	past, err := l.slipsAsOf(ctx, a, run)
	if err != nil {
		return nil, l.db.WrapError(doing, err)
	}
	err = past.readSlips(ctx, ids, func(s ReportedSlip) error {
		out[s.ID] = s
		return nil
	})
	return out, l.db.WrapError(doing, err)
}

// ReportedSlip is a slip with what is expected of it; Expectation is nil if no run has reconciled it.
type ReportedSlip struct {
	*ledger.Slip
	Expectation *ledger.SlipExpectation
}

// RestatedColumns are those that a summary adjusts by.
func RestatedColumns() []string {
	return []string{"net", "contract", "came", "not_due", "overdue", "blocked", "short_by", "over_by"}
}
