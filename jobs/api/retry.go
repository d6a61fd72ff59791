package api

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/sony/gobreaker/v2"
)

// ErrOutcomeUnknown means that a call that changes something at the service failed, but the service may have carried it out: its
// answer was lost. Check before calling again.
var ErrOutcomeUnknown = errors.New("it may have been done all the same")

// effect says what a question does to the service, and so whether it may be asked again.
type effect uint8

const (
	readOnly      effect = iota // nothing: any failure that can pass is asked again
	idempotent                  // the same however often it is asked: asked again like a question that reads
	notIdempotent               // a repeat is refused or does more: asked again only when the try before cannot have been acted on
)

// stopIfFinal is the one place that says whether an error is worth another try.
func (c *Client) stopIfFinal(ctx context.Context, call apiCall, err error) error {
	if err == nil {
		return nil
	}
	var e *Error
	if ctx.Err() != nil || errors.As(err, &e) && (e.Permanent || e.isOfLogin()) {
		return backoff.Permanent(err)
	}
	if call.effect == notIdempotent && mayHaveActed(err) {
		return backoff.Permanent(withUnknownOutcome(err))
	}
	return err
}

// mayHaveActed says whether the service may have done what a failed request asked for. It has not when the request
// was never sent, or was answered with a refusal.
func mayHaveActed(err error) bool {
	var e *Error
	if errors.As(err, &e) {
		if e.isOfLogin() || errors.As(err, new(*openError)) || errors.Is(err, errLimiter) {
			return false
		}
		if e.Status != 0 {
			return e.Status < http.StatusBadRequest || e.Status >= http.StatusInternalServerError || e.Status == http.StatusRequestTimeout
		}
	}
	var dial *net.OpError
	return !errors.As(err, &dial) || dial.Op != "dial"
}

// withUnknownOutcome is the error of a call that may have had its effect.
func withUnknownOutcome(err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return &Error{Err: fmt.Errorf("%w; %w", err, ErrOutcomeUnknown)}
	}
	if errors.Is(e.Err, ErrOutcomeUnknown) {
		return e
	}
	told := *e
	if told.Err == nil {
		told.Err = ErrOutcomeUnknown
	} else {
		told.Err = fmt.Errorf("%w; %w", e.Err, ErrOutcomeUnknown)
	}
	return &told
}

// breaker stands before one base address and keeps requests from a service that is down. It opens when one request
// after another came to nothing: no answer, or a status of 500 and above. Any other answer, a bad one included, shows
// that the service is there and begins the count again. While it is open calls fail at once; after a while one request
// is let through, and its outcome decides whether all are again.
type breaker struct {
	circuit *gobreaker.CircuitBreaker[struct{}]
	host    string
	openFor time.Duration

	mu   sync.Mutex
	last error // the latest failure, to be told while nothing is asked
}

func newBreaker(host string, after int, rest time.Duration) *breaker {
	b := &breaker{host: host, openFor: rest}
	b.circuit = gobreaker.NewCircuitBreaker[struct{}](gobreaker.Settings{
		MaxRequests:  1,
		Timeout:      rest,
		ReadyToTrip:  func(n gobreaker.Counts) bool { return n.ConsecutiveFailures >= uint32(after) }, //nolint:gosec // checked with the options
		IsSuccessful: func(err error) bool { return !b.countsAsFailure(err) },
		// Who gives up waiting says nothing of the service.
		IsExcluded: func(err error) bool { return errors.As(err, new(*abandonedError)) },
	})
	return b
}

// guardRequest makes the request unless the breaker is open.
func (b *breaker) guardRequest(ctx context.Context, request func() error) error {
	_, err := b.circuit.Execute(func() (struct{}, error) {
		err := request()
		if err != nil && (ctx.Err() != nil || errors.Is(err, errLimiter)) {
			err = &abandonedError{err}
		}
		return struct{}{}, err
	})
	if own := (*abandonedError)(nil); errors.As(err, &own) {
		return own.error
	}
	if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
		b.mu.Lock()
		defer b.mu.Unlock()
		return &Error{Permanent: true, Err: &openError{host: b.host, openFor: b.openFor, last: b.last}}
	}
	return err
}

// countsAsFailure says whether an outcome speaks for a service that is down, and notes it.
func (b *breaker) countsAsFailure(err error) bool {
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

// abandonedError is the error of a request that ended for our own reasons.
type abandonedError struct{ error }

// openError is why a request was not made.
type openError struct {
	host    string
	openFor time.Duration
	last    error
}

func (o *openError) Error() string {
	return fmt.Sprintf("not asked: %s failed one request after another and is left alone for %s; the last time: %v", o.host, o.openFor, o.last)
}

// isUnreachable says whether the service was left alone because nobody answered; an answer of 500 is one.
func (o *openError) isUnreachable() bool {
	return IsUnreachable(o.last) || !errors.As(o.last, new(*Error))
}
