package facts

import (
	"context"
	"database/sql"
	"slices"

	"concilia/store/ledger"
	"concilia/store/ledger/banking"
	"concilia/store/sqldb"
)

// Credited asks for what the service credited with an account on some days.
type Credited struct {
	Account ledger.Account
	Periods []ledger.Period // in order and apart
	// Splits are read where they leave before the credit: it takes time.
	Splits bool
	// Page is how many installments are read at a time, for who stops before the end: what was expected is looked up for those alone, not
	// for all of a day. 0: all at once.
	Page int
}

// CreditedInstallments calls fn for each installment that the service credited on the days asked for: in order of the day and of their
// keys, but those whose current version says less than was once credited come last. They are shown as of the version that says most.
func (l *CreditReader) CreditedInstallments(ctx context.Context, q Credited, fn func(*banking.CreditedInstallment) error) error {
	fallen := map[string]bool{} // in whatever period: none of them is shown twice
	var found []banking.CreditedInstallment
	err := l.eachCredited(ctx, &q, q.fallenCredits(), nil, func(c *banking.CreditedInstallment, _ ledger.InstallmentKey) error {
		fallen[c.Key], c.Fallen = true, true
		if slices.ContainsFunc(q.Periods, func(p ledger.Period) bool { return p.Contains(c.Day) }) {
			found = append(found, *c)
		}
		return nil
	})
	for i := 0; err == nil && i < len(q.Periods); i++ {
		err = l.eachCurrent(ctx, &q, q.Periods[i], func(c *banking.CreditedInstallment) error {
			if fallen[c.Key] {
				return nil
			}
			return fn(c)
		})
	}
	for i := 0; err == nil && i < len(found); i++ {
		err = fn(&found[i])
	}
	return l.db.WrapError("read the credited installments", err)
}

