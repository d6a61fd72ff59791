// Package exit turns what went wrong into an exit code and a hint: every error of a command passes through CodeOf and HintOf.
package exit

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"strings"
	"syscall"

	"concilia/cmd/concilia/view"
	"concilia/config/problem"
	"concilia/export/publish"
	"concilia/jobs"
	"concilia/jobs/api"
	"concilia/jobs/casework"
	"concilia/store"
	"concilia/store/runs"
	"concilia/store/sqldb"
)

// The exit codes; go doc concilia/cmd/concilia explains them.
const (
	OK          = jobs.ExitOK
	Internal    = 1
	Usage       = 2
	Breaks      = jobs.ExitBreaks
	Config      = view.ExitConfig
	Unreachable = jobs.ExitNothing
	Locked      = view.ExitLocked
	Interrupted = view.ExitInterrupted
)

// Help ends the help of every command that evaluates rules.
const Help = `
Exit status: 0 reconciled, or pending only; 10 warnings; 20 breaks; 30 incomplete; 40 configuration or refused
credentials; 50 service, ledger or target unreachable; 60 another run holds the lock; 2 usage; 130 interrupted.`

// UsageError is a wrong command line; hint is what would be right.
type UsageError struct {
	text string
	hint string
}

func (e *UsageError) Error() string { return e.text }

// Usagef is the error of a wrong command line.
func Usagef(hint, format string, args ...any) error {
	return &UsageError{text: fmt.Sprintf(format, args...), hint: hint}
}

// Status is an outcome that is no failure of the program: it only carries an exit code.
type Status int

func (e Status) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// CodeOf is the one place where an error becomes an exit code.
func CodeOf(err error) int {
	var (
		code     Status
		coded    *codedError
		use      *UsageError
		request  *casework.RequestError
		problems problem.List
		input    *inputError
		locked   *runs.LockedError
	)
	switch {
	case err == nil:
		return OK
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &coded):
		return coded.code
	case errors.As(err, &use), errors.As(err, &request):
		return Usage
	case errors.Is(err, context.Canceled):
		return Interrupted
	case errors.As(err, &problems), errors.As(err, &input), api.IsRefused(err),
		errors.Is(err, sqldb.ErrDSN), errors.Is(err, store.ErrNewer), errors.Is(err, store.ErrOtherSchema),
		errors.Is(err, publish.ErrURL), errors.Is(err, publish.ErrNotPrivate):
		return Config
	case errors.As(err, &locked):
		return Locked
	case IsUnavailable(err), errors.Is(err, publish.ErrUnreachable), publish.IsTemporary(err), sqldb.LacksTemporary(err), errors.Is(err, publish.ErrArchive), api.IsUnreachable(err):
		return Unreachable
	}
	return Internal
}

// HintOf is what to do about an error; empty: nothing is known.
func HintOf(err error) string {
	var use *UsageError
	var request *casework.RequestError
	var locked *runs.LockedError
	var target *publish.Error
	var kept *publish.ArchiveError
	var hinted *hintedError
	switch {
	case errors.As(err, &hinted):
		return hinted.hint
	case errors.As(err, &use):
		return use.hint
	case errors.As(err, &request):
		return request.Hint
	case api.IsRefused(err):
		return "check service.user_name and the password file with the service's operator"
	case publish.IsTemporary(err), sqldb.LacksTemporary(err):
		return "name a folder with room that this user may write with TMPDIR; the default is /tmp"
	case hintOfWay(err) != "":
		return hintOfWay(err)
	case errors.As(err, &locked):
		return "wait for it to end; the lock of a run that died is taken over when it expires"
	case api.IsUnreachable(err):
		return "check service.gateway_url and service.integration_url, and the network between"
	case IsUnavailable(err):
		return "check ledger.dsn, the disk and its permissions; nothing already kept is lost"
	case errors.As(err, new(*outputError)):
		return "standard output is full or gone; what the command did stands, and concilia runs list tells what a run came to"
	case errors.As(err, &kept):
		return kept.Hint()
	case errors.As(err, &target):
		return "check reports.out: " + target.Hint()
	case IsTargetGone(err):
		return "check reports.out and the space left; run again, and what does not stand is published"
	case errors.Is(err, store.ErrNewer):
		return "concilia version shows the schema a program knows; nothing was changed"
	case errors.Is(err, sqldb.ErrDSN):
		return "check ledger.dsn: sqlite:PATH, or postgres://user@host/database"
	}
	return ""
}

