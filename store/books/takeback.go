package books

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
	"concilia/store/sqldb"
)

// LostCut is a cut that was published and that a ledger put back from a backup does not have, read from its files. Its events have
// only what files say of a title: one that vanished in Before, any other in After.
type LostCut struct {
	Cut

	List []bookkeeping.Event
}

// TakeBackCuts records cuts that were lost, in one transaction. Cuts that are there stay as they are, so that it may be called again.
func (s *Store) TakeBackCuts(ctx context.Context, lost []LostCut) error {
	if len(lost) == 0 {
		return nil
	}
	slices.SortFunc(lost, func(a, b LostCut) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Set, b.Set), cmp.Compare(a.Source, b.Source))
	})
	return s.db.Transact(ctx, "take back the movement that the archive has and the ledger lost", func(t *sqldb.Tx) error {
		for i := range lost {
			if err := takeBackCut(ctx, t, &lost[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

func takeBackCut(ctx context.Context, t *sqldb.Tx, l *LostCut) error {
	if err := t.DB.Dialect.Lock(ctx, t.Tx, "titles/"+l.Account.String()); err != nil {
		return err
	}
	earlier, err := readCuts(ctx, t, l.Account)
	if err != nil || slices.ContainsFunc(earlier, func(c Cut) bool { return c.Source == l.Source && c.Set == l.Set }) {
		return err
	}
	c := l.Cut
	c.continueFrom(earlier)
	if n := len(earlier); n > 0 {
		c.SettleOnPayment, c.NetOfSplits = earlier[n-1].SettleOnPayment, earlier[n-1].NetOfSplits
	}
	c.TakenBack, c.Events, c.Sums = true, int64(len(l.List)), bookkeeping.Measures{}
	for i := range l.List {
		e := &l.List[i]
		e.Cut, e.Position = c.Number, i+1
		c.Sums.Add(e.Sums)
	}
	if err := loadEvents(ctx, t, l.List); err != nil {
		return err
	}
	return insertCut(ctx, t, &c)
}

// readLostEvents reads the events that were taken back since the source was last cut from rows, by title.
func (w *cutter) readLostEvents(ctx context.Context) error {
	w.lost = map[string][]bookkeeping.Event{}
	for i := range w.earlierCuts {
		c := &w.earlierCuts[i]
		if c.Source != w.cut.Source {
			continue
		}
		if !c.TakenBack {
			clear(w.lost) // its run is known, and its events are in the rows
			w.takenBack, w.unopened = false, false
			continue
		}
		w.takenBack, w.unopened = true, w.unopened || c.Number == 1
		err := w.store.Events(ctx, c, func(e *bookkeeping.Event) error {
			w.lost[e.Title] = append(w.lost[e.Title], *e)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// replayLost makes the state before a change what it was after the events that were taken back: the rows of that time are lost.
func (w *cutter) replayLost(change *bookkeeping.TitleChange) {
	if w.unopened {
		w.compared[change.Subject] = true
	}
	if events := w.lost[change.Subject]; len(events) > 0 {
		w.replayed[change.Subject] = replayed{change.Before, events}
		change.Before, change.Known = w.order.Replay(change.Before, change.After, events), true
		delete(w.lost, change.Subject)
	}
}

// replayed is a title of which events were taken back: what its rows say of the time before them, and the events.
type replayed struct {
	before *bookkeeping.TitleState
	events []bookkeeping.Event
}

// bookedChange is a change as the journal has to see it, which lost the entries of what was taken back, too: since the rows before, by
// all events since then.
func (w *cutter) bookedChange(c *bookkeeping.TitleChange, events []bookkeeping.Event) (*bookkeeping.TitleChange, []bookkeeping.Event) {
	r, lost := w.replayed[c.Subject]
	if !lost && !w.unopened {
		return c, events
	}
	whole := *c
	if lost {
		whole.Before, events = r.before, append(slices.Clone(r.events), events...)
	}
	if w.unopened {
		whole.Before = nil // the opening balance is lost as well
	}
	return &whole, events
}

// rememberReplayed completes a change that was replayed with what the journal remembers of its title.
func (w *cutter) rememberReplayed(c *bookkeeping.TitleChange, r replayed, last *bookkeeping.Booked) {
	whole := *c
	whole.Before = r.before
	w.keeper.Remember(&whole, last)
	if c.After == nil || c.After.Booked == nil {
		return
	}
	for i := range r.events {
		switch e := &r.events[i]; e.Type {
		case bookkeeping.EventCancelled, bookkeeping.EventChargedBack:
			c.After.Booked.ReversedOn = e.Occurred
		case bookkeeping.EventTakenBack:
			c.After.Booked.TakenOn = e.Occurred
		}
	}
}

// openUncompared adds the titles that are as they were in the backup to the opening balance, where that of the first cut is lost.
func (w *cutter) openUncompared(ctx context.Context) error {
	each := w.store.changedCards
	if w.cut.Source == bookkeeping.SlipEvents {
		each = w.store.changedSlips
	}
	return each(ctx, w.order, "", func(c *bookkeeping.TitleChange) error {
		if w.compared[c.Subject] {
			return nil
		}
		w.keeper.Remember(c, nil)
		return w.writeEntries(ctx, w.keeper.Post(c, nil, nil))
	})
}

// compareUnmoved compares the titles whose rows are as they were in the backup, and that have had more events since.
func (w *cutter) compareUnmoved(ctx context.Context) error {
	for _, title := range slices.Sorted(maps.Keys(w.lost)) {
		state, err := w.readState(ctx, title, w.lost[title])
		if err != nil {
			return err
		}
		change := bookkeeping.TitleChange{Subject: title, Before: state, After: state}
		w.replayLost(&change)
		w.batch = append(w.batch, change)
		if len(w.batch) == cutBatch {
			if err := w.writeBatch(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// readState reads a title as of the run; nil: it is gone.
func (w *cutter) readState(ctx context.Context, title string, events []bookkeeping.Event) (*bookkeeping.TitleState, error) {
	p, ok := ledger.ParseSubject(title)
	if !ok {
		return nil, nil
	}
	if w.cut.Source == bookkeeping.SlipEvents {
		id := events[0].State().Slip.ID
		states, err := w.store.slipStates(ctx, w.order, w.order.Run, []string{id})
		return states[id], err
	}
	sale, number, ok := p.SaleKey()
	if !ok {
		return nil, nil
	}
	return w.store.cardState(ctx, w.order, ledger.InstallmentKey{SaleKey: sale, Number: number})
}

// balanceRestored counts with what occurred before the first day whatever the rows have and no file has: of what was taken back the part that is
// in no file is not known.
func (w *cutter) balanceRestored(ctx context.Context) error {
	c := w.cut
	states, err := w.store.sums.MovementSums(ctx, c.Account, c.Source, c.ToRun)
	if err != nil {
		return err
	}
	sent, err := w.store.SentSums(ctx, c.Account, c.Source, c.Set-1)
	if err == nil {
		c.BeforeFrom = states.Less(sent).Less(c.Sums)
	}
	return err
}
