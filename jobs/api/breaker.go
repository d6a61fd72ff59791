package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/sony/gobreaker/v2"
)

// breaker stands before one base address and keeps requests from a service that is down. It opens when one request
// after another came to nothing: no answer, or a status of 500 and above. Any other answer, a bad one included, shows
// that the service is there and begins the count again. While it is open calls fail at once; after a while one request
// is let through, and its outcome decides whether all are again.
type breaker struct {
	gate *gobreaker.CircuitBreaker[struct{}]
	host string
	rest time.Duration

	mu   sync.Mutex
	last error // the latest failure, to be told while nothing is asked
}

func newBreaker(host string, after int, rest time.Duration) *breaker {
	b := &breaker{host: host, rest: rest}
	b.gate = gobreaker.NewCircuitBreaker[struct{}](gobreaker.Settings{
		MaxRequests:  1,
		Timeout:      rest,
		ReadyToTrip:  func(n gobreaker.Counts) bool { return n.ConsecutiveFailures >= uint32(after) }, //nolint:gosec // checked with the options
		IsSuccessful: func(err error) bool { return !b.failed(err) },
		// Who gives up waiting says nothing of the service.
		IsExcluded: func(err error) bool { return errors.As(err, new(*gaveUp)) },
	})
	return b
}

// pass makes the request unless the breaker is open.
func (b *breaker) pass(ctx context.Context, request func() error) error {
	_, err := b.gate.Execute(func() (struct{}, error) {
		err := request()
		if err != nil && (ctx.Err() != nil || errors.Is(err, errNoTurn)) {
			err = &gaveUp{err}
		}
		return struct{}{}, err
	})
	if own := (*gaveUp)(nil); errors.As(err, &own) {
		return own.error
	}
	if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
		b.mu.Lock()
		defer b.mu.Unlock()
		return &Error{Permanent: true, Err: &openError{host: b.host, rest: b.rest, last: b.last}}
	}
	return err
}

// failed says whether an outcome speaks for a service that is down, and notes it.
func (b *breaker) failed(err error) bool {
	if err == nil {
		return false
	}
	var e *Error
	if errors.As(err, &e) && (e.Status != 0 && e.Status < http.StatusInternalServerError || e.Status == 0 && e.Permanent) {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last = err
	return true
}

// gaveUp is the error of a request that ended for our own reasons.
type gaveUp struct{ error }

// openError is why a request was not made.
type openError struct {
	host string
	rest time.Duration
	last error
}

func (o *openError) Error() string {
	return fmt.Sprintf("not asked: %s failed one request after another and is left alone for %s; the last time: %v", o.host, o.rest, o.last)
}

// unreachable says whether the service was left alone because nobody answered; an answer of 500 is one.
func (o *openError) unreachable() bool {
	return IsUnreachable(o.last) || !errors.As(o.last, new(*Error))
}
