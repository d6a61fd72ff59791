package results

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strconv"
	"strings"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// Sales calls fn for every sale of the account in order of day, NSU, authorization and occurrence, each with the
// complete history of its rows, oldest first, without vanished rows. fn may keep the sale; memory does not grow with the
// number of sales. fn may write to the ledger; the stream does not see it.
func (l *Store) Sales(ctx context.Context, a ledger.Account, fn func(*ledger.Sale) error) error {
	doing := "read the sales of account " + a.String()
	s, err := l.saleStream(ctx, a, fn)
	if err != nil {
		return l.db.WrapError(doing, err)
	}
	err = l.db.StreamRows(ctx, s.addRow, `
		SELECT `+facts.InstallmentColumns+`
		FROM installment AS i
		WHERE i.account = $1`+saleOrder, int64(a))
	if err == nil {
		err = s.flushSales()
	}
	return l.db.WrapError(doing, err)
}

const saleOrder = `
		ORDER BY i.sale_day, i.nsu, i.auth, i.number, i.occurrence, i.version`

func (l *Store) saleStream(ctx context.Context, a ledger.Account, fn func(*ledger.Sale) error) (*saleStream, error) {
	s := &saleStream{ctx: ctx, account: a, fn: fn}
	var err error
	if s.seen, err = facts.LoadLastSeen(ctx, l.db.Read, a, ledger.Cards, facts.AllDays); err != nil {
		return nil, err
	}
	err = sqldb.ReadWithRetry(ctx, l.db.Read, func() (err error) {
		s.unread, err = l.unreadDays(ctx, a)
		return err
	})
	return s, err
}

// VanishedInstallments hands fn the last version of every installment of the account that the last complete pull of its day no
// longer showed, in order of key, and the as-of of the run whose pull showed it last.
func (l *Store) VanishedInstallments(ctx context.Context, a ledger.Account, fn func(*ledger.InstallmentVersion, ledger.Date) error) error {
	err := l.db.StreamRows(ctx, func(f *sqldb.RowReader) error {
		v := &facts.InstallmentRow{}
		v.ReadColumns(f)
		last := f.NextDate()
		if err := errors.Join(f.Err(), v.Complete(a, nil)); err != nil {
			return err
		}
		v.Ended = v.EndedPull
		return fn(&v.InstallmentVersion, last)
	}, VanishedSQL, int64(a))
	return l.db.WrapError("read what vanished of account "+a.String(), err)
}

// VanishedSQL orders by the day as an expression, which is in no index: SQLite would rather read every row of the account
// in order of the key than sort the few that vanished.
const VanishedSQL = `
		SELECT ` + facts.InstallmentColumns + `,
			p.as_of
		FROM installment AS i
		LEFT JOIN pull AS p ON p.account = i.account AND p.id = i.last_pull
		WHERE i.account = $1 AND i.vanished = 1
		ORDER BY +i.sale_day, i.nsu, i.auth, i.number, i.occurrence`

// InstallmentsSoldIn calls fn for the current version of every installment of the account that was sold in the period, vanished ones
// left out, in order of the key. Memory does not grow with the rows.
func (l *Store) InstallmentsSoldIn(ctx context.Context, a ledger.Account, p ledger.Period, fn func(*ledger.InstallmentVersion) error) error {
	err := l.currentInstallments(ctx, a, fn, `
		FROM installment AS i
		WHERE i.account = $1 AND i.sale_day BETWEEN $2 AND $3 AND i.ended_pull IS NULL
		ORDER BY i.sale_day, i.nsu, i.auth, i.number, i.occurrence`, int64(p.From), int64(p.To))
	return l.db.WrapError("read what account "+a.String()+" sold in "+p.String(), err)
}

// InstallmentsByNSU calls fn for the current version of every installment of the account with one of those NSUs, whenever it was
// sold, vanished ones left out.
func (l *Store) InstallmentsByNSU(ctx context.Context, a ledger.Account, nsus []string, fn func(*ledger.InstallmentVersion) error) error {
	for some := range slices.Chunk(nsus, namesPerQuery) {
		marks, args := make([]string, len(some)), make([]any, len(some))
		for i, nsu := range some {
			marks[i], args[i] = "$"+strconv.Itoa(i+2), nsu
		}
		// The first row of a sale leads to its day, and so to all of them.
		err := l.currentInstallments(ctx, a, fn, `
		FROM installment AS s
		JOIN installment AS i ON i.account = s.account AND i.sale_day = s.sale_day AND i.nsu = s.nsu AND i.auth = s.auth
		WHERE s.account = $1 AND s.leads = 1 AND s.nsu IN (`+strings.Join(marks, ", ")+`) AND i.ended_pull IS NULL
		ORDER BY i.nsu, i.auth, i.sale_day, i.number, i.occurrence`, args...)
		if err != nil {
			return l.db.WrapError("look for sales of account "+a.String()+" by their NSU", err)
		}
	}
	return nil
}

// namesPerQuery is how many names one statement looks for.
const namesPerQuery = 500

// currentInstallments reads what a statement selects of installment i.
func (l *Store) currentInstallments(
	ctx context.Context, a ledger.Account, fn func(*ledger.InstallmentVersion) error, from string, args ...any,
) error {
	return l.db.StreamRows(ctx, func(f *sqldb.RowReader) error {
		v := &facts.InstallmentRow{}
		v.ReadColumns(f)
		if err := errors.Join(f.Err(), v.Complete(a, nil)); err != nil {
			return err
		}
		return fn(&v.InstallmentVersion)
	}, "SELECT "+facts.InstallmentColumns+from, append([]any{int64(a)}, args...)...)
}

// unreadDays are the days with a row in quarantine.
func (l *Store) unreadDays(ctx context.Context, a ledger.Account) (map[ledger.Date]bool, error) {
	days := make(map[ledger.Date]bool)
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
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
