package source

import (
	"context"
	"slices"

	"concilia/export/journal"
	"concilia/jobs/entries"
	"concilia/store"
	"concilia/store/books"
	"concilia/store/ledger/bookkeeping"
)

// JournalSet is what a set of the journal has entries of.
type JournalSet struct {
	Query books.JournalQuery
	Grain journal.Grain
}

// Entries yields the entries of a set of the journal: one for each row, or one for all of a day that say the same.
func (r bookReader) Entries(ctx context.Context, yield func(*bookkeeping.Entry) error) error {
	if r.Journal == nil {
		return nil
	}
	if r.Journal.Grain == journal.ByRow {
		return r.Ledger.Entries(ctx, &r.Journal.Query, yield)
	}
	return r.Journal.forEachDay(ctx, r.Ledger, yield)
}

// forEachDay puts what one day's entries say with the same words into one entry.
func (s *JournalSet) forEachDay(ctx context.Context, l *store.Ledger, yield func(*bookkeeping.Entry) error) error {
	var open []books.DayEntry // of one entry
	flush := func() error {
		if len(open) == 0 {
			return nil
		}
		e := s.dayEntry(open)
		open = open[:0]
		if len(e.Lines) == 0 {
			return nil
		}
		return yield(e)
	}
	err := l.DayEntries(ctx, &s.Query, func(d *books.DayEntry) error {
		if len(open) > 0 && !sameWords(&open[0], d) {
			if err := flush(); err != nil {
				return err
			}
		}
		open = append(open, *d)
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}

func sameWords(a, b *books.DayEntry) bool {
	return a.Set == b.Set && a.Posted == b.Posted && a.Type == b.Type && a.Reversal == b.Reversal && a.Brand == b.Brand && a.Product == b.Product
}

// dayEntry makes an entry of the sums of its roles: debits first, each side in the order of roles.
func (s *JournalSet) dayEntry(of []books.DayEntry) *bookkeeping.Entry {
	d := &of[0]
	var rows int64
	for i := range of {
		rows = max(rows, of[i].Entries)
	}
	e := &bookkeeping.Entry{
		Account: s.Query.Account, Method: s.Query.Method, Set: d.Set, Type: d.Type, Posted: d.Posted, Brand: d.Brand, Product: d.Product,
		Event: entries.DayID(s.Query.Account, d.Posted, d.Type, d.Reversal, d.Brand, d.Product, d.Set),
		Text:  entries.DayText(d.Type, d.Reversal, d.Brand, rows),
	}
	for _, debit := range []bool{true, false} {
		for _, r := range bookkeeping.Roles() {
			i := slices.IndexFunc(of, func(o books.DayEntry) bool { return o.Role == r })
			switch {
			case i < 0:
			case debit && of[i].Debit != 0:
				e.Lines = append(e.Lines, bookkeeping.EntryLine{Role: r, Amount: of[i].Debit})
			case !debit && of[i].Credit != 0:
				e.Lines = append(e.Lines, bookkeeping.EntryLine{Role: r, Amount: -of[i].Credit})
			}
		}
	}
	return e
}