// eachCurrent reads the installments of a period that are credited in their current version, page by page where that is asked for.
func (l *CreditReader) eachCurrent(ctx context.Context, q *Credited, p ledger.Period, fn func(*banking.CreditedInstallment) error) error {
	if q.Page == 0 {
		return l.eachCredited(ctx, q, q.currentCredits(), []any{int64(p.From), int64(p.To)}, func(c *banking.CreditedInstallment, _ ledger.InstallmentKey) error { return fn(c) })
	}
	day, after := p.From, ledger.InstallmentKey{} // before every key of that day
	for read := q.Page; read == q.Page; {
		read = 0
		args := []any{int64(day), int64(p.To), int64(after.Day), after.NSU, after.Auth, after.Number, after.Occurrence, q.Page}
		err := l.eachCredited(ctx, q, q.currentPage(), args, func(c *banking.CreditedInstallment, key ledger.InstallmentKey) error {
			read++
			day, after = c.Day, key
			return fn(c)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// eachCredited reads credited installments of a query that takes the account first. What is handed over is valid until the next one.
func (l *CreditReader) eachCredited(ctx context.Context, q *Credited, query string, args []any, fn func(*banking.CreditedInstallment, ledger.InstallmentKey) error) error {
	return sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		c := banking.CreditedInstallment{Account: q.Account}
		key := ledger.InstallmentKey{SaleKey: ledger.SaleKey{Account: q.Account}}
		var text string
		err := rows.Scan(sqldb.IntoDate(&c.Day), &c.Amount, &c.Brand, &c.Product, &c.Status, &c.ReceivedStatus, sqldb.IntoDate(&c.Seen),
			sqldb.IntoDate(&c.NowDay), &c.Now, sqldb.IntoDate(&key.Day), &key.NSU, &key.Auth, &key.Number, &key.Occurrence, &text,
			&c.Judged.Class, &c.Judged.Brand, &c.Judged.Product, &c.Judged.Band)
		if err != nil {
			return err
		}
		c.Key = key.Subject()
		all, err := UnmarshalSplits(text)
		for i := range all {
			c.Splits += all[i].Value.V.Rounded(ledger.HalfAwayFromZero)
		}
		if err != nil {
			return err
		}
		return fn(&c, key)
	}, query, append([]any{int64(q.Account)}, args...)...)
}

// selectCredited selects what eachCredited reads: of the version i that was paid, which from names, of the current one and of the one in
// which that was first seen.
func (q *Credited) selectCredited(from, now, seen string) string {
	splits := "''"
	if q.Splits {
		splits = "COALESCE(i.splits, '')"
	}
	return `
		SELECT
			i.effective,
			i.received,
			i.card_name,
			i.card_type,
			` + now + `.status,
			` + now + `.received_status,
			COALESCE(` + seen + `.pulled_on, 0),
			` + now + `.effective,
			COALESCE(` + now + `.received, 0),
			i.sale_day,
			i.nsu,
			i.auth,
			i.number,
			i.occurrence,
			` + splits + `,
			COALESCE(e.class, ''),
			COALESCE(e.brand, ''),
			COALESCE(e.product, ''),
			COALESCE(e.band, '')
		FROM ` + from + ` AS i
		LEFT JOIN expectation AS e
			ON e.account = i.account AND e.sale_day = i.sale_day AND e.nsu = i.nsu AND e.auth = i.auth AND e.number = i.number
				AND e.occurrence = i.occurrence AND e.ended_run IS NULL`
}

// currentCredits are the installments that are credited in their current version.
func (q *Credited) currentCredits() string {
	return q.selectCredited("installment", "i", "i") + `
		WHERE i.account = $1 AND i.ended_pull IS NULL AND i.effective IS NOT NULL AND i.effective >= $2 AND i.effective <= $3
			AND i.received IS NOT NULL AND i.received <> 0
		ORDER BY i.effective, i.sale_day, i.nsu, i.auth, i.number, i.occurrence`
}

// currentPage is the page of currentCredits behind the day $2 and the key $4 to $8, of $9 rows at most.
func (q *Credited) currentPage() string {
	return q.selectCredited(`(
			SELECT *
			FROM installment
			WHERE account = $1 AND ended_pull IS NULL AND effective IS NOT NULL AND effective >= $2 AND effective <= $3
				AND received IS NOT NULL AND received <> 0
				AND (effective > $2 OR (sale_day, nsu, auth, number, occurrence) > ($4, $5, $6, $7, $8))
			ORDER BY effective, sale_day, nsu, auth, number, occurrence
			LIMIT $9
		)`, "i", "i") + `
		ORDER BY i.effective, i.sale_day, i.nsu, i.auth, i.number, i.occurrence`
}

// fallenCredits are those of which an earlier version said more than the current one, in the last of the versions that said most.
func (q *Credited) fallenCredits() string {
	same := func(of string) string {
		return of + ".account = i.account AND " + of + ".sale_day = i.sale_day AND " + of + ".nsu = i.nsu AND " + of + ".auth = i.auth AND " +
			of + ".number = i.number AND " + of + ".occurrence = i.occurrence"
	}
	return q.selectCredited("installment", "n", "s") + `
		JOIN installment AS n
			ON ` + same("n") + ` AND n.ended_pull IS NULL
		JOIN installment AS s
			ON ` + same("s") + ` AND s.version = i.version + 1
		WHERE i.account = $1 AND i.ended_pull IS NOT NULL AND i.effective IS NOT NULL AND i.received > 0
			AND (n.effective IS NULL OR COALESCE(n.received, 0) < i.received)
			AND NOT EXISTS (
				SELECT 1
				FROM installment AS m
				WHERE ` + same("m") + ` AND m.ended_pull IS NOT NULL AND m.effective IS NOT NULL
					AND (m.received > i.received OR m.received = i.received AND m.version > i.version))
		ORDER BY i.effective, i.sale_day, i.nsu, i.auth, i.number, i.occurrence`
}

// CreditedSlips calls fn for each slip of an account that the service credited within a period, as it says now: in order of
// the day and of their ids.
func (l *CreditReader) CreditedSlips(ctx context.Context, a ledger.Account, p ledger.Period, fn func(*banking.CreditedSlip) error) error {
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		c := banking.CreditedSlip{Account: a}
		if err := rows.Scan(&c.ID, sqldb.IntoDate(&c.Day), sqldb.IntoDate(&c.Due), &c.Paid, &c.Class); err != nil {
			return err
		}
		return fn(&c)
	}, l.CreditedSlipsSQL(p), int64(a), int64(p.From), int64(p.To))
	return l.db.WrapError("read the credited slips", err)
}

