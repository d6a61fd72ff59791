package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"concilia/cmd/concilia/view"
	"concilia/config"
	"concilia/config/problem"
	"concilia/export/publish"
	"concilia/jobs"
	"concilia/jobs/api"
	"concilia/jobs/casework"
	"concilia/store"
	"concilia/store/runs"
	"concilia/store/sqldb"
)

// The exit codes; doc.go explains them.
const (
	exitOK          = jobs.ExitOK
	exitInternal    = 1
	exitUsage       = 2
	exitBreaks      = jobs.ExitBreaks
	exitConfig      = view.ExitConfig
	exitUnreachable = jobs.ExitNothing
	exitLocked      = view.ExitLocked
	exitInterrupted = view.ExitInterrupted
)

// exitHelp ends the help of every command that evaluates rules.
const exitHelp = `
Exit status: 0 reconciled, or pending only; 10 warnings; 20 breaks; 30 incomplete; 40 configuration or refused
credentials; 50 service, ledger or target unreachable; 60 another run holds the lock; 2 usage; 130 interrupted.`

// usageError is a wrong command line; hint is what would be right.
type usageError struct {
	text string
	hint string
}

func (e *usageError) Error() string { return e.text }

func usageErrorf(hint, format string, args ...any) error {
	return &usageError{text: fmt.Sprintf(format, args...), hint: hint}
}

// codeError is an outcome that is no failure of the program: it only carries an exit code.
type codeError int

func (e codeError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// exitCode is the one place where an error becomes an exit code.
func exitCode(err error) int {
	var (
		code     codeError
		coded    *withCode
		use      *usageError
		request  *casework.RequestError
		problems problem.List
		input    *inputError
		locked   *runs.LockedError
	)
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &coded):
		return coded.code
	case errors.As(err, &use), errors.As(err, &request):
		return exitUsage
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &problems), errors.As(err, &input), api.IsRefused(err),
		errors.Is(err, sqldb.ErrDSN), errors.Is(err, store.ErrNewer), errors.Is(err, store.ErrOtherSchema),
		errors.Is(err, publish.ErrURL), errors.Is(err, publish.ErrNotPrivate):
		return exitConfig
	case errors.As(err, &locked):
		return exitLocked
	case isUnavailable(err), errors.Is(err, publish.ErrUnreachable), errors.Is(err, publish.ErrArchive), api.IsUnreachable(err):
		return exitUnreachable
	}
	return exitInternal
}

// hintOf is what to do about an error; empty: nothing is known.
func hintOf(err error) string {
	var use *usageError
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
	case errors.As(err, &locked):
		return "wait for it to end; the lock of a run that died is taken over when it expires"
	case api.IsUnreachable(err):
		return "check service.gateway_url and service.integration_url, and the network between"
	case isUnavailable(err):
		return "check ledger.dsn, the disk and its permissions; nothing already kept is lost"
	case errors.As(err, new(*outputError)):
		return "standard output is full or gone; what the command did stands, and concilia runs list tells what a run came to"
	case errors.As(err, &kept):
		return kept.Hint()
	case errors.As(err, &target):
		return "check reports.out: " + target.Hint()
	case targetGone(err):
		return "check reports.out and the space left; run again, and what does not stand is published"
	case errors.Is(err, store.ErrNewer):
		return "concilia version shows the schema a program knows; nothing was changed"
	case errors.Is(err, sqldb.ErrDSN):
		return "check ledger.dsn: sqlite:PATH, or postgres://user@host/database"
	}
	return ""
}

func isUnavailable(err error) bool {
	var gone *sqldb.UnavailableError
	return errors.As(err, &gone)
}

// openClient is for commands that put one question to the service and open no ledger.
func (g *globals) openClient() (*api.Client, *config.Config, error) {
	c, err := g.loadConfig(wantService)
	if err != nil {
		return nil, nil, err
	}
	client, err := newClient(c, g.wall)
	return client, c, err
}

// hintedError is an error with a hint of its own.
type hintedError struct {
	error
	hint string
}

// Unwrap is the error.
func (a *hintedError) Unwrap() error { return a.error }

// explainRefusal gives the error of one request its exit code: a refusal by the service is code, with the hint; an address
// or token it does not let in is configuration; everything else of the service is that it did not answer as it should.
func explainRefusal(err error, code int, hint string) error {
	var e *api.Error
	switch {
	case !errors.As(err, &e) || exitCode(err) != exitInternal:
		return err
	case e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden:
		return &hintedError{&withCode{err, exitConfig}, "the login was good, and this was not allowed: ask the service's operator for this credential's rights and addresses"}
	case isRefusal(err):
		return &hintedError{&withCode{err, code}, hint}
	}
	return &withCode{err, exitUnreachable}
}

// isRefusal reports whether the service understood the request and refused it.
func isRefusal(err error) bool {
	var e *api.Error
	return errors.As(err, &e) && e.Permanent && e.Status >= 400 && e.Status < 500
}
