package runs

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"syscall"
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
	store    *Store
	run      string
	accounts []ledger.Account
	duration time.Duration
	lost     chan struct{}
	stop     context.CancelFunc
	done     sync.WaitGroup
}

// LeaseAccounts leases the accounts to the run, all or none, for live at a time: the lease of a process that stopped
// ends after that, and one on this host whose process has ended ends at once. The lease of another run, or of another
// process for the same run, is a *LockedError.
//
// Leases use the wall clock, independent of the day that the run takes for today: they are about processes, not about business days.
func (l *Store) LeaseAccounts(ctx context.Context, run string, accounts []ledger.Account, live time.Duration) (*Lease, error) {
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
			if err := leaseAccount(ctx, t, run, a, live); err != nil {
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

// checkOtherLeases is a *LockedError when another run holds one of the accounts. busy takes a lease of a process that runs
// here for a valid one even when its time is over.
func (l *Store) checkOtherLeases(ctx context.Context, run string, accounts []ledger.Account, busy bool) error {
	for _, a := range accounts {
		h, err := readLease(ctx, l.db.Read, a)
		if err != nil {
			return l.db.WrapError("read who holds the accounts", err)
		}
		released := h.until.IsZero() || h.until.Unix() == 0
		stands := l.db.Now().Before(h.until) || busy && !released
		if h.run != "" && !h.belongsTo(run) && stands && !h.hasProcessEnded() {
			return &LockedError{Account: a, Holder: h.run, Since: h.since}
		}
	}
	return nil
}

func leaseAccount(ctx context.Context, t *sqldb.Tx, run string, a ledger.Account, live time.Duration) error {
	if err := t.DB.Dialect.Lock(ctx, t.Tx, "lease/"+a.String()); err != nil {
		return err
	}
	now := t.DB.Now()
	held, err := readLease(ctx, t, a)
	if err != nil {
		return err
	}
	if held.run != "" && !held.belongsTo(run) && now.Before(held.until) && !held.hasProcessEnded() {
		return &LockedError{Account: a, Holder: held.run, Since: held.since}
	}
	host, _ := os.Hostname() // without a name the lease only ends by its time
	_, err = t.ExecContext(ctx, `
		INSERT INTO lease (
			account,
			run,
			since,
			until,
			host,
			process)
		VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (account) DO UPDATE
		SET
			run = excluded.run,
			since = excluded.since,
			until = excluded.until,
			host = excluded.host,
			process = excluded.process`,
		int64(a), run, sqldb.TimeArg(now), sqldb.TimeArg(now.Add(live)), host, int64(os.Getpid()))
	return err
}

// leaseRow is the row of a lease; without one it is zero.
type leaseRow struct {
	run          string
	since, until time.Time
	host         string
	process      int
}

// belongsTo reports whether this process holds it for the run. A run that was killed may be taken up again, but by one process
// at a time.
func (h *leaseRow) belongsTo(run string) bool {
	host, err := os.Hostname()
	return h.run == run && err == nil && h.host == host && h.process == os.Getpid()
}

// hasProcessEnded reports whether the holder was a process of this host that has ended.
func (h *leaseRow) hasProcessEnded() bool {
	host, err := os.Hostname()
	return err == nil && h.host == host && !isProcessAlive(h.process)
}

func readLease(ctx context.Context, q sqldb.Querier, a ledger.Account) (leaseRow, error) {
	var h leaseRow
	err := q.QueryRowContext(ctx, `
		SELECT
			run,
			since,
			until,
			host,
			process
		FROM lease
		WHERE account = $1`, int64(a)).Scan(&h.run, sqldb.IntoTime(&h.since), sqldb.IntoTime(&h.until), &h.host, &h.process)
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
func ExtendRunLease(ctx context.Context, t *sqldb.Tx, run string, a ledger.Account) error {
	host, _ := os.Hostname() // as in take
	_, err := t.ExecContext(ctx, `
		UPDATE lease
		SET until = $3
		WHERE account = $1 AND run = $2 AND until > 0 AND until < $3 AND host = $4 AND process = $5`,
		int64(a), run, sqldb.TimeArg(t.DB.Now().Add(leaseGrace)), host, int64(os.Getpid()))
	return err
}

// HasLeader reports whether the run holds the account and its leading process is alive: it has not released the lease and
// renewed it recently. Workers in other processes do units only of such a run.
func (l *Store) HasLeader(ctx context.Context, run string, a ledger.Account) (bool, error) {
	h, err := readLease(ctx, l.db.Read, a)
	if err != nil {
		return false, l.db.WrapError("read who holds account "+a.String(), err)
	}
	// A leader that was late once, because the database was away, need not be dead.
	return h.run == run && !h.until.IsZero() && h.until.Unix() != 0 && l.db.Now().Before(h.until.Add(leaseGrace)), nil
}

// LeasedRuns returns the runs with current leases, in order.
func (l *Store) LeasedRuns(ctx context.Context) ([]string, error) {
	var out []string
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var run string
		err := rows.Scan(&run)
		out = append(out, run)
		return err
	}, `
		SELECT DISTINCT run
		FROM lease
		WHERE until > $1
		ORDER BY run`, sqldb.TimeArg(l.db.Now()))
	return out, l.db.WrapError("read which runs are led", err)
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
		err := s.extendAll(ctx, s.store.db.Now().Add(s.duration))
		var locked *LockedError
		if errors.As(err, &locked) || errors.Is(err, ErrNoLease) {
			close(s.lost)
			return
		}
		// Any other error may pass before the lease runs out; a merge finds out for itself.
	}
}

func (s *Lease) extendAll(ctx context.Context, until time.Time) error {
	return s.store.db.Transact(ctx, "renew the lease of run "+s.run, func(t *sqldb.Tx) error {
		for _, a := range s.accounts {
			if err := CheckLease(ctx, t, s.run, a); err != nil {
				return err
			}
			_, err := t.ExecContext(ctx, `
				UPDATE lease
				SET until = $3
				WHERE account = $1 AND run = $2`, int64(a), s.run, sqldb.TimeArg(until))
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

// isProcessAlive reports whether a process of this host is running, true if that cannot be found out.
func isProcessAlive(process int) bool {
	p, err := os.FindProcess(process)
	if err != nil {
		return false
	}
	defer func() { _ = p.Release() }()
	// Signal 0 is not delivered: it only checks that the process exists.
	err = p.Signal(syscall.Signal(0))
	return !errors.Is(err, os.ErrProcessDone) && !errors.Is(err, syscall.ESRCH)
}

// CheckNotLeased returns a *LockedError if a run holds one of the accounts, whichever process leads it, else nil.
func (l *Store) CheckNotLeased(ctx context.Context, accounts []ledger.Account) error {
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

// AccountLeases returns the current leases by account, without those that were released or have expired, or whose process on
// this host has ended.
func (l *Store) AccountLeases(ctx context.Context) ([]AccountLease, error) {
	var out []AccountLease
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var a ledger.Account
		var h leaseRow
		err := rows.Scan(&a, &h.run, sqldb.IntoTime(&h.since), sqldb.IntoTime(&h.until), &h.host, &h.process)
		if l.db.Now().Before(h.until) && !h.hasProcessEnded() {
			out = append(out, AccountLease{Account: a, Run: h.run, Since: h.since, Until: h.until, Host: h.host, Process: h.process})
		}
		return err
	}, `
		SELECT
			account,
			run,
			since,
			until,
			host,
			process
		FROM lease
		ORDER BY account`)
	return out, l.db.WrapError("read who holds the accounts", err)
}
