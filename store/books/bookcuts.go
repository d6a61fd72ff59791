package books

import (
	"context"
	"slices"

	"concilia/store/ledger/bookkeeping"
	"concilia/store/sqldb"
)

// IsBooked reports whether the journal has the entries of the cut by a method.
func (c *Cut) IsBooked(m bookkeeping.Method) bool {
	return m == bookkeeping.Accrual && c.Accrual || m == bookkeeping.Cash && c.Cash
}

// setBooked notes that the journal has the entries of the cut by a method; empty: there is none.
func (c *Cut) setBooked(m bookkeeping.Method) {
	switch m {
	case bookkeeping.Accrual:
		c.Accrual = true
	case bookkeeping.Cash:
		c.Cash = true
	}
}

// lacksEntries reports whether the cut was made without the journal by a method. What was taken back from the archive gets its entries with the
// next cut.
func (c *Cut) lacksEntries(m bookkeeping.Method) bool { return !c.TakenBack && !c.IsBooked(m) }

// bookedUpTo is the last set up to which the journal of an account has all entries by a method; 0: none.
func bookedUpTo(cuts []Cut, m bookkeeping.Method) (set int) {
	for i := range cuts {
		if cuts[i].lacksEntries(m) {
			return min(set, cuts[i].Set-1)
		}
		if cuts[i].IsBooked(m) {
			set = cuts[i].Set
		}
	}
	return set
}

// BookCuts makes the entries of the journal, by the order's method, of the cuts of its account that were made while there was none, or one by
// the other method. They are the same as if they had been made with the cuts: by the rows and the closed months as of the run of each.
func (s *Store) BookCuts(ctx context.Context, o *Order) error {
	if o.Journal == "" {
		return nil
	}
	cuts, err := s.Cuts(ctx, o.Account)
	if err != nil || !slices.ContainsFunc(cuts, func(c Cut) bool { return c.lacksEntries(o.Journal) }) {
		return err
	}
	return s.db.TransactRepeatable(ctx, "make the journal of account "+o.Account.String(), func(t *sqldb.Tx) error {
		if err := t.DB.Dialect.Lock(ctx, t.Tx, "titles/"+o.Account.String()); err != nil {
			return err
		}
		cuts, err := readCuts(ctx, t, o.Account)
		for i := range cuts {
			if err == nil && cuts[i].lacksEntries(o.Journal) {
				err = s.bookCut(ctx, t, o, cuts[:i], &cuts[i])
			}
		}
		return err
	})
}

// bookCut makes the entries of a cut of which the events are there.
func (s *Store) bookCut(ctx context.Context, t *sqldb.Tx, o *Order, earlier []Cut, c *Cut) error {
	of := *o
	of.Run, of.AsOf, of.NetOfSplits = c.ToRun, c.AsOf, c.NetOfSplits
	w, err := s.newCutter(ctx, t, &of, c, earlier)
	if err != nil {
		return err
	}
	w.earlier = t // entries of the cuts before may be there for the transaction alone
	w.booksOnly, w.first = true, len(earlier) == 0 || earlier[len(earlier)-1].Set != c.Set
	if err := w.compareTitles(ctx); err != nil {
		return err
	}
	if err := w.bookRest(ctx); err != nil {
		return err
	}
	c.setBooked(o.Journal)
	_, err = t.ExecContext(ctx, `
		UPDATE event_cut
		SET
			accrual = $4,
			cash = $5
		WHERE account = $1 AND source = $2 AND number = $3`,
		int64(c.Account), string(c.Source), int64(c.Number), sqldb.BoolArg(c.Accrual), sqldb.BoolArg(c.Cash))
	return err
}

// bookBatch makes the entries of the titles of the batch by the events that the cut has of them.
func (w *cutter) bookBatch(ctx context.Context, withEvents []string) error {
	byTitle, err := w.readOwnEvents(ctx)
	if err != nil {
		return err
	}
	events := make([][]bookkeeping.Event, len(w.batch))
	for i := range w.batch {
		events[i] = byTitle[w.batch[i].Subject]
	}
	made, err := w.bookEvents(ctx, withEvents, events)
	if err != nil {
		return err
	}
	w.addSums(made)
	w.batch = w.batch[:0]
	return w.tx.RunInBackground(func() error { return loadEntries(ctx, w.tx, made) })
}

// readOwnEvents reads the events of the cut of the titles of the batch, in their order: as much of each as an entry has of it.
func (w *cutter) readOwnEvents(ctx context.Context) (map[string][]bookkeeping.Event, error) {
	subjects := make([]string, len(w.batch))
	for i := range w.batch {
		subjects[i] = w.batch[i].Subject
	}
	list, err := sqldb.EncodeList(subjects)
	if err != nil {
		return nil, err
	}
	out := make(map[string][]bookkeeping.Event, len(w.batch))
	return out, sqldb.ReadRows(ctx, w.tx, func(f *sqldb.RowReader) error {
		e := bookkeeping.Event{
			Account: w.cut.Account, Source: w.cut.Source, Cut: w.cut.Number, Position: int(f.NextInt()), ID: f.NextText(),
			Type: bookkeeping.EventType(f.NextText()), Subject: f.NextText(), Title: f.NextText(), Occurred: f.NextDate(),
		}
		out[e.Title] = append(out[e.Title], e)
		return f.Err()
	}, `
		SELECT
			x.position,
			x.event,
			x.type,
			x.subject,
			x.title,
			x.occurred
		FROM `+w.fromTitles("event", "event_title")+`
		WHERE x.cut = $3
		ORDER BY x.position`, int64(w.cut.Account), list, int64(w.cut.Number))
}

// bookRest makes the entries of the cut that no change of a title made, and writes what all of them add up to.
func (w *cutter) bookRest(ctx context.Context) error {
	if w.method == "" {
		return nil
	}
	if w.unopened {
		if err := w.openUncompared(ctx); err != nil {
			return err
		}
	}
	if w.first {
		if err := w.bookApart(ctx); err != nil {
			return err
		}
	}
	if err := w.writeEntries(ctx, w.keeper.OpeningEntries()); err != nil {
		return err
	}
	return w.writeSums(ctx)
}
