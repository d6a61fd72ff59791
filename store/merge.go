package store

import (
	"context"
	"errors"
	"fmt"

	"concilia/store/ledger"
)

// merging is what the merges of cards and of slips have in common: one pull, its answer, one transaction.
type merging struct {
	*tx
	pull   *ledger.Pull
	counts ledger.Counts
	last   sightings // before this pull
}

// merge runs fn between the checks and the pull's own row, all in one transaction. The pull's counts are filled when
// everything is kept.
func (l *Ledger) merge(ctx context.Context, p *ledger.Pull, bad []ledger.Quarantined, fn func(*merging) error) error {
	if err := checkPull(p, bad); err != nil {
		return err
	}
	a, source := p.Window.Account, p.Window.Source
	var counts ledger.Counts
	err := l.write(ctx, fmt.Sprintf("merge %s of account %s, %s", source, a, p.Window.Period), func(t *tx) error {
		// Windows of one account may be merged at the same time, but a row outside its window may belong to another's.
		if err := t.l.db.Dialect.Lock(ctx, t.Tx, "merge/"+a.String()+"/"+source.Side()); err != nil {
			return err
		}
		if err := t.holds(ctx, p.Run, a); err != nil {
			return err
		}
		m := &merging{tx: t, pull: p, counts: ledger.Counts{Requests: p.Counts.Requests}}
		var err error
		if m.last, err = loadSightings(ctx, t, a, source, p.Window.Period); err != nil {
			return err
		}
		if err := m.quarantine(ctx, bad); err != nil {
			return err
		}
		if err := fn(m); err != nil {
			return err
		}
		kept := *p
		kept.Counts = m.counts
		counts = m.counts
		if err := t.keepPull(ctx, &kept); err != nil {
			return err
		}
		return t.alive(ctx, p.Run, a)
	})
	if err == nil {
		p.Counts = counts
	}
	return err
}

func checkPull(p *ledger.Pull, bad []ledger.Quarantined) error {
	var errs []error
	if p.ID == "" || p.Run == "" {
		errs = append(errs, errors.New("a pull needs its own id and its run's"))
	}
	if p.Window.Source != ledger.SlipDetail {
		errs = append(errs, p.Window.Period.Valid())
	}
	for i := range bad {
		if q := &bad[i]; q.Account != p.Window.Account || q.Source != p.Window.Source {
			errs = append(errs, fmt.Errorf("quarantined row %d is of %s of account %s", i, q.Source, q.Account))
			break
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("merge pull %q: %w", p.ID, err)
	}
	return nil
}

// lastPull is the pull that showed a version last, before this one.
func (m *merging) lastPull(day ledger.Date, firstPull string) string {
	if s, ok := m.last[day]; ok {
		return s.pull
	}
	return firstPull
}

// covers says whether the pull proves what there is on the day.
func (m *merging) covers(day ledger.Date) bool {
	return m.pull.Complete && m.pull.Window.Period.Contains(day)
}
