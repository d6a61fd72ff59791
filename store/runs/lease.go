package runs

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// ErrNoLease means that the run that wants to write holds no lease on the account.
var ErrNoLease = errors.New("the run does not hold the account")

// LockedError says that another run holds the account.
type LockedError struct {
	Account ledger.Account
	Holder  string // the id of that run
	Since   time.Time
}

func (e *LockedError) Error() string {
	return fmt.Sprintf("account %s is held by run %s since %s: wait for it, or end it",
		e.Account, e.Holder, e.Since.UTC().Format(time.RFC3339))
}

// Lease is a run's lease on accounts. It renews itself until Release, or until the context of Hold ends.
type Lease struct {
	store    *LeaseStore
	run      string
	accounts []ledger.Account
	duration time.Duration
	lost     chan struct{}
	stop     context.CancelFunc
	done     sync.WaitGroup
}

// LeaseAccounts leases the accounts to the run, all or none, for live at a time: the lease of a process that stopped
// ends after that, and one whose process is known to have ended ends at once. The lease of another run, or of another
// process for the same run, is a *LockedError.
//
// Leases use the clock that all processes share, independent of the day that the run takes for today: they are about processes, not
// about business days.
func (l *LeaseStore) LeaseAccounts(ctx context.Context, run string, accounts []ledger.Account, live time.Duration) (*Lease, error) {
	if run == "" || live <= 0 {
		return nil, errors.New("hold accounts: a run and a time to live are needed")
	}
	accounts = slices.Compact(slices.Sorted(slices.Values(accounts)))
	// A holder in the middle of a long transaction keeps writers of SQLite waiting; readers can see who holds the lease at once.
	if err := l.checkOtherLeases(ctx, run, accounts, false); err != nil {
		return nil, err
	}
	err := l.db.Transact(ctx, "hold accounts", func(t *sqldb.Tx) error {
		for _, a := range accounts {
			if err := l.leaseAccount(ctx, t, run, a, live); err != nil {
				return err
			}
		}
		return nil
	})
	var unavailable *sqldb.UnavailableError
	if errors.As(err, &unavailable) {
		// A lease that could not be renewed because its holder is writing is no lease that ran out.
		err = cmp.Or(l.checkOtherLeases(ctx, run, accounts, true), err)
	}
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	lease := &Lease{store: l, run: run, accounts: accounts, duration: live, lost: make(chan struct{}), stop: stop}
	lease.done.Go(func() { lease.renewUntilDone(ctx) })
	return lease, nil
}

// checkOtherLeases is a *LockedError when another run holds one of the accounts. busy takes a lease of a process that is not
// known to have ended for a valid one even when its time is over.
func (l *LeaseStore) checkOtherLeases(ctx context.Context, run string, accounts []ledger.Account, busy bool) error {
	now, err := l.db.SharedNow(ctx, l.db.Read)
	if err != nil {
		return l.db.WrapError("read who holds the accounts", err)
	}
	for _, a := range accounts {
		h, err := readLease(ctx, l.db.Read, a)
		if err != nil {
			return l.db.WrapError("read who holds the accounts", err)
		}
		released := h.until.IsZero() || h.until.Unix() == 0
		stands := now.Before(h.until) || busy && !released
		if h.run != "" && !l.ownsLease(&h, run) && stands && !h.holder.hasEnded(l.self) {
			return &LockedError{Account: a, Holder: h.run, Since: h.since}
		}
	}
	return nil
}

