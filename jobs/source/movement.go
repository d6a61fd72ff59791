package source

import (
	"context"

	"concilia/export/report/othersides"
	"concilia/store/books"
	"concilia/store/ledger/bookkeeping"
)

// bookReader reads the events of a set of the movement and the entries of a set of the journal: it is a report.BookSource.
type bookReader struct{ *Set }

// Events yields the events of the cuts.
func (r bookReader) Events(ctx context.Context, yield func(*bookkeeping.Event) error) error {
	for i := range r.Cuts {
		if err := r.Ledger.Events(ctx, &r.Cuts[i], yield); err != nil {
			return err
		}
	}
	return nil
}

// cutOf is the cut whose events a kind has, nil without one.
func (set *Set) cutOf(kind string) *books.Cut {
	for i := range set.Cuts {
		if c := &set.Cuts[i]; string(othersides.EventsKind(c.Source)) == kind {
			return c
		}
	}
	return nil
}
