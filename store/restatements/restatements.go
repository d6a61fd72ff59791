// Package restatements keeps what changed in closed periods: for each run that looked for changes, the restatement of each item, and
// where the run ended (table restated). It finds the installments and slips that may have changed; what changed of them is decided by
// the caller. Reports read the restatements in package reports.
package restatements

import (
	"context"
	"database/sql"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/results"
	"concilia/store/sqldb"
)

// Store keeps restatements in a ledger's database. It is safe for use by many goroutines.
type Store struct{ db *sqldb.DB }

// New is the store of restatements in db.
func New(db *sqldb.DB) *Store { return &Store{db} }

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
// includes those whose expectation changed.
func (l *Store) MovedCards(ctx context.Context, c *ledger.PeriodClose, since, run, asOf string, fn func(*ledger.ReportedCard) error) error {
	date, changedExpectations := "i.effective", ""
	if c.Basis == "operation" {
		date, changedExpectations = "i.sale_day", `
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
			sqldb.IntoDate(&k.Forecast), sqldb.IntoDate(&k.Effective), &k.Gross, sqldb.IntoOpt(&k.MDR), sqldb.IntoOpt(&k.Fee), sqldb.IntoOpt(&k.Antifraud), sqldb.IntoOpt(&k.Received),
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
				AND (i.first_pull IN (SELECT id FROM later) OR i.ended_pull IN (SELECT id FROM later))`+changedExpectations+`)
		SELECT
			i.sale_day,
			i.nsu,
			i.auth,
			i.number,
			i.occurrence,
			i.version,
			`+facts.CountSQL+`,
			i.forecast,
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

// MovedSlips is MovedCards for slips and returns their ids in order. It includes those whose expectation changed only if
// expectations says so: they follow from the payment of every slip, and restate nothing by themselves.
func (l *Store) MovedSlips(ctx context.Context, c *ledger.PeriodClose, since, run string, expectations bool) ([]string, error) {
	date, changedExpectations := "v.credited_on", ""
	if c.Basis == "operation" {
		date = "v.issued"
	}
	if expectations {
		changedExpectations = `
			OR EXISTS (
				SELECT
					1
				FROM slip_expectation AS e
				WHERE e.account = $1 AND e.id = v.id AND e.run > $2 AND e.run <= $3)`
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
			AND (v.first_pull IN (SELECT id FROM later) OR v.ended_pull IN (SELECT id FROM later)`+changedExpectations+`)
		ORDER BY v.id`, int64(c.Account), since, run, int64(c.Period.From), int64(c.Period.To))
	return ids, l.db.WrapError("read what moved of "+c.Subject(), err)
}
