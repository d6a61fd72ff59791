package books

import (
	"context"

	"concilia/store/ledger"
)

// CheckMovement finds what is wrong with the movement of an account: the sets and the numbers of their files have no hole, every cut
// has the events that it counted, each with the id of its subject, type and ordinal, and all events together are what the rows stood at
// as of each cut. So does the journal, as far as there is one: each entry is balanced, and with what was posted the books have what the rows say.
func (s *Store) CheckMovement(ctx context.Context, a ledger.Account, addFault func(format string, args ...any)) error {
	cuts, err := s.Cuts(ctx, a)
	if err != nil {
		return err
	}
	set, numbers := 0, map[string]int{}
	for i := range cuts {
		c := &cuts[i]
		if c.Set != set && c.Set != set+1 {
			addFault("movement of account %s: set %d follows set %d", a, c.Set, set)
		}
		set = c.Set
		if last := numbers[c.Agreement]; c.NSA != 0 {
			if last != 0 && c.NSA != last+1 {
				addFault("movement of account %s: set %d has NSA %d after %d", a, set, c.NSA, last)
			}
			numbers[c.Agreement] = c.LastNSA
		}
		if err := s.checkCut(ctx, c, addFault); err != nil {
			return err
		}
	}
	for _, m := range ledger.Methods() {
		if upTo := bookedUpTo(cuts, m); upTo > 0 {
			if err := s.checkJournal(ctx, a, m, upTo, addFault); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkJournal finds what is wrong with the journal of an account by a method up to a set.
func (s *Store) checkJournal(ctx context.Context, a ledger.Account, m ledger.Method, upTo int, addFault func(format string, args ...any)) error {
	sums := map[balanceKey]ledger.Amount{}
	all := (&JournalQuery{Account: a, Method: m, UpTo: upTo}).newConditions()
	err := eachEntry(ctx, s.db.Read, func(e *ledger.Entry) error { // from whatever is checked, which may be a snapshot
		if rest := e.Balance(); rest != 0 {
			addFault("journal of account %s by %s: the debits and credits of entry %s differ by %s", a, m, e.ID(), rest.Fixed(2))
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
			addFault("journal of account %s by %s: the entries of %s add up to %s, their sums to %s", a, m, b.Role, entries.Fixed(2), (b.Debits - b.Credits).Fixed(2))
		}
		if rest := b.Residual(); rest != 0 {
			addFault("journal of account %s by %s: %s %s has %s more than the rows say", a, m, b.Role, b.Brand, rest.Fixed(2))
		}
	}
	return err
}

// checkCut finds what is wrong with a cut.
func (s *Store) checkCut(ctx context.Context, c *Cut, addFault func(format string, args ...any)) error {
	var sums ledger.Measures
	position := 0
	err := s.Events(ctx, c, func(e *ledger.Event) error {
		if position++; e.Position != position {
			addFault("movement of account %s: event %s of set %d has position %d, should have %d", c.Account, e.ID, c.Set, e.Position, position)
			position = e.Position
		}
		if want := ledger.EventID(e.Account, e.Subject, e.Type, e.Ordinal); e.ID != want {
			addFault("movement of account %s: event %s of set %d should be %s", c.Account, e.ID, c.Set, want)
		}
		sums.Add(e.Sums)
		return nil
	})
	if err != nil {
		return err
	}
	if int64(position) != c.Events || sums != c.Sums {
		addFault("movement of account %s: %s of set %d have %d events, should have %d, or other sums", c.Account, c.Source, c.Set, position, c.Events)
	}
	if c.TakenBack {
		return nil // its run is lost; the next cut is of rows again
	}
	sent, err := s.SentSums(ctx, c.Account, c.Source, c.Set)
	if err != nil {
		return err
	}
	states, err := s.reports.MovementSums(ctx, c.Account, c.Source, c.ToRun)
	if err == nil && sent != states {
		addFault("movement of account %s: the %s told up to set %d add up to %+v, the rows as of run %s to %+v", c.Account, c.Source, c.Set, sent, c.ToRun, states)
	}
	return err
}