// AreFewDays reports whether a period is short enough for its slips to be looked up one by one.
func AreFewDays(p ledger.Period) bool { return p.To-p.From < 40 }

// CreditedSlipsSQL is the statement of CreditedSlips: $1 is the account, $2 and $3 the period. Of a few days only those slips are merged
// of which a list says that they were credited then.
func (l *CreditReader) CreditedSlipsSQL(p ledger.Period) string {
	conditions := CurrentSlips()
	conditions.Dialect = l.db.Dialect
	if AreFewDays(p) {
		conditions.Among = `
				SELECT DISTINCT x.id
				FROM slip AS x
				WHERE x.account = $1 AND x.ended_pull IS NULL AND x.credited_on IS NOT NULL AND x.credited_on >= $2 AND x.credited_on <= $3`
	}
	return MergedSlipsSQL(conditions) + `
		SELECT
			m.id,
			m.credited_on,
			m.due,
			m.paid_value,
			COALESCE(e.class, '')
		FROM merged AS m
		LEFT JOIN slip_expectation AS e
			ON e.account = $1 AND e.id = m.id AND e.ended_run IS NULL
		WHERE m.credited_on IS NOT NULL AND m.paid_value IS NOT NULL AND m.credited_on >= $2 AND m.credited_on <= $3
		ORDER BY m.credited_on, m.id`
}

// CountCreditedBefore counts the installments and slips of an account that the service credited before a day.
func (l *CreditReader) CountCreditedBefore(ctx context.Context, a ledger.Account, day ledger.Date) (int64, error) {
	var cards, slips int64
	err := l.db.Read.QueryRowContext(ctx, `
		SELECT COUNT(*)
		FROM installment
		WHERE account = $1 AND ended_pull IS NULL AND effective IS NOT NULL AND effective < $2 AND received > 0`, int64(a), int64(day)).Scan(&cards)
	if err == nil {
		conditions := CurrentSlips()
		conditions.Dialect = l.db.Dialect
		conditions.Among = `
				SELECT DISTINCT x.id
				FROM slip AS x
				WHERE x.account = $1 AND x.ended_pull IS NULL AND x.credited_on IS NOT NULL AND x.credited_on < $2`
		err = l.db.Read.QueryRowContext(ctx, MergedSlipsSQL(conditions)+`
		SELECT COUNT(*)
		FROM merged
		WHERE credited_on IS NOT NULL AND paid_value IS NOT NULL AND credited_on < $2`, int64(a), int64(day)).Scan(&slips)
	}
	return cards + slips, l.db.WrapError("count what was credited before "+day.String(), err)
}

// CountPaidUndated counts the installments of an account that the service paid and of which it says no day.
func (l *CreditReader) CountPaidUndated(ctx context.Context, a ledger.Account) (n int64, err error) {
	err = l.db.Read.QueryRowContext(ctx, `
		SELECT COUNT(*)
		FROM installment
		WHERE account = $1 AND ended_pull IS NULL AND effective IS NULL AND received > 0`, int64(a)).Scan(&n)
	return n, l.db.WrapError("count what was paid without a day", err)
}

// Terminals calls fn for each terminal by which an account sold within a period, with each status of its sales, by their current versions.
func (l *CreditReader) Terminals(ctx context.Context, a ledger.Account, p ledger.Period, fn func(terminal, status string) error) error {
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var terminal, status string
		if err := rows.Scan(&terminal, &status); err != nil {
			return err
		}
		return fn(terminal, status)
	}, `
		SELECT DISTINCT
			terminal,
			status
		FROM installment
		WHERE account = $1 AND ended_pull IS NULL AND sale_day >= $2 AND sale_day <= $3 AND terminal <> ''`,
		int64(a), int64(p.From), int64(p.To))
	return l.db.WrapError("read the terminals", err)
}
