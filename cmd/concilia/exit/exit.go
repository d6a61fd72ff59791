// Package exit turns what went wrong into an exit code and a hint: every error of a command passes through CodeOf and HintOf.
package exit

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"concilia/cmd/concilia/view"
	"concilia/config/problem"
	"concilia/export/publish"
	"concilia/export/words"
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

// UsageError is a wrong command line; its hint is what would be right.
type UsageError struct{ words.Fault }

// NewUsageError is the error of a wrong command line: the ids of its text and of its hint, and the values that both name.
func NewUsageError(text, hint string, values ...any) error {
	return &UsageError{*words.NewFault(text, hint, values...)}
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

// Print tells a person of an error, and what to do about it where that is known.
func Print(to io.Writer, err error, l view.Language) {
	fmt.Fprintf(to, "concilia: %s\n", TextOf(err, l))
	PrintHint(to, HintOf(err, l), l)
}

// PrintHint tells a person what to do, where that is known.
func PrintHint(to io.Writer, hint string, l view.Language) {
	if hint == "" {
		return
	}
	fmt.Fprintf(to, "%s: %s\n", words.Text(l, "command.hint"), hint)
}

// TextOf is what an error says, in the language as far as its words are ours.
func TextOf(err error, l view.Language) string {
	var locked *runs.LockedError
	if errors.As(err, &locked) {
		said := words.Text(l, "error.locked", "account", locked.Account, "run", locked.Holder, "since", locked.Since.UTC().Format(time.RFC3339))
		return strings.Replace(err.Error(), locked.Error(), said, 1)
	}
	return words.TextOf(err, string(l))
}

// HintOf is what to do about an error, in a language; empty: nothing is known.
func HintOf(err error, l view.Language) string {
	if hint := words.HintOf(err, string(l)); hint != "" {
		return hint
	}
	id := hintOfFailure(err)
	var target *publish.Error
	switch {
	case id == archiveGone && errors.As(err, &target):
		return words.Text(l, "hint.check_archive", "hint", words.Text(l, target.Hint(), "place", words.Text(l, "hint.the_archive")))
	case id == "" && errors.As(err, &target):
		return words.Text(l, "hint.check_target", "hint", words.Text(l, target.Hint(), "place", words.Text(l, "hint.the_target")))
	case id == "":
		return ""
	}
	return words.Text(l, id)
}

// archiveGone is the id of what to do about an archive of which nothing more is known.
const archiveGone = "hint.archive_gone"

// hintOfFailure is the id of what to do about a failure of what lies around the program; empty: nothing is known, or it is a target's,
// which has a hint itself.
func hintOfFailure(err error) string {
	switch {
	case api.IsRefused(err):
		return "hint.refused_credentials"
	case publish.IsTemporary(err), sqldb.LacksTemporary(err):
		return "hint.temporary_folder"
	case hintOfWay(err) != "":
		return hintOfWay(err)
	case errors.As(err, new(*runs.LockedError)):
		return "hint.locked"
	case api.IsUnreachable(err):
		return "hint.service_unreachable"
	case api.IsWrongAddress(err):
		return "hint.service_address"
	case IsUnavailable(err):
		return "hint.ledger_unavailable"
	case errors.As(err, new(*outputError)):
		return "hint.output_gone"
	case errors.As(err, new(*publish.ArchiveError)):
		return archiveGone
	case errors.As(err, new(*publish.Error)):
		return ""
	case IsTargetGone(err):
		return "hint.target_gone"
	case errors.Is(err, store.ErrNewer):
		return "hint.newer_ledger"
	case errors.Is(err, sqldb.ErrDSN):
		return "hint.dsn"
	}
	return ""
}

// hintOfWay is the id of what to do about what lies between this machine and a service, a database or a target: a certificate or a
// proxy; empty: it is something else.
func hintOfWay(err error) string {
	var host x509.HostnameError
	var proxy *net.OpError
	switch {
	case errors.As(err, new(x509.UnknownAuthorityError)):
		return "hint.certificate_unknown"
	case isExpired(err):
		return "hint.certificate_expired"
	case errors.As(err, &host):
		return "hint.certificate_host"
	case errors.As(err, &proxy) && proxy.Op == "proxyconnect":
		return "hint.proxy_away"
	case strings.Contains(strings.ToLower(err.Error()), "proxy authentication required"): // net/http has no error of its own for it
		return "hint.proxy_password"
	}
	return ""
}

// Cause is the cause of an error as a value of a message: in people's words for a file that is not there or may not be read, else as it is.
func Cause(err error) any {
	var file *fs.PathError
	switch {
	case !errors.As(err, &file):
	case errors.Is(err, fs.ErrNotExist):
		return words.NewMessage("error.no_file", "path", file.Path)
	case errors.Is(err, fs.ErrPermission):
		return words.NewMessage("error.no_permission", "path", file.Path)
	}
	return err
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
	hint words.Message
}

// HintIn is the hint in a language.
func (a *hintedError) HintIn(language string) string { return a.hint.In(language) }

// Unwrap is the error.
func (a *hintedError) Unwrap() error { return a.error }

// ExplainRefusal gives the error of one request its exit code: a refusal by the service is code, with the hint; an address
// or token it does not let in is configuration; everything else of the service is that it did not answer as it should. hint is an id.
func ExplainRefusal(err error, code int, hint string) error {
	var e *api.Error
	switch {
	case !errors.As(err, &e) || CodeOf(err) != Internal:
		return err
	case e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden:
		return WithHint(WithCode(err, Config), "hint.not_allowed")
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
		return WithCode(words.NewFault("error.name_existing", "", "cause", Cause(err)), Unreachable)
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

func (e *outputError) Error() string { return e.In("en") }

// In is Error in a language.
func (e *outputError) In(language string) string {
	return words.NewMessage("error.output", "cause", e.err).In(language)
}

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

// WithHint gives an error a hint of its own, by its id with its values.
func WithHint(err error, hint string, values ...any) error {
	return &hintedError{err, words.NewMessage(hint, values...)}
}

// IsTargetGone reports whether an error is of the target itself; what is not proven yet is written on its disk too.
func IsTargetGone(err error) bool {
	for _, gone := range []error{publish.ErrUnreachable, syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS} {
		if errors.Is(err, gone) {
			return true
		}
	}
	return false
}