func (l *LeaseStore) leaseAccount(ctx context.Context, t *sqldb.Tx, run string, a ledger.Account, live time.Duration) error {
	if err := t.DB.Dialect.Lock(ctx, t.Tx, "lease/"+a.String()); err != nil {
		return err
	}
	now, err := t.DB.SharedNow(ctx, t)
	if err != nil {
		return err
	}
	held, err := readLease(ctx, t, a)
	if err != nil {
		return err
	}
	if held.run != "" && !l.ownsLease(&held, run) && now.Before(held.until) && !held.holder.hasEnded(l.self) {
		return &LockedError{Account: a, Holder: held.run, Since: held.since}
	}
	_, err = t.ExecContext(ctx, `
		INSERT INTO lease (
			account,
			run,
			since,
			until,
			host,
			process,
			space,
			token)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (account) DO UPDATE
		SET
			run = excluded.run,
			since = excluded.since,
			until = excluded.until,
			host = excluded.host,
			process = excluded.process,
			space = excluded.space,
			token = excluded.token`,
		int64(a), run, sqldb.TimeArg(now), sqldb.TimeArg(now.Add(live)), l.self.host, int64(l.self.id), l.self.space, l.self.token)
	return err
}

// leaseRow is the row of a lease; without one it is zero.
type leaseRow struct {
	run          string
	since, until time.Time
	holder       process
}

// ownsLease reports whether this process holds the lease for the run. A run that was killed may be taken up again, but by one
// process at a time.
func (l *LeaseStore) ownsLease(h *leaseRow, run string) bool {
	return h.run == run && h.holder.token == l.self.token
}

func readLease(ctx context.Context, q sqldb.Querier, a ledger.Account) (leaseRow, error) {
	var h leaseRow
	err := q.QueryRowContext(ctx, `
		SELECT
			run,
			since,
			until,
			host,
			process,
			space,
			token
		FROM lease
		WHERE account = $1`, int64(a)).Scan(&h.run, sqldb.IntoTime(&h.since), sqldb.IntoTime(&h.until),
		&h.holder.host, &h.holder.id, &h.holder.space, &h.holder.token)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return h, err
}

// CheckLease is nil if the run holds its lease of the account in this transaction. A lease past its time that no other run took
// is still the run's: it is the next holder, not the clock, that makes a late write wrong.
func CheckLease(ctx context.Context, t *sqldb.Tx, run string, a ledger.Account) error {
	h, err := readLease(ctx, t, a)
	switch {
	case err != nil:
		return err
	case h.run == run:
		return nil
	case h.run == "":
		return fmt.Errorf("account %s, run %s: %w", a, run, ErrNoLease)
	}
	return &LockedError{Account: a, Holder: h.run, Since: h.since}
}

// leaseGrace is how long a lease lives at least after a transaction of its run.
const leaseGrace = 15 * time.Second

// ExtendRunLease extends the lease within a transaction that may have kept its renewal waiting. That is for the process that leads
// the run alone: what another worker of the run merges keeps no lease of a dead leader alive.
func (l *LeaseStore) ExtendRunLease(ctx context.Context, t *sqldb.Tx, run string, a ledger.Account) {
	now, args := t.DB.SharedNowSQL(int64(a), run, leaseGrace.Microseconds(), l.self.token)
	t.ExecLater(ctx, `
		UPDATE lease
		SET until = `+now+` + $3
		WHERE account = $1 AND run = $2 AND until > 0 AND until < `+now+` + $3 AND token = $4`, args...)
}

// HasLeader reports whether the run holds the account and its leading process is alive: it has not released the lease and
// renewed it recently. Workers in other processes do units only of such a run.
func (l *LeaseStore) HasLeader(ctx context.Context, run string, a ledger.Account) (bool, error) {
	doing := "read who holds account " + a.String()
	h, err := readLease(ctx, l.db.Read, a)
	if err != nil {
		return false, l.db.WrapError(doing, err)
	}
	now, err := l.db.SharedNow(ctx, l.db.Read)
	if err != nil {
		return false, l.db.WrapError(doing, err)
	}
	// A leader that was late once, because the database was away, need not be dead.
	return h.run == run && !h.until.IsZero() && h.until.Unix() != 0 && now.Before(h.until.Add(leaseGrace)), nil
}

