package reports

import (
	"context"
	"database/sql"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/results"
	"concilia/store/sqldb"
)

// RestatedTo returns the last run whose changes of a closed period are kept, or the run that was closed.
func (l *Store) RestatedTo(ctx context.Context, c *ledger.PeriodClose) (string, error) {
	var run sql.NullString
	err := l.db.Read.QueryRowContext(ctx, `
		SELECT MAX(run)
		FROM restated
		WHERE account = $1 AND basis = $2 AND act = $3`, int64(c.Account), c.Basis, c.Act).Scan(&run)
	if !run.Valid {
		run.String = c.Run
	}
	return run.String, l.db.WrapError("read how far "+c.Subject()+" is restated", err)
}

// RestatedAgenda returns by what the contract net of a closed period moved that is no restatement, in the reconciles after
// the close up to run.
func (l *Store) RestatedAgenda(ctx context.Context, c *ledger.PeriodClose, run string) (ledger.Amount, error) {
	var sum ledger.Amount
	err := l.db.Read.QueryRowContext(ctx, `
		SELECT CAST(COALESCE(SUM(agenda), 0) AS BIGINT)
		FROM restated
		WHERE account = $1 AND basis = $2 AND act = $3 AND run <= $4`, int64(c.Account), c.Basis, c.Act, run).Scan(&sum)
	return sum, l.db.WrapError("read what moved of "+c.Subject()+" besides", err)
}

// laterPulls is a WITH of the pulls that reconciles past run $2, up to run $3, were the first to know; $1 is the account.
const laterPulls = `
		WITH later AS (
			SELECT id
			FROM pull
			WHERE account = $1 AND judged > $2 AND judged <= $3)`

// MovedCards calls fn for the installments with a version in the closed period that began or ended in the reconciles
// after since, up to run; each as it was as of a third run, in whatever period, in order of key. By operation it
// includes those whose belief changed.
func (l *Store) MovedCards(ctx context.Context, c *ledger.PeriodClose, since, run, asOf string, fn func(*ledger.ReportedCard) error) error {
	date, believed := "i.effective", ""
	if c.Basis == "operation" {
		date, believed = "i.sale_day", `
			UNION
			SELECT
				e.sale_day,
				e.nsu,
				e.auth,
				e.number,
				e.occurrence
			FROM expectation AS e
			WHERE e.account = $1 AND e.sale_day BETWEEN $4 AND $5 AND e.run > $2 AND e.run <= $3`
	}
	k := ledger.ReportedCard{Key: ledger.InstallmentKey{SaleKey: ledger.SaleKey{Account: c.Account}}}
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		err := rows.Scan(&k.Key.Day, &k.Key.NSU, &k.Key.Auth, &k.Key.Number, &k.Key.Occurrence, &k.Version, &k.Count,
			sqldb.IntoDate(&k.Effective), &k.Gross, sqldb.IntoOpt(&k.MDR), sqldb.IntoOpt(&k.Fee), sqldb.IntoOpt(&k.Antifraud), sqldb.IntoOpt(&k.Received),
			sqldb.IntoText((*string)(&k.Class)), sqldb.IntoText((*string)(&k.Rest)), sqldb.IntoNumber(&k.Net), sqldb.IntoNumber(&k.Contract))
		if err != nil {
			return err
		}
		return fn(&k)
	}, laterPulls+`,
		moved AS (
			SELECT DISTINCT
				i.sale_day,
				i.nsu,
				i.auth,
				i.number,
				i.occurrence
			FROM installment AS i
			WHERE i.account = $1 AND `+date+` BETWEEN $4 AND $5
				AND (i.first_pull IN (SELECT id FROM later) OR i.ended_pull IN (SELECT id FROM later))`+believed+`)
		SELECT
			i.sale_day,
			i.nsu,
			i.auth,
			i.number,
			i.occurrence,
			i.version,
			`+keyCount+`,
			i.effective,
			i.gross,
			i.mdr,
			i.fee,
			i.antifraud,
			i.received,
			e.class,
			e.rest,
			e.net,
			e.net_contract
		FROM moved AS m
		JOIN installment AS i ON i.account = $1 AND i.sale_day = m.sale_day AND i.nsu = m.nsu AND i.auth = m.auth
			AND i.number = m.number AND i.occurrence = m.occurrence
		LEFT JOIN expectation AS e ON `+facts.ExpectationJoin+` AND `+results.ExpectationCurrentAsOf("$6")+`
		WHERE `+facts.VersionCurrentAsOf("i", "$1", "$6")+`
		ORDER BY i.sale_day, i.nsu, i.auth, i.number, i.occurrence`,
		int64(c.Account), since, run, int64(c.Period.From), int64(c.Period.To), asOf)
	return l.db.WrapError("read what moved of "+c.Subject(), err)
}

// MovedSlips is MovedCards for slips and returns their ids in order.
func (l *Store) MovedSlips(ctx context.Context, c *ledger.PeriodClose, since, run string) ([]string, error) {
	date := "v.credited_on"
	if c.Basis == "operation" {
		date = "v.issued"
	}
	var ids []string
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	}, laterPulls+`
		SELECT DISTINCT
			v.id
		FROM slip AS v
		WHERE v.account = $1 AND `+date+` BETWEEN $4 AND $5
			AND (v.first_pull IN (SELECT id FROM later) OR v.ended_pull IN (SELECT id FROM later))
		ORDER BY v.id`, int64(c.Account), since, run, int64(c.Period.From), int64(c.Period.To))
	return ids, l.db.WrapError("read what moved of "+c.Subject(), err)
}

// SlipsAsOf gives the slips of these ids that stood as of a run, with what was believed of them, by id. A slip that no
// list showed then is not among them.
func (l *Store) SlipsAsOf(ctx context.Context, a ledger.Account, run string, ids []string) (map[string]ReportedSlip, error) {
	out := make(map[string]ReportedSlip, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	const doing = "read slips as of a run"
	past, err := l.slipsAsOf(ctx, a, run)
	if err != nil {
		return nil, l.db.WrapError(doing, err)
	}
	for _, id := range ids {
		s, e, err := past.readSlip(ctx, id)
		if err != nil {
			return nil, l.db.WrapError(doing, err)
		}
		if s != nil {
			out[id] = ReportedSlip{s, e}
		}
	}
	return out, nil
}

// ReportedSlip is a slip with what is believed of it, nil when no run judged it.
type ReportedSlip struct {
	*ledger.Slip
	Believed *ledger.SlipExpectation
}
