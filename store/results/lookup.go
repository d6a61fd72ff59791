package results

import (
	"context"
	"database/sql"
	"errors"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// SaleRows calls fn for the last version of every installment that shares the day, NSU and authorization of the key, whatever
// its occurrence, with its current expectation, or nil if no run has evaluated it, in order of the key. One that vanished is among
// them. The versions lack LastPull.
func (l *RowReader) SaleRows(ctx context.Context, key ledger.SaleKey, fn func(*ledger.InstallmentVersion, *ledger.Expectation) error) error {
	err := sqldb.ReadRows(ctx, l.db.Read, func(f *sqldb.RowReader) error {
		v, b := &facts.InstallmentRow{}, &ExpectationRow{}
		v.ReadColumns(f)
		b.ReadColumns(f)
		if err := errors.Join(f.Err(), v.Complete(key.Account, nil)); err != nil {
			return err
		}
		e, err := b.Complete(v.Key())
		if err != nil {
			return err
		}
		return fn(&v.InstallmentVersion, e)
	}, `
		SELECT `+facts.InstallmentColumns+`,`+ExpectationColumns+`
		FROM installment AS i
		LEFT JOIN expectation AS e ON e.account = i.account AND e.sale_day = i.sale_day AND e.nsu = i.nsu
			AND e.auth = i.auth AND e.number = i.number AND e.occurrence = i.occurrence AND e.ended_run IS NULL
		WHERE i.account = $1 AND i.sale_day = $2 AND i.nsu = $3 AND i.auth = $4
			AND (i.ended_pull IS NULL OR i.vanished = 1)
		ORDER BY i.sale_day, i.nsu, i.auth, i.number, i.occurrence`, int64(key.Account), int64(key.Day), key.NSU, key.Auth)
	return l.db.WrapError("read "+key.Subject(), err)
}

// SlipExpectation is the current expectation of a slip, or nil if no run has evaluated it.
func (l *RowReader) SlipExpectation(ctx context.Context, a ledger.Account, id string) (*ledger.SlipExpectation, error) {
	var out *ledger.SlipExpectation
	err := sqldb.ReadRows(ctx, l.db.Read, func(f *sqldb.RowReader) error {
		row := &SlipExpectationRow{}
		row.ReadColumns(f)
		if err := f.Err(); err != nil {
			return err
		}
		var err error
		out, err = row.Complete(a, id)
		return err
	}, `
		SELECT `+SlipExpectationColumns+`
		FROM slip_expectation AS e
		WHERE e.account = $1 AND e.id = $2 AND e.ended_run IS NULL`, int64(a), id)
	return out, l.db.WrapError("read what is expected of "+ledger.SlipSubject(a, id), err)
}

// PullsAfterRun returns the ids of the account's pulls that no reconcile up to a run includes.
func (l *RowReader) PullsAfterRun(ctx context.Context, a ledger.Account, run string) (map[string]bool, error) {
	ids := make(map[string]bool)
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		ids[id] = true
		return err
	}, `
		SELECT id
		FROM pull
		WHERE account = $1 AND (judged IS NULL OR judged > $2)`, int64(a), run)
	return ids, l.db.WrapError("read the pulls of account "+a.String()+" after run "+run, err)
}
