package source

import (
	"context"

	"concilia/export/report/othersides"
	"concilia/store/books"
	"concilia/store/ledger"
)

// Events yields the events of the cuts.
func (f *ReportSource) Events(ctx context.Context, yield func(*ledger.Event) error) error {
	for i := range f.Cuts {
		if err := f.Ledger.Events(ctx, &f.Cuts[i], yield); err != nil {
			return err
		}
	}
	return nil
}

// cutOf is the cut whose events a kind has, nil without one.
func (f *ReportSource) cutOf(kind string) *books.Cut {
	for i := range f.Cuts {
		if c := &f.Cuts[i]; string(othersides.EventsKind(c.Source)) == kind {
			return c
		}
	}
	return nil
}
