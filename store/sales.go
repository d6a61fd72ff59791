package store

import (
	"context"
	"database/sql"
	"slices"

	"concilia/store/ledger"
)

// Sales hands fn every sale of the account in order of day, NSU, authorization and occurrence, each with the whole
// history of its rows, oldest first. Vanished rows are left out. The sale belongs to fn from then on; memory does not
// grow with the number of sales. fn may write to the ledger meanwhile: what it writes is not seen by the stream.
func (l *Ledger) Sales(ctx context.Context, a ledger.Account, fn func(*ledger.Sale) error) error {
	doing := "read the sales of account " + a.String()
	s := saleStream{account: a, fn: fn}
	var err error
	if s.seen, err = loadSightings(ctx, l.db.Read, a, ledger.Cards, always); err != nil {
		return l.fault(doing, err)
	}
	if s.unread, err = l.unreadDays(ctx, a); err != nil {
		return l.fault(doing, err)
	}
	err = each(ctx, l.db.Read, s.row, `
		SELECT `+installmentColumns+`
		FROM installment AS i
		WHERE i.account = $1
		ORDER BY i.sale_day, i.nsu, i.auth, i.number, i.occurrence, i.version`, int64(a))
	if err == nil {
		err = s.flush()
	}
	return l.fault(doing, err)
}

// Vanished hands fn the last version of every installment of the account that the last complete pull of its day no
// longer showed, in order of key.
func (l *Ledger) Vanished(ctx context.Context, a ledger.Account, fn func(*ledger.InstallmentVersion) error) error {
	err := each(ctx, l.db.Read, func(rows *sql.Rows) error {
		v, err := scanVersion(rows, a, nil)
		if err != nil {
			return err
		}
		return fn(&v.InstallmentVersion)
	}, `
		SELECT `+installmentColumns+`
		FROM installment AS i
		WHERE i.account = $1 AND i.vanished = 1
		ORDER BY i.sale_day, i.nsu, i.auth, i.number, i.occurrence`, int64(a))
	return l.fault("read what vanished of account "+a.String(), err)
}

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

// saleStream gathers the rows of one day, NSU and authorization, which may be several sales.
type saleStream struct {
	account   ledger.Account
	seen      sightings
	unread    map[ledger.Date]bool
	fn        func(*ledger.Sale) error
	key       ledger.SaleKey
	histories []history
}

type history struct {
	number, occurrence int
	sale               int
	stands             bool
	versions           ledger.InstallmentHistory
}

func (s *saleStream) row(rows *sql.Rows) error {
	v, err := scanVersion(rows, s.account, s.seen)
	if err != nil {
		return err
	}
	key := v.Key()
	sale := key.SaleKey
	sale.Occurrence = 0
	if sale != s.key {
		if err := s.flush(); err != nil {
			return err
		}
		s.key = sale
	}
	last := len(s.histories) - 1
	if last < 0 || s.histories[last].number != key.Number || s.histories[last].occurrence != key.Occurrence {
		s.histories = append(s.histories, history{number: key.Number, occurrence: key.Occurrence})
		last++
	}
	h := &s.histories[last]
	h.versions = append(h.versions, v.InstallmentVersion)
	h.sale, h.stands = v.sale, v.stands
	return nil
}

// flush hands on the sales gathered so far.
func (s *saleStream) flush() error {
	gathered := slices.DeleteFunc(s.histories, func(h history) bool { return !h.stands })
	slices.SortStableFunc(gathered, func(a, b history) int { return a.sale - b.sale })
	_, pulled := s.seen[s.key.Day]
	for len(gathered) > 0 {
		n := 1
		for n < len(gathered) && gathered[n].sale == gathered[0].sale {
			n++
		}
		sale := &ledger.Sale{Key: s.key, Complete: pulled && !s.unread[s.key.Day]}
		sale.Key.Occurrence = gathered[0].sale
		for _, h := range gathered[:n] {
			sale.Rows = append(sale.Rows, h.versions)
		}
		sale.Sort()
		if err := s.fn(sale); err != nil {
			return err
		}
		gathered = gathered[n:]
	}
	s.histories = nil
	return nil
}
