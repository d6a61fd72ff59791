package api

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
)

// ErrRefusedCredentials means that the service refused a login. Retrying is useless until the credential is changed.
var ErrRefusedCredentials = errors.New("the service refused the credentials")

// ErrUnsuccessful means that the detail of a slip has success false; the Error around it holds the message.
var ErrUnsuccessful = errors.New("the service says success false")

// errSilent is the cause when the service said nothing for Options.Timeout, errLong when an answer took maxTransfer.
var (
	errSilent = errors.New("the service said nothing for too long (service.timeout)")
	errLong   = errors.New("the answer took longer than " + maxTransfer.String() + ": ask for fewer days at once")
)

// Error is a failed call. It never holds secrets, card numbers or rows.
type Error struct {
	Operation string // what was asked: "search installments 2026-11-02..2026-11-02 account 1001"
	Status    int    // of the last answer, 0 when none came
	Text      string // the service's own words, capped and redacted; may be empty
	Permanent bool   // retrying would not help
	Tries     int    // requests made for the call, without logins
	Err       error  // the cause, when it is not the status
}

// Error is "api OPERATION: STATUS: text: cause", leaving out what is absent.
func (e *Error) Error() string {
	if inner := (*Error)(nil); errors.As(e.Err, &inner) {
		return "api " + e.Operation + ": " + inner.Error()
	}
	var parts []string
	if e.Operation != "" {
		parts = append(parts, "api "+e.Operation)
	}
	if e.Status != 0 && (e.Status != http.StatusOK || e.Err == nil) {
		parts = append(parts, strconv.Itoa(e.Status))
	}
	if e.Text != "" {
		parts = append(parts, e.Text)
	} else if e.Status != 0 && e.Err == nil {
		parts = append(parts, strings.ToLower(http.StatusText(e.Status)))
	}
	if e.Err != nil {
		parts = append(parts, e.Err.Error())
	}
	return strings.Join(parts, ": ")
}

// ofLogin says whether the error is that of a finished call: within another call only the login is one.
func (e *Error) ofLogin() bool { return e.Operation != "" }

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Err }

// IsRefused reports whether err is a refused login. It does not include a call that is answered 401 with a fresh token:
// then the credential is good, but the token is not accepted (see Options.SearchToken).
func IsRefused(err error) bool { return errors.Is(err, ErrRefusedCredentials) }

// IsUnreachable reports whether the service could not be reached at all: there was no answer, or a gateway reported it
// as unavailable (502, 503, 504). A cancelled context does not count.
func IsUnreachable(err error) bool {
	var e *Error
	if !errors.As(err, &e) || errors.Is(err, context.Canceled) || IsRefused(err) {
		return false
	}
	if open := (*openError)(nil); errors.As(err, &open) {
		return open.unreachable()
	}
	switch e.Status {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	case 0:
		return e.Err != nil && !e.Permanent
	}
	return false
}

// permanentStatus says whether a status means that the same question will get the same answer.
func permanentStatus(status int) bool {
	return status != http.StatusTooManyRequests && status != http.StatusRequestTimeout && status < 500
}
