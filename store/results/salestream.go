package results

import (
	"context"
	"slices"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// saleStream gathers the rows of one day, NSU and authorization, which may be several sales.
type saleStream struct {
	account     ledger.Account
	seen        facts.LastSeen
	unread      map[ledger.Date]bool
	ctx         context.Context
	withStored  bool                      // the rows bear what is believed of them
	storedPages *storedPages              // where that is read; nil: it stands in the rows
	notIncluded map[string]bool           // pulls that no reconcile knew before
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

// readStoredOf finds what is believed of the row at hand: of the last version of an installment alone.
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
	var gone []ledger.VanishedInstallment
	for _, h := range s.histories {
		if !h.stands && h.before != nil {
			gone = append(gone, ledger.VanishedInstallment{History: h.versions, Stored: h.before})
		}
	}
	gathered := slices.DeleteFunc(s.histories, func(h history) bool { return !h.stands })
	slices.SortStableFunc(gathered, func(a, b history) int { return a.sale - b.sale })
	moved := s.changed == nil || s.changed(s.key)
	for len(gathered) > 0 {
		n := 1
		for n < len(gathered) && gathered[n].sale == gathered[0].sale {
			n++
		}
		sale := s.newSale(gathered[0].sale, moved)
		sale.Rows = make([]ledger.InstallmentHistory, 0, n)
		for _, h := range gathered[:n] {
			sale.Rows = append(sale.Rows, h.versions)
		}
		sale.Vanished, gone = gone, nil
		sale.Sort()
		if err := s.fn(sale); err != nil {
			return err
		}
		gathered = gathered[n:]
	}
	s.histories = s.histories[:0]
	if len(gone) == 0 {
		return nil
	}
	sale := s.newSale(1, moved)
	sale.Vanished = gone
	return s.fn(sale)
}

func (s *saleStream) newSale(occurrence int, moved bool) *ledger.Sale {
	_, pulled := s.seen[s.key.Day]
	sale := &ledger.Sale{Key: s.key, Complete: pulled && !s.unread[s.key.Day], Changed: moved}
	sale.Key.Occurrence = occurrence
	return sale
}
