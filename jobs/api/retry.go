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

	"concilia/export/words"
)

// ErrOutcomeUnknown means that a call that changes something at the service failed, but the service may have carried it out: its
// answer was lost. Check before calling again.
var ErrOutcomeUnknown error = words.NewFault("service_fault.outcome_unknown", "")

// effect is what a call does at the service; it decides whether the call may be retried.
type effect uint8

const (
	readOnly      effect = iota // changes nothing: retried after any temporary failure
	idempotent                  // a repeat has the same effect: retried like a call that only reads
	notIdempotent               // a repeat is refused or does more: retried only if the service cannot have acted on the previous try
)

// stopIfFinal decides whether an error is worth another try: it marks the others as permanent for package backoff.
func (c *caller) stopIfFinal(ctx context.Context, call apiCall, err error) error {
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

// mayHaveActed reports whether the service may have carried out a failed request. It has not if the request was never
// sent, or was answered with a refusal.
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

// withUnknownOutcome adds ErrOutcomeUnknown to the error of a call that may have had its effect.
func withUnknownOutcome(err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return &Error{Err: fmt.Errorf("%w; %w", err, ErrOutcomeUnknown)}
	}
	if errors.Is(e.Err, ErrOutcomeUnknown) {
		return e
	}
	marked := *e
	if marked.Err == nil {
		marked.Err = ErrOutcomeUnknown
	} else {
		marked.Err = fmt.Errorf("%w; %w", e.Err, ErrOutcomeUnknown)
	}
	return &marked
}

// breaker is the circuit breaker of one base address. It opens after several consecutive requests without an answer or
// with a status of 500 and above. Any other answer, even a bad one, shows that the service is up and resets the count.
// While the breaker is open calls fail at once; after openFor one request is sent, and its outcome decides whether the
// breaker closes.
type breaker struct {
	circuit *gobreaker.CircuitBreaker[struct{}]
	host    string
	openFor time.Duration

	mu   sync.Mutex
	last error // the latest failure, reported while the breaker is open
}

func newBreaker(host string, after int, rest time.Duration) *breaker {
	b := &breaker{host: host, openFor: rest}
	b.circuit = gobreaker.NewCircuitBreaker[struct{}](gobreaker.Settings{
		MaxRequests:  1,
		Timeout:      rest,
		ReadyToTrip:  func(n gobreaker.Counts) bool { return n.ConsecutiveFailures >= uint32(after) }, //nolint:gosec // checked with the options
		IsSuccessful: func(err error) bool { return !b.countsAsFailure(err) },
		// A caller that stopped waiting proves nothing about the service.
		IsExcluded: func(err error) bool { return errors.As(err, new(*abandonedError)) },
	})
	return b
}

// guardRequest calls request unless the breaker is open.
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

// countsAsFailure reports whether an outcome suggests that the service is down, and remembers it if so.
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

// abandonedError is the error of a request that ended for our own reasons: cancelled, or without a turn.
type abandonedError struct{ error }

// openError is the error of a request that an open breaker prevented.
type openError struct {
	host    string
	openFor time.Duration
	last    error
}

func (o *openError) Error() string { return o.In("en") }

// In is Error in a language.
func (o *openError) In(language string) string {
	return words.NewMessage("service_fault.not_sent", "host", o.host, "pause", o.openFor, "cause", o.last).In(language)
}

// isUnreachable reports whether the last failure had no answer; an answer of 500 is one.
func (o *openError) isUnreachable() bool {
	return IsUnreachable(o.last) || !errors.As(o.last, new(*Error))
}
