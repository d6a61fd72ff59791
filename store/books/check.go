package books

import (
	"context"
	"fmt"

	"concilia/export/words"
	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
	"concilia/store/sqldb"
)

// CheckMovement finds what is wrong with the movement of an account: the sets and the numbers of their files have no hole, every cut
// has the events that it counted, each with the id of its subject, type and ordinal, and all events together are what the rows stood at
// as of each cut. So does the journal, as far as there is one: each entry is balanced, and with what was posted the books have what the rows say.
func (s *Store) CheckMovement(ctx context.Context, a ledger.Account, addFault sqldb.AddFault) error {
	cuts, err := s.Cuts(ctx, a)
	if err != nil {
		return err
	}
	set, numbers := 0, map[string]int{}
	for i := range cuts {
		c := &cuts[i]
		if c.Set != set && c.Set != set+1 {
			addFault(words.NewMessage("check_fault.movement_gap", "account", a, "set", c.Set, "before", set))
		}
		set = c.Set
		if last := numbers[c.Agreement]; c.NSA != 0 {
			if last != 0 && c.NSA != last+1 {
				addFault(words.NewMessage("check_fault.movement_nsa", "account", a, "set", set, "nsa", c.NSA, "last", last))
			}
			numbers[c.Agreement] = c.LastNSA
		}
		if err := s.checkCut(ctx, c, addFault); err != nil {
			return err
		}
	}
	for _, m := range bookkeeping.Methods() {
		if upTo := bookedUpTo(cuts, m); upTo > 0 {
			if err := s.checkJournal(ctx, a, m, upTo, addFault); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkJournal finds what is wrong with the journal of an account by a method up to a set.
func (s *Store) checkJournal(ctx context.Context, a ledger.Account, m bookkeeping.Method, upTo int, addFault sqldb.AddFault) error {
	sums := map[balanceKey]ledger.Amount{}
	all := (&JournalQuery{Account: a, Method: m, UpTo: upTo}).newConditions()
	err := eachEntry(ctx, s.db.Read, func(e *bookkeeping.Entry) error { // from whatever is checked, which may be a snapshot
		if rest := e.Balance(); rest != 0 {
			addFault(words.NewMessage("check_fault.entry_unbalanced", "account", a, "method", m, "entry", e.ID(), "rest", rest.Fixed(2)))
		}
		for _, l := range e.Lines {
			sums[balanceKey{l.Role, e.Brand}] += l.Amount
		}
		return nil
	}, all.Where(), all.Args...)
	if err != nil {
		return s.db.WrapError("check the journal of account "+a.String(), err)
	}
	j, err := s.ReadJournal(ctx, a, m, ledger.Period{From: 1, To: 1<<30 - 1}, upTo)
	if err != nil {
		return err
	}
	balances, err := j.Balances(ctx)
	for i := range balances {
		b := &balances[i]
		if entries := sums[balanceKey{b.Role, b.Brand}]; entries != b.Debits-b.Credits {
			addFault(words.NewMessage("check_fault.journal_sums_differ", "account", a, "method", m, "role", b.Role, "entries", entries.Fixed(2), "sums", (b.Debits - b.Credits).Fixed(2)))
		}
		if rest := b.Residual(); rest != 0 {
			addFault(words.NewMessage("check_fault.journal_residual", "account", a, "method", m, "role", b.Role, "brand", b.Brand, "rest", rest.Fixed(2)))
		}
	}
	return err
}

// checkCut finds what is wrong with a cut.
func (s *Store) checkCut(ctx context.Context, c *Cut, addFault sqldb.AddFault) error {
	var sums bookkeeping.Measures
	position := 0
	err := s.Events(ctx, c, func(e *bookkeeping.Event) error {
		if position++; e.Position != position {
			addFault(words.NewMessage("check_fault.event_position", "account", c.Account, "event", e.ID, "set", c.Set, "position", e.Position, "want", position))
			position = e.Position
		}
		if want := bookkeeping.EventID(e.Account, e.Subject, e.Type, e.Ordinal); e.ID != want {
			addFault(words.NewMessage("check_fault.event_id", "account", c.Account, "event", e.ID, "set", c.Set, "want", want))
		}
		sums.Add(e.Sums)
		return nil
	})
	if err != nil {
		return err
	}
	if int64(position) != c.Events || sums != c.Sums {
		addFault(words.NewMessage("check_fault.cut_differs", "account", c.Account, "source", c.Source, "set", c.Set, "n", position, "want", c.Events))
	}
	if c.TakenBack {
		return nil // its run is lost; the next cut is of rows again
	}
	sent, err := s.SentSums(ctx, c.Account, c.Source, c.Set)
	if err != nil {
		return err
	}
	states, err := s.sums.MovementSums(ctx, c.Account, c.Source, c.ToRun)
	if err == nil && sent != states {
		addFault(words.NewMessage("check_fault.movement_differs", "account", c.Account, "source", c.Source, "set", c.Set, "sent", fmt.Sprintf("%+v", sent), "run", c.ToRun, "rows", fmt.Sprintf("%+v", states)))
	}
	return err
}
