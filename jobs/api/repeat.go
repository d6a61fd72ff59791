package api

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"

	"github.com/cenkalti/backoff/v5"
)

// ErrUnsure means that a call that changes something at the service failed, but the service may have carried it out: its
// answer was lost. Check before calling again.
var ErrUnsure = errors.New("it may have been done all the same")

// effect says what a question does to the service, and so whether it may be asked again.
type effect uint8

const (
	reads    effect = iota // nothing: any failure that can pass is asked again
	sets                   // the same however often it is asked: asked again like a question that reads
	setsOnce               // a repeat is refused or does more: asked again only when the try before cannot have been acted on
)

// decide is the one place that says whether an error is worth another try.
func (c *Client) decide(ctx context.Context, q question, err error) error {
	if err == nil {
		return nil
	}
	var e *Error
	if ctx.Err() != nil || errors.As(err, &e) && (e.Permanent || e.ofLogin()) {
		return backoff.Permanent(err)
	}
	if q.effect == setsOnce && mayHaveActed(err) {
		return backoff.Permanent(unsure(err))
	}
	return err
}

// mayHaveActed says whether the service may have done what a failed request asked for. It has not when the request
// was never sent, or was answered with a refusal.
func mayHaveActed(err error) bool {
	var e *Error
	if errors.As(err, &e) {
		if e.ofLogin() || errors.As(err, new(*openError)) || errors.Is(err, errNoTurn) {
			return false
		}
		if e.Status != 0 {
			return e.Status < http.StatusBadRequest || e.Status >= http.StatusInternalServerError || e.Status == http.StatusRequestTimeout
		}
	}
	var dial *net.OpError
	return !errors.As(err, &dial) || dial.Op != "dial"
}

// unsure is the error of a call that may have had its effect.
func unsure(err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return &Error{Err: fmt.Errorf("%w; %w", err, ErrUnsure)}
	}
	if errors.Is(e.Err, ErrUnsure) {
		return e
	}
	told := *e
	if told.Err == nil {
		told.Err = ErrUnsure
	} else {
		told.Err = fmt.Errorf("%w; %w", e.Err, ErrUnsure)
	}
	return &told
}
