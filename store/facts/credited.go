package facts

import (
	"context"
	"database/sql"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// CreditedInstallments calls fn for each installment of an account that the service credited within a period, as it says
// now: in order of the day and of their keys.
func (l *Store) CreditedInstallments(ctx context.Context, a ledger.Account, p ledger.Period, fn func(*ledger.CreditedInstallment) error) error {
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		c := ledger.CreditedInstallment{Account: a}
		key := ledger.InstallmentKey{SaleKey: ledger.SaleKey{Account: a}}
		err := rows.Scan(sqldb.IntoDate(&c.Day), &c.Amount, &c.Brand, &c.Product, &c.Status, &c.ReceivedStatus, sqldb.IntoDate(&c.Seen),
			sqldb.IntoDate(&key.Day), &key.NSU, &key.Auth, &key.Number, &key.Occurrence)
		if err != nil {
			return err
		}
		c.Key = key.Subject()
		return fn(&c)
	}, `
		SELECT
			effective,
			received,
			card_name,
			card_type,
			status,
			received_status,
			COALESCE(pulled_on, 0),
			sale_day,
			nsu,
			auth,
			number,
			occurrence
		FROM installment
		WHERE account = $1 AND ended_pull IS NULL AND effective IS NOT NULL AND effective >= $2 AND effective <= $3
			AND received IS NOT NULL AND received <> 0
		ORDER BY effective, sale_day, nsu, auth, number, occurrence`, int64(a), int64(p.From), int64(p.To))
	return l.db.WrapError("read the credited installments", err)
}

// CreditedSlips calls fn for each slip of an account that the service credited within a period, as it says now: in order of
// the day and of their ids.
func (l *Store) CreditedSlips(ctx context.Context, a ledger.Account, p ledger.Period, fn func(*ledger.CreditedSlip) error) error {
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		c := ledger.CreditedSlip{Account: a}
		if err := rows.Scan(&c.ID, sqldb.IntoDate(&c.Day), sqldb.IntoDate(&c.Due), &c.Paid); err != nil {
			return err
		}
		return fn(&c)
	}, MergedSlipsSQL(CurrentSlips())+`
		SELECT
			id,
			credited_on,
			due,
			paid_value
		FROM merged
		WHERE credited_on IS NOT NULL AND paid_value IS NOT NULL AND credited_on >= $2 AND credited_on <= $3
		ORDER BY credited_on, id`, int64(a), int64(p.From), int64(p.To))
	return l.db.WrapError("read the credited slips", err)
}