// LeasedRuns returns the runs with current leases, in order.
func (l *LeaseStore) LeasedRuns(ctx context.Context) ([]string, error) {
	const doing = "read which runs are led"
	now, err := l.db.SharedNow(ctx, l.db.Read)
	if err != nil {
		return nil, l.db.WrapError(doing, err)
	}
	var out []string
	err = sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var run string
		err := rows.Scan(&run)
		out = append(out, run)
		return err
	}, `
		SELECT DISTINCT run
		FROM lease
		WHERE until > $1
		ORDER BY run`, sqldb.TimeArg(now))
	return out, l.db.WrapError(doing, err)
}

func (s *Lease) renewUntilDone(ctx context.Context) {
	tick := time.NewTicker(s.duration / 3)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		err := s.extendAll(ctx)
		var locked *LockedError
		if errors.As(err, &locked) || errors.Is(err, ErrNoLease) {
			close(s.lost)
			return
		}
		// Any other error may pass before the lease runs out; a merge finds out for itself.
	}
}

func (s *Lease) extendAll(ctx context.Context) error {
	return s.store.db.Transact(ctx, "renew the lease of run "+s.run, func(t *sqldb.Tx) error {
		now, err := t.DB.SharedNow(ctx, t)
		if err != nil {
			return err
		}
		for _, a := range s.accounts {
			if err := CheckLease(ctx, t, s.run, a); err != nil {
				return err
			}
			_, err := t.ExecContext(ctx, `
				UPDATE lease
				SET until = $3
				WHERE account = $1 AND run = $2`, int64(a), s.run, sqldb.TimeArg(now.Add(s.duration)))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Lost is closed when another run took an account over.
func (s *Lease) Lost() <-chan struct{} { return s.lost }

// Release ends the lease on accounts that no other run has taken over. Releasing twice does nothing.
func (s *Lease) Release(ctx context.Context) error {
	s.stop()
	s.done.Wait()
	return s.store.db.Transact(ctx, "release the lease of run "+s.run, func(t *sqldb.Tx) error {
		for _, a := range s.accounts {
			// The row stays, with its time run out: a merge of this run may still end while no other run has taken the lease,
			// and one that was overtaken finds the other's name.
			_, err := t.ExecContext(ctx, `
				UPDATE lease
				SET until = 0
				WHERE account = $1 AND run = $2`, int64(a), s.run)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// CheckNotLeased returns a *LockedError if a run holds one of the accounts, whichever process leads it, else nil.
func (l *LeaseStore) CheckNotLeased(ctx context.Context, accounts []ledger.Account) error {
	return l.checkOtherLeases(ctx, "", accounts, false)
}

// AccountLease is a current lease of an account.
type AccountLease struct {
	Account ledger.Account
	Run     string
	Since   time.Time
	Until   time.Time // unless it is renewed before
	Host    string
	Process int // on Host
}

// AccountLeases returns the current leases by account, without those that were released or have expired, or whose process is
// known to have ended.
func (l *LeaseStore) AccountLeases(ctx context.Context) ([]AccountLease, error) {
	const doing = "read who holds the accounts"
	now, err := l.db.SharedNow(ctx, l.db.Read)
	if err != nil {
		return nil, l.db.WrapError(doing, err)
	}
	var out []AccountLease
	err = sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var a ledger.Account
		var h leaseRow
		p := &h.holder
		err := rows.Scan(&a, &h.run, sqldb.IntoTime(&h.since), sqldb.IntoTime(&h.until), &p.host, &p.id, &p.space, &p.token)
		if now.Before(h.until) && !p.hasEnded(l.self) {
			out = append(out, AccountLease{Account: a, Run: h.run, Since: h.since, Until: h.until, Host: p.host, Process: p.id})
		}
		return err
	}, `
		SELECT
			account,
			run,
			since,
			until,
			host,
			process,
			space,
			token
		FROM lease
		ORDER BY account`)
	return out, l.db.WrapError(doing, err)
}
