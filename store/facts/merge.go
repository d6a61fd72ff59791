package facts

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"concilia/store/ledger"
	"concilia/store/runs"
	"concilia/store/sqldb"
)

// MissingError says that an answer lacks rows that an earlier complete answer showed, and that nothing of it was kept: the
// window is to be asked for once more (ledger.Pull.Recheck).
type MissingError struct{ Rows ledger.MissingRows }

func (e *MissingError) Error() string {
	return fmt.Sprintf("the answer lacks %d of the rows that an earlier one showed", len(e.Rows))
}

// pullMerge is what the merges of cards and of slips have in common: one pull, its answer, one transaction.
type pullMerge struct {
	*sqldb.Tx
	pull     *ledger.Pull
	counts   ledger.Counts
	lastSeen LastSeen // before this pull

	missing ledger.MissingRows // that would vanish
}

// mergePull runs fn between the checks and the pull's own row, all in one transaction. The pull's counts are filled when
// everything is kept. days are those that fn touches in addition to the window's, nil when they are not known beforehand. A pull
// that was kept before, by a commit whose answer was lost on its way, is not merged again: what other windows brought
// since would be undone by it; nor is one all of whose units are done, of which the question alone is kept.
func (l *PullStore) mergePull(ctx context.Context, p *ledger.Pull, days []ledger.Date, bad []ledger.Quarantined,
	fn func(*pullMerge) error,
) error {
	if err := checkPull(p, bad); err != nil {
		return err
	}
	a, source := p.Window.Account, p.Window.Source
	var counts ledger.Counts
	err := l.db.TransactRepeatable(ctx, fmt.Sprintf("merge %s of account %s, %s", source, a, p.Window.Period), func(t *sqldb.Tx) error {
		if err := lockMerge(ctx, t, p, days); err != nil {
			return err
		}
		if err := runs.CheckLease(ctx, t, p.Run, a); err != nil {
			return err
		}
		was, err := storedPull(ctx, t, p)
		if err != nil || was != nil {
			if was != nil {
				counts = was.Counts
			}
			return err
		}
		if done, err := unitsDone(ctx, t, p); err != nil || done {
			if done {
				kept := *p
				counts = ledger.Counts{Requests: p.Counts.Requests}
				kept.Complete, kept.Failure, kept.Counts = false, doneMeanwhile, counts
				err = insertPull(ctx, t, &kept)
			}
			return err
		}
		m := &pullMerge{Tx: t, pull: p, counts: ledger.Counts{Requests: p.Counts.Requests}}
		if m.lastSeen, err = LoadLastSeen(ctx, t, a, source, p.Window.Period); err != nil {
			return err
		}
		if err := m.mergeQuarantine(ctx, bad); err != nil {
			return err
		}
		if err := fn(m); err != nil {
			return err
		}
		if err := storeBody(ctx, m.Tx, p); err != nil {
			return err
		}
		kept := *p
		kept.Counts = m.counts
		counts = m.counts
		if err := insertPull(ctx, t, &kept); err != nil {
			return err
		}
		finishPullUnits(ctx, t, p)
		l.leases.ExtendRunLease(ctx, t, p.Run, a)
		return nil
	})
	if err == nil {
		p.Counts = counts
	}
	return err
}

// MaxWindowDays is the maximum number of days of a window.
const MaxWindowDays = 31

// maxLockedDays is how many days a merge locks one by one.
const maxLockedDays = 62

// lockMerge lets windows of one account be merged at the same time, unless both may touch the same rows: those of a
// day, or, when it is not known which days they are, of all the account's.
func lockMerge(ctx context.Context, t *sqldb.Tx, p *ledger.Pull, days []ledger.Date) error {
	name := "merge/" + p.Window.Account.String() + "/" + p.Window.Source.Side()
	window := p.Window.Period
	if days == nil || int(window.To-window.From)+len(days) > maxLockedDays {
		return t.DB.Dialect.Lock(ctx, t.Tx, name)
	}
	if err := t.DB.Dialect.LockShared(ctx, t.Tx, name); err != nil {
		return err
	}
	days = slices.Clone(days)
	for d := window.From; d <= window.To; d++ {
		days = append(days, d)
	}
	// All lock in the same order, so that no two wait for each other.
	slices.Sort(days)
	for _, d := range slices.Compact(days) {
		if err := t.DB.Dialect.Lock(ctx, t.Tx, name+"/"+d.String()); err != nil {
			return err
		}
	}
	return nil
}

// storedPull is the pull as the ledger has it, nil when it has none under this id. Another pull of the same id is left to
// the key to refuse.
func storedPull(ctx context.Context, t *sqldb.Tx, p *ledger.Pull) (*ledger.Pull, error) {
	var kept *ledger.Pull
	err := sqldb.EachRow(ctx, t, func(rows *sql.Rows) error {
		was, err := ScanPull(rows)
		if err == nil && was.Run == p.Run && was.SHA256 == p.SHA256 && (was.Complete == p.Complete || was.Failure == doneMeanwhile) &&
			was.Window.Source == p.Window.Source && was.Window.Period == p.Window.Period &&
			was.Began.Equal(p.Began.Truncate(time.Microsecond)) && was.Ended.Equal(p.Ended.Truncate(time.Microsecond)) {
			kept = &was
		}
		return err
	}, SelectPull+`
		WHERE account = $1 AND id = $2`, int64(p.Window.Account), p.ID)
	return kept, err
}

func checkPull(p *ledger.Pull, bad []ledger.Quarantined) error {
	var errs []error
	if p.ID == "" || p.Run == "" {
		errs = append(errs, errors.New("a pull needs its own id and its run's"))
	}
	if p.Window.Source != ledger.SlipDetail {
		errs = append(errs, p.Window.Period.Valid())
	}
	if n := p.Window.Period.Days(); n > MaxWindowDays {
		errs = append(errs, fmt.Errorf("a window of %d days: ask for at most %d at once", n, MaxWindowDays))
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

// lastPullOf is the pull that showed a version last, before this one.
func (m *pullMerge) lastPullOf(day ledger.Date, firstPull string) string {
	if s, ok := m.lastSeen[day]; ok {
		return s.ID
	}
	return firstPull
}

// provesDay reports whether the pull proves what there is on the day.
func (m *pullMerge) provesDay(day ledger.Date) bool {
	return m.pull.Complete && m.pull.Window.Period.Contains(day)
}

// mayVanish reports whether a row of the window that the answer lacks vanishes by it: where the window was asked for a second
// time, only if the first answer lacked it too.
func (m *pullMerge) mayVanish(name func() string) bool {
	switch {
	case m.pull.Recheck:
		if m.missing == nil {
			m.missing = ledger.MissingRows{}
		}
		m.missing[name()] = true
		return false
	case m.pull.Missing != nil:
		return m.pull.Missing[name()]
	}
	return true
}

// recheckError is the error of a merge that would let rows vanish before the window was asked for once more.
func (m *pullMerge) recheckError() error {
	if len(m.missing) == 0 {
		return nil
	}
	return &MissingError{Rows: m.missing}
}