// hintOfWay is what to do about what lies between this machine and a service, a database or a target: a certificate or a proxy; empty:
// it is something else.
func hintOfWay(err error) string {
	var host x509.HostnameError
	var proxy *net.OpError
	switch {
	case errors.As(err, new(x509.UnknownAuthorityError)):
		return "its certificate is signed by no authority that this machine trusts: let the system trust that authority, or name its certificates with SSL_CERT_FILE"
	case isExpired(err):
		return "its certificate is out of date, unless the clock of this machine is wrong: ask its operator for a new one"
	case errors.As(err, &host):
		return "its certificate is of another host: check the address, then ask its operator"
	case errors.As(err, &proxy) && proxy.Op == "proxyconnect":
		return "the proxy does not answer: check HTTPS_PROXY and HTTP_PROXY, or name the host in NO_PROXY"
	case strings.Contains(strings.ToLower(err.Error()), "proxy authentication required"): // net/http has no error of its own for it
		return "the proxy wants to know who asks: HTTPS_PROXY=http://NAME:PASSWORD@HOST:PORT, or name the host in NO_PROXY"
	}
	return ""
}

// isExpired reports whether a certificate was refused for its dates.
func isExpired(err error) bool {
	var invalid x509.CertificateInvalidError
	return errors.As(err, &invalid) && invalid.Reason == x509.Expired
}

// IsUnavailable reports whether the ledger could not be reached.
func IsUnavailable(err error) bool {
	var gone *sqldb.UnavailableError
	return errors.As(err, &gone)
}

// hintedError is an error with a hint of its own.
type hintedError struct {
	error
	hint string
}

// Unwrap is the error.
func (a *hintedError) Unwrap() error { return a.error }

// ExplainRefusal gives the error of one request its exit code: a refusal by the service is code, with the hint; an address
// or token it does not let in is configuration; everything else of the service is that it did not answer as it should.
func ExplainRefusal(err error, code int, hint string) error {
	var e *api.Error
	switch {
	case !errors.As(err, &e) || CodeOf(err) != Internal:
		return err
	case e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden:
		return WithHint(WithCode(err, Config), "the login was good, and this was not allowed: ask the service's operator for this credential's rights and addresses")
	case IsRefusal(err):
		return WithHint(WithCode(err, code), hint)
	}
	return WithCode(err, Unreachable)
}

// IsRefusal reports whether the service understood the request and refused it.
func IsRefusal(err error) bool {
	var e *api.Error
	return errors.As(err, &e) && e.Permanent && e.Status >= 400 && e.Status < 500
}

// ExplainUnreadable gives the error of a file that cannot be read the exit code of the checks of files.
func ExplainUnreadable(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return WithCode(fmt.Errorf("%w: name a file that exists", err), Unreachable)
	}
	return WithCode(err, Unreachable)
}

// codedError is an error with an exit code.
type codedError struct {
	err  error
	code int
}

func (e *codedError) Error() string { return e.err.Error() }

// Unwrap is the error.
func (e *codedError) Unwrap() error { return e.err }

// WithCode gives an error an exit code.
func WithCode(err error, code int) error { return &codedError{err, code} }

// outputError is of results that could not be written where they were to go.
type outputError struct{ err error }

func (e *outputError) Error() string { return fmt.Sprintf("print the results: %v", e.err) }

// Unwrap is the cause.
func (e *outputError) Unwrap() error { return e.err }

// inputError is a file or value of the configuration that cannot be used; it exits as a configuration error.
type inputError struct {
	what string
	err  error
}

func (e *inputError) Error() string { return fmt.Sprintf("%s: %v", e.what, e.err) }

// Unwrap is the cause.
func (e *inputError) Unwrap() error { return e.err }

// NewInputError is the error of what cannot be used of the configuration.
func NewInputError(what string, err error) error { return &inputError{what, err} }

// NewOutputError is the error of results that could not be written.
func NewOutputError(err error) error { return &outputError{err} }

// WithHint gives an error a hint of its own.
func WithHint(err error, hint string) error { return &hintedError{err, hint} }

// IsTargetGone reports whether an error is of the target itself; what is not proven yet is written on its disk too.
func IsTargetGone(err error) bool {
	for _, gone := range []error{publish.ErrUnreachable, syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS} {
		if errors.Is(err, gone) {
			return true
		}
	}
	return false
}
