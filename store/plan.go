package store

import (
	"context"
	"database/sql"

	"concilia/store/ledger"
)

// OpenDays gives the operation days that hold an installment still waiting for its money: one whose last expectation
// is open or blocked and whose forecast is no later than upTo, or one no run has judged that has no effective date.
// They must be asked for again, because the service shows a payment only under the day of its sale.
func (l *Ledger) OpenDays(ctx context.Context, a ledger.Account, upTo ledger.Date) ([]ledger.Date, error) {
	var days []ledger.Date
	err := each(ctx, l.db.Read, func(rows *sql.Rows) error {
		var d ledger.Date
		err := rows.Scan(&d)
		days = append(days, d)
		return err
	}, `
		SELECT DISTINCT
			i.sale_day
		FROM installment AS i
		LEFT JOIN expectation AS e ON `+expectationOf+`
		WHERE i.account = $1 AND i.ended_pull IS NULL
			AND ((e.class IN ('open', 'blocked') AND i.forecast <= $2) OR (e.class IS NULL AND i.effective IS NULL))
		ORDER BY i.sale_day`, int64(a), int64(upTo))
	return days, l.fault("read the open days of account "+a.String(), err)
}

// expectationOf joins the standing expectation e of an installment's version i.
const expectationOf = `e.account = i.account AND e.sale_day = i.sale_day AND e.nsu = i.nsu AND e.auth = i.auth
			AND e.number = i.number AND e.occurrence = i.occurrence AND e.version = i.version AND e.ended_run IS NULL`
