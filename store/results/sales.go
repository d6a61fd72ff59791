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
func (l *RowReader) Sales(ctx context.Context, a ledger.Account, fn func(*ledger.Sale) error) error {
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

func (l *RowReader) saleStream(ctx context.Context, a ledger.Account, fn func(*ledger.Sale) error) (*saleStream, error) {
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

// VanishedInstallments calls fn for the last version of every installment of the account that the last complete pull of its day no
// longer showed, in order of key, and the as-of of the run whose pull showed it last.
func (l *RowReader) VanishedInstallments(ctx context.Context, a ledger.Account, fn func(*ledger.InstallmentVersion, ledger.Date) error) error {
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
var VanishedSQL = `
		SELECT ` + facts.InstallmentColumns + `,
			p.as_of
		FROM installment AS i
		LEFT JOIN pull AS p ON p.account = i.account AND p.id = i.last_pull
		WHERE i.account = $1 AND i.vanished = 1
		ORDER BY +i.sale_day, i.nsu, i.auth, i.number, i.occurrence`

// InstallmentsSoldIn calls fn for the current version of every installment of the account that was sold in the period, vanished ones
// left out, in order of the key. Memory does not grow with the rows.
func (l *RowReader) InstallmentsSoldIn(ctx context.Context, a ledger.Account, p ledger.Period, fn func(*ledger.InstallmentVersion) error) error {
	err := l.currentInstallments(ctx, a, fn, `
		FROM installment AS i
		WHERE i.account = $1 AND i.sale_day BETWEEN $2 AND $3 AND i.ended_pull IS NULL
		ORDER BY i.sale_day, i.nsu, i.auth, i.number, i.occurrence`, int64(p.From), int64(p.To))
	return l.db.WrapError("read what account "+a.String()+" sold in "+p.String(), err)
}

// InstallmentsByNSU calls fn for the current version of every installment of the account with one of those NSUs, whenever it was
// sold, vanished ones left out.
func (l *RowReader) InstallmentsByNSU(ctx context.Context, a ledger.Account, nsus []string, fn func(*ledger.InstallmentVersion) error) error {
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
func (l *RowReader) currentInstallments(
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
func (l *RowReader) unreadDays(ctx context.Context, a ledger.Account) (map[ledger.Date]bool, error) {
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

// saleStream gathers the rows of one day, NSU and authorization, which may be several sales.
type saleStream struct {
	account     ledger.Account
	seen        facts.LastSeen
	unread      map[ledger.Date]bool
	ctx         context.Context
	withStored  bool                      // the rows have their stored expectations
	storedPages *storedPages              // where these are read; nil: they are in the rows
	notIncluded map[string]bool           // pulls that no reconcile included before
	changed     func(ledger.SaleKey) bool // nil: all did
	fn          func(*ledger.Sale) error
	key         ledger.SaleKey
	histories   []history
	at          facts.InstallmentRow // the row at hand
	spare       []ledger.InstallmentVersion
}

// versionsAtOnce is for how many versions memory is taken at once: most installments have one.
const versionsAtOnce = 32

// beginHistory begins a history with a version.
func (s *saleStream) beginHistory(v *ledger.InstallmentVersion) ledger.InstallmentHistory {
	if len(s.spare) == 0 {
		s.spare = make([]ledger.InstallmentVersion, versionsAtOnce)
	}
	h := s.spare[:1:1]
	s.spare = s.spare[1:]
	h[0] = *v
	return h
}

type history struct {
	number, occurrence int
	sale               int
	stands             bool
	ended              string
	before             *ledger.StoredExpectation
	versions           ledger.InstallmentHistory
}

func (s *saleStream) addRow(f *sqldb.RowReader) error {
	v := &s.at
	*v = facts.InstallmentRow{}
	v.ReadColumns(f)
	if err := f.Err(); err != nil {
		return err
	}
	if err := v.Complete(s.account, s.seen); err != nil {
		return err
	}
	key := v.Key()
	sale := key.SaleKey
	sale.Occurrence = 0
	if sale != s.key {
		if err := s.flushSales(); err != nil {
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
	if s.withStored {
		v.NotEvaluated, v.Ended = s.notIncluded[v.FirstPull], v.EndedPull
		// One that gave way to another version was ended by the pull that brought it.
		v.Reappeared = len(h.versions) > 0 && h.ended != v.FirstPull
		if err := s.readStoredOf(f, h, key); err != nil {
			return err
		}
	}
	if len(h.versions) == 0 {
		h.versions = s.beginHistory(&v.InstallmentVersion)
	} else {
		h.versions = append(h.versions, v.InstallmentVersion)
	}
	h.sale, h.stands, h.ended = v.SaleNumber, v.Current, v.EndedPull
	return nil
}

// readStoredOf finds the stored expectation of the current row of the stream: only the last version of an installment has one.
func (s *saleStream) readStoredOf(f *sqldb.RowReader, h *history, key ledger.InstallmentKey) (err error) {
	v := &s.at
	h.before = nil
	switch {
	case s.storedPages == nil:
		h.before = readStored(f)
	case v.Current || v.Vanished:
		h.before, err = s.storedPages.findStored(s.ctx, key)
	}
	v.Stored = h.before
	return err
}

// flushSales hands on the sales gathered so far.
func (s *saleStream) flushSales() error {
	var vanished []ledger.VanishedInstallment
	for _, h := range s.histories {
		if !h.stands && h.before != nil {
			vanished = append(vanished, ledger.VanishedInstallment{History: h.versions, Stored: h.before})
		}
	}
	gathered := slices.DeleteFunc(s.histories, func(h history) bool { return !h.stands })
	slices.SortStableFunc(gathered, func(a, b history) int { return a.sale - b.sale })
	changed := s.changed == nil || s.changed(s.key)
	for len(gathered) > 0 {
		n := 1
		for n < len(gathered) && gathered[n].sale == gathered[0].sale {
			n++
		}
		sale := s.newSale(gathered[0].sale, changed)
		sale.Rows = make([]ledger.InstallmentHistory, 0, n)
		for _, h := range gathered[:n] {
			sale.Rows = append(sale.Rows, h.versions)
		}
		sale.Vanished, vanished = vanished, nil
		sale.Sort()
		if err := s.fn(sale); err != nil {
			return err
		}
		gathered = gathered[n:]
	}
	s.histories = s.histories[:0]
	if len(vanished) == 0 {
		return nil
	}
	sale := s.newSale(1, changed)
	sale.Vanished = vanished
	return s.fn(sale)
}

func (s *saleStream) newSale(occurrence int, changed bool) *ledger.Sale {
	_, pulled := s.seen[s.key.Day]
	sale := &ledger.Sale{Key: s.key, Complete: pulled && !s.unread[s.key.Day], Changed: changed}
	sale.Key.Occurrence = occurrence
	return sale
}
