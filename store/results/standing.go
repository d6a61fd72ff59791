package results

import (
	"cmp"
	"context"
	"strings"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// storedPageSize is how many standing beliefs are read at once: some hundred kilobytes.
const storedPageSize = 2000

// storedPages gives what is believed of installments that come in order of key, a page at a time: two walks in the
// same order cost less than a join that looks each row up. Nobody but the reconcile they are read for changes what
// stands of its account, so the pages agree with each other.
type storedPages struct {
	l       *Store
	account ledger.Account
	until   ledger.Date
	sums    bool   // with what the beliefs added to sums
	last    rowKey // of the page at hand
	page    []storedRow
	at      int
	ended   bool // no page follows
}

type rowKey struct {
	day        ledger.Date
	nsu, auth  string
	number     int
	occurrence int
}

type storedRow struct {
	rowKey
	ledger.StoredExpectation
}

func (k *rowKey) compareTo(o *rowKey) int {
	if k.day != o.day {
		return cmp.Compare(k.day, o.day)
	}
	if c := strings.Compare(k.nsu, o.nsu); c != 0 {
		return c
	}
	if c := strings.Compare(k.auth, o.auth); c != 0 {
		return c
	}
	return cmp.Or(cmp.Compare(k.number, o.number), cmp.Compare(k.occurrence, o.occurrence))
}

// pageStored begins at the days: before any key of the first one. sums asks for what the beliefs added to sums, too: the
// longest of their columns, which a reconcile that sums everything anew has no use for.
func (l *Store) pageStored(a ledger.Account, days ledger.Period, sums bool) *storedPages {
	return &storedPages{l: l, account: a, until: days.To, sums: sums, last: rowKey{day: days.From}}
}

// findStored gives what is believed of the installment, or nil. Keys come in order; one may come again.
func (s *storedPages) findStored(ctx context.Context, key ledger.InstallmentKey) (*ledger.StoredExpectation, error) {
	k := rowKey{key.Day, key.NSU, key.Auth, key.Number, key.Occurrence}
	for {
		for ; s.at < len(s.page); s.at++ {
			switch c := s.page[s.at].compareTo(&k); {
			case c == 0:
				return &s.page[s.at].StoredExpectation, nil
			case c > 0:
				return nil, nil
			}
		}
		if s.ended {
			return nil, nil
		}
		if err := s.readPage(ctx); err != nil {
			return nil, err
		}
	}
}

// readPage reads the next page. The one before may still be in use.
func (s *storedPages) readPage(ctx context.Context) error {
	s.page, s.at = make([]storedRow, 0, storedPageSize), 0
	columns, read := shortStoredColumns, readShortStored
	if s.sums {
		columns, read = storedColumns, readStored
	}
	err := s.l.db.StreamRows(ctx, func(f *sqldb.RowReader) error {
		b := storedRow{rowKey: rowKey{f.NextDate(), f.NextText(), f.NextText(), int(f.NextInt()), int(f.NextInt())}}
		b.StoredExpectation = *read(f)
		s.page = append(s.page, b)
		return nil
	}, `
		SELECT
			e.sale_day,
			e.nsu,
			e.auth,
			e.number,
			e.occurrence,`+columns+`
		FROM expectation AS e
		WHERE e.account = $1 AND e.ended_run IS NULL AND e.sale_day <= $2
			AND (e.sale_day, e.nsu, e.auth, e.number, e.occurrence) > ($3, $4, $5, $6, $7)
		ORDER BY e.sale_day, e.nsu, e.auth, e.number, e.occurrence
		LIMIT $8`, int64(s.account), int64(s.until), int64(s.last.day), s.last.nsu, s.last.auth, int64(s.last.number), int64(s.last.occurrence),
		int64(storedPageSize))
	if len(s.page) > 0 {
		s.last = s.page[len(s.page)-1].rowKey
	}
	s.ended = len(s.page) < storedPageSize
	return err
}
