package reports

import (
	"context"
	"database/sql"
	"encoding/json"
	"strings"

	"concilia/store/caselog"
	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// closedRows is FROM and WHERE of the changes r of the closes c in force, that the query's account and basis have, up to
// its run. A filter chooses none: what is adjusted has no brand and no class.
func (q *Query) closedRows() (*sqldb.Conditions, string) {
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

// addPeriod adds that the closed period lies in the query's.
func (q *Query) addPeriod(w *sqldb.Conditions) {
	w.Add("c.from_day >= " + w.AddArg(int64(q.Period.From)))
	w.Add("c.to_day <= " + w.AddArg(int64(q.Period.To)))
}

// Restatements calls fn for the changes of the periods that are closed on the query's basis and lie in its period, in
// order of period, subject and run.
func (l *RestatementReader) Restatements(ctx context.Context, q Query, fn func(*ledger.Restatement) error) error {
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
// day of: its own days are shown as they are now. A change of dates alone moves no amount and adjusts nothing.
func (q *Query) addAdjustments(w *sqldb.Conditions) {
	from, to := w.AddArg(int64(q.Period.From)), w.AddArg(int64(q.Period.To))
	w.Add("r.seen_on BETWEEN " + from + " AND " + to)
	w.Add("r.subject LIKE 'card:%'")
	w.Add("(c.to_day < " + from + " OR c.from_day > " + to + ")")
	moved := make([]string, len(restatedColumns))
	for i, c := range restatedColumns {
		moved[i] = "r." + c + " <> 0"
	}
	w.Add("(" + strings.Join(moved, " OR ") + ")")
}

// Adjustments calls fn for each day with the sums of those changes in cards of closed periods that were seen in the
// query's period: as printed, with each change rounded to cents, and exact.
func (l *RestatementReader) Adjustments(ctx context.Context, q Query, fn func(day ledger.Date, printed, exact ledger.RestatedSums) error) error {
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

// restatedColumns are those that a summary adjusts by.
var restatedColumns = [...]string{"net", "contract", "came", "not_due", "overdue", "blocked", "short_by", "over_by"}

// ClosedFigures are the figures that restatements must add up to, computed from the rows: for the cards of the query's
// period those of the summary with these names and the amount received, at four decimals; for slips their value and the
// amount paid.
type ClosedFigures struct {
	Gross, NetExpected, NetContract, Anticipation ledger.Amount // of live rows alone
	Splits                                        ledger.Amount // of live rows that expect less by them
	Received                                      ledger.Amount // of reversed rows too
	SlipGross, SlipReceived                       ledger.Amount // the first without cancelled slips
}

// ClosedFigures returns the figures for the query's basis and period, as of its run.
func (l *RestatementReader) ClosedFigures(ctx context.Context, q Query) (ClosedFigures, error) {
	s := sumQuery{db: l.db, q: &q}
	from, args, err := s.cardRows("")
	if err != nil {
		return ClosedFigures{}, err
	}
	d := l.db.Dialect
	live := func(x string) string {
		return "CASE WHEN e.class NOT IN ('cancelled', 'chargeback') THEN " + x + " END"
	}
	const unsplit = "i.gross - COALESCE(i.mdr, 0) - COALESCE(i.fee, 0) - COALESCE(i.antifraud, 0) - COALESCE(i.anticipation, 0)"
	cards, err := s.sumColumns(ctx, []sumColumn{
		{"gross", live("i.gross")},
		{"net_expected", live("e.net")},
		{"net_contract", live("e.net_contract")},
		{"anticipation_cost", live("i.anticipation")},
		{"splits", "CASE WHEN e.class NOT IN ('cancelled', 'chargeback') AND e.net <> " + unsplit +
			" THEN (SELECT SUM(" + d.IntMember("x", "value") + ") FROM " + d.UnnestJSON("i.splits", "x") + ") END"},
		{"received", "i.received"},
	}, "", "COUNT(*)", from, args)
	if err != nil {
		return ClosedFigures{}, l.db.WrapError("sum a closed period", err)
	}
	conditions, from, args, err := s.slipRows("")
	if err != nil {
		return ClosedFigures{}, err
	}
	slips, err := s.sumColumns(ctx, []sumColumn{
		{"gross", "CASE WHEN e.class <> 'cancelled' THEN m.value END"},
		{"received", "m.paid_value"},
	}, facts.MergedSlipsSQL(conditions), "COUNT(*)", from, args)
	amount := func(s Sums, column string) ledger.Amount { return ledger.Amount(s.Columns[column]) }
	return ClosedFigures{
		Gross: amount(cards, "gross"), NetExpected: amount(cards, "net_expected"), NetContract: amount(cards, "net_contract"),
		Anticipation: amount(cards, "anticipation_cost"),
		Splits:       amount(cards, "splits"), Received: amount(cards, "received"),
		SlipGross: amount(slips, "gross"), SlipReceived: amount(slips, "received"),
	}, l.db.WrapError("sum a closed period", err)
}

// sumRestatement sums the table of that name: a row for every field of a change, the amounts once a change. It counts the causes,
// too.
func (s *sumQuery) sumRestatement(ctx context.Context) (Sums, error) {
	w, from := s.q.closedRows()
	s.q.addPeriod(w)
	rows := "(SELECT COUNT(*) FROM " + s.db.Dialect.UnnestJSON("r.fields", "x") + ")"
	out, err := s.sumColumns(ctx, []sumColumn{
		{"revision", "c.revision * " + rows},
		{"delta_gross", roundToCents("r.gross")},
		{"delta_net", roundToCents("r.net")},
		{"delta_received", roundToCents("r.received")},
		{"delta_contract", roundToCents("r.contract")},
	}, "", "CAST(COALESCE(SUM("+rows+"), 0) AS BIGINT)", from+w.Where(), w.Args)
	if err != nil {
		return out, err
	}
	causes, err := s.sumColumns(ctx, nil, "", "COUNT(DISTINCT r.cause)", from+w.Where(), w.Args)
	out.Columns[CausesOfTheSet] = causes.Rows
	return out, err
}

// CausesOfTheSet is the column of a restatement's sums that says how many causes its changes have.
const CausesOfTheSet = "causes of the set"

// sumAdjusted adds to the sums of a summary the lines of what is adjusted.
func (s *sumQuery) sumAdjusted(ctx context.Context, out *Sums) error {
	w, from := s.q.closedRows()
	s.q.addAdjustments(w)
	cells := make([]sumColumn, 0, len(restatedColumns))
	for _, c := range restatedColumns {
		cells = append(cells, sumColumn{c, roundToCents("r." + c)})
	}
	a, err := s.sumColumns(ctx, cells, "", "COUNT(DISTINCT r.seen_on)", from+w.Where(), w.Args)
	if err != nil {
		return err
	}
	net, contract, came := a.Columns["net"], a.Columns["contract"], a.Columns["came"]
	gap := a.Columns["short_by"] - a.Columns["over_by"]
	out.Rows += a.Rows
	for column, v := range map[string]int64{
		"other_adjustments": -net, "net_expected": net, "net_contract": contract, "received": came, "net_kept": came,
		"not_due": a.Columns["not_due"], "overdue": a.Columns["overdue"], "blocked": a.Columns["blocked"],
		"short": a.Columns["short_by"], "over": a.Columns["over_by"], "overcharge": contract - net,
		"difference": contract - net + gap,
	} {
		out.Columns[column] += v
	}
	return nil
}
