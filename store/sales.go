package store

import (
	"context"
	"database/sql"
	"errors"

	"concilia/store/ledger"
)

// Sales calls fn for every sale of the account in order of day, NSU, authorization and occurrence, each with the
// complete history of its rows, oldest first, without vanished rows. fn may keep the sale; memory does not grow with the
// number of sales. fn may write to the ledger; the stream does not see it.
func (l *Ledger) Sales(ctx context.Context, a ledger.Account, fn func(*ledger.Sale) error) error {
	doing := "read the sales of account " + a.String()
	s, err := l.saleStream(ctx, a, fn)
	if err != nil {
		return l.fault(doing, err)
	}
	err = l.stream(ctx, s.row, `
		SELECT `+installmentColumns+`
		FROM installment AS i
		WHERE i.account = $1`+orderOfSales, int64(a))
	if err == nil {
		err = s.flush()
	}
	return l.fault(doing, err)
}

const orderOfSales = `
		ORDER BY i.sale_day, i.nsu, i.auth, i.number, i.occurrence, i.version`

func (l *Ledger) saleStream(ctx context.Context, a ledger.Account, fn func(*ledger.Sale) error) (*saleStream, error) {
	s := &saleStream{ctx: ctx, account: a, fn: fn}
	var err error
	if s.seen, err = loadSightings(ctx, l.db.Read, a, ledger.Cards, always); err != nil {
		return nil, err
	}
	err = collect(ctx, l.db.Read, func() (err error) {
		s.unread, err = l.unreadDays(ctx, a)
		return err
	})
	return s, err
}

// Vanished hands fn the last version of every installment of the account that the last complete pull of its day no
// longer showed, in order of key, and the as-of of the run whose pull showed it last.
func (l *Ledger) Vanished(ctx context.Context, a ledger.Account, fn func(*ledger.InstallmentVersion, ledger.Date) error) error {
	err := l.stream(ctx, func(f *fields) error {
		v := &version{}
		v.read(f)
		last := f.date()
		if err := errors.Join(f.err, v.finish(a, nil)); err != nil {
			return err
		}
		v.Ended = v.ended
		return fn(&v.InstallmentVersion, last)
	}, vanishedText, int64(a))
	return l.fault("read what vanished of account "+a.String(), err)
}

// vanishedText orders by the day as an expression, which is in no index: SQLite would rather read every row of the account
// in order of the key than sort the few that vanished.
const vanishedText = `
		SELECT ` + installmentColumns + `,
			p.as_of
		FROM installment AS i
		LEFT JOIN pull AS p ON p.account = i.account AND p.id = i.last_pull
		WHERE i.account = $1 AND i.vanished = 1
		ORDER BY +i.sale_day, i.nsu, i.auth, i.number, i.occurrence`

// unreadDays are the days with a row in quarantine.
func (l *Ledger) unreadDays(ctx context.Context, a ledger.Account) (map[ledger.Date]bool, error) {
	days := make(map[ledger.Date]bool)
	err := each(ctx, l.db.Read, func(rows *sql.Rows) error {
		var d ledger.Date
		err := rows.Scan(&d)
		days[d] = true
		return err
	}, `
		SELECT DISTINCT
			day
		FROM quarantine
		WHERE account = $1 AND source = 'cards' AND ended_pull IS NULL`, int64(a))
	return days, err
}
