package main

import (
	"errors"
	"net/http"

	"concilia/config"
	"concilia/jobs/api"
)

// client is for commands that put one question to the service and open no ledger.
func (g *globals) client() (*api.Client, *config.Config, error) {
	c, err := g.load(wantService)
	if err != nil {
		return nil, nil, err
	}
	client, err := newClient(c, g.wall)
	return client, c, err
}

// advised is an error with a hint of its own.
type advised struct {
	error
	hint string
}

// Unwrap is the error.
func (a *advised) Unwrap() error { return a.error }

// judged gives the error of one question its exit code: what the service says no to is code, with the hint; an address
// or token it does not let in is configuration; everything else of the service is that it did not answer as it should.
func judged(err error, code int, hint string) error {
	var e *api.Error
	switch {
	case !errors.As(err, &e) || exitCode(err) != exitInternal:
		return err
	case e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden:
		return &advised{&withCode{err, exitConfig}, "the login was good, and this was not allowed: ask the service's operator for this credential's rights and addresses"}
	case refused(err):
		return &advised{&withCode{err, code}, hint}
	}
	return &withCode{err, exitUnreachable}
}

// refused says whether the service answered, understood, and said no.
func refused(err error) bool {
	var e *api.Error
	return errors.As(err, &e) && e.Permanent && e.Status >= 400 && e.Status < 500
}
