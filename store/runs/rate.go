package runs

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"concilia/store/sqldb"
)

// maxReservation is the longest stretch of requests that one process takes at a time: less than that is asked for by no
// crowd of callers, and more would leave other processes without turns.
const maxReservation = 100 * time.Millisecond

// RateLimiter is the pace of the requests under one credential, shared by every process that uses the ledger. It hands out turns
// evenly, none at once with another and none saved up. It is safe for use by many goroutines.
//
// A process takes as many turns at a time as callers wait for one, up to those of a slice of 100 ms: one statement gives
// out the next free stretch of time, by the server's clock, so that no two processes have the same and their own clocks
// need not agree. What a process that dies had taken is lost, which is a slice at most.
type RateLimiter struct {
	db         *sqldb.DB
	credential string
	interval   time.Duration
	waiting    atomic.Int64
	turn       chan struct{} // holds one value while no call takes a turn; guards next and left
	next       time.Time     // of the turns taken, with the process's own clock
	left       int64
}

// RateLimiter returns the shared rate limiter of a credential, with one request per interval. credential identifies it and is
// stored: it must not be a secret. On SQLite, where one process pulls at a time, it returns nil and the process limits
// its own rate.
func (l *UnitStore) RateLimiter(credential string, every time.Duration) (*RateLimiter, error) {
	if credential == "" || every < time.Microsecond {
		return nil, errors.New("pace of requests: a credential and at least a microsecond between two are needed")
	}
	if l.db.Dialect.Name() != "postgres" {
		return nil, nil
	}
	r := &RateLimiter{db: l.db, credential: credential, interval: every, turn: make(chan struct{}, 1)}
	r.turn <- struct{}{}
	return r, nil
}

// Wait waits for a turn. Its error is ctx's, or an *UnavailableError.
func (r *RateLimiter) Wait(ctx context.Context) error {
	r.waiting.Add(1)
	at, err := r.reserveTurn(ctx)
	r.waiting.Add(-1)
	if err != nil {
		return r.db.WrapError("wait for a turn to ask the service", err)
	}
	wait := time.NewTimer(time.Until(at))
	defer wait.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-wait.C:
		return nil
	}
}

// reserveTurn gives the instant of the caller's turn.
func (r *RateLimiter) reserveTurn(ctx context.Context) (time.Time, error) {
	select {
	case <-ctx.Done():
		return time.Time{}, ctx.Err()
	case <-r.turn:
	}
	defer func() { r.turn <- struct{}{} }()
	// Turns whose time went by unused, because their callers gave up, are not made up for.
	if r.left == 0 || time.Since(r.next) > maxReservation {
		n := max(1, min(r.waiting.Load(), int64(maxReservation/r.interval)))
		in, err := r.reserveTurns(ctx, n)
		if err != nil {
			return time.Time{}, err
		}
		r.next, r.left = time.Now().Add(in), n //nolint:forbidigo // a pace is measured by time.Since and time.Until
	}
	at := r.next
	r.next, r.left = at.Add(r.interval), r.left-1
	return at, nil
}

// reserveTurns reserves the next n turns for this process and says in how long the first is.
func (r *RateLimiter) reserveTurns(ctx context.Context, n int64) (time.Duration, error) {
	stretch := n * r.interval.Microseconds()
	var in int64
	mends := func(err error) bool {
		// Turns that were given out by a commit whose answer was lost are lost with it: no harm in asking again.
		class := r.db.Dialect.ClassifyError(err)
		return class == sqldb.RetryableError || class == sqldb.ConnectionLost
	}
	err := sqldb.RetryWhile(ctx, mends, func() error {
		return r.db.Write.QueryRowContext(ctx, `
			INSERT INTO request_rate AS r (
				credential,
				until)
			VALUES ($1, CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT) + $2)
			ON CONFLICT (credential) DO UPDATE
			SET until = GREATEST(r.until, CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)) + $2
			RETURNING until - $2 - CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)`,
			r.credential, stretch).Scan(&in)
	})
	return time.Duration(in) * time.Microsecond, err
}
