package main

import (
	"fmt"
	"os"

	"concilia/config"
	"concilia/jobs"
	"concilia/jobs/calendar"
	"concilia/jobs/rules"
	"concilia/jobs/terms"
	"concilia/store/ledger"
)

// inputError is a file or value of the configuration that cannot be used; it exits as a configuration error.
type inputError struct {
	what string
	err  error
}

func (e *inputError) Error() string { return fmt.Sprintf("%s: %v", e.what, e.err) }
func (e *inputError) Unwrap() error { return e.err }

// loadTerms reads the documents the rules rest on; one that is not configured is its default.
func loadTerms(c *config.Config, w *jobs.Worker) error {
	in := &w.Terms
	in.Contracts, in.Mapping, in.Profile = terms.NoContracts(), terms.DefaultMapping(), terms.DefaultProfile()
	for _, doc := range []struct {
		path  string
		parse func(string, []byte) error
	}{
		{c.Contract, func(name string, b []byte) (err error) { in.Contracts, err = terms.ParseContracts(name, b); return err }},
		{c.Mapping, func(name string, b []byte) (err error) { in.Mapping, err = terms.ParseMapping(name, b); return err }},
		{c.Profile, func(name string, b []byte) (err error) { in.Profile, err = terms.ParseProfile(name, b); return err }},
	} {
		if doc.path == "" {
			continue
		}
		data, err := os.ReadFile(doc.path)
		if err != nil {
			return &inputError{doc.path, err}
		}
		if err := doc.parse(doc.path, data); err != nil {
			return &inputError{doc.path, err}
		}
	}
	if err := calendars(c, w); err != nil {
		return err
	}
	in.Settings = rules.Settings{}
	for code, r := range c.Rules {
		s := rules.Setting{Tolerance: r.Tolerance, Severity: ledger.Severity(r.Severity)}
		if r.Grace != nil {
			s.Grace = ledger.Some(*r.Grace)
		}
		in.Settings[code] = s
	}
	if err := in.Settings.Check(); err != nil {
		return &inputError{"rules", err}
	}
	return nil
}

// calendars makes one calendar per account: the banks' days, and the account's own at the counter.
func calendars(c *config.Config, w *jobs.Worker) error {
	common, err := calendarDays(c.Calendar)
	if err != nil {
		return &inputError{"calendar", err}
	}
	byAccount := map[ledger.Account]*calendar.Calendar{}
	for _, a := range c.Accounts {
		local, err := calendarDays(a.Calendar)
		if err != nil {
			return &inputError{fmt.Sprintf("account %d calendar", a.Number), err}
		}
		cal, err := calendar.New(calendar.Options{
			Extra: common.extra, Removed: common.removed, CounterExtra: local.extra, CounterRemoved: local.removed,
		})
		if err != nil {
			return &inputError{fmt.Sprintf("account %d calendar", a.Number), err}
		}
		byAccount[ledger.Account(a.Number)] = cal
	}
	w.Terms.Calendar = func(a ledger.Account) *calendar.Calendar { return byAccount[a] }
	return nil
}

type dayLists struct{ extra, removed []ledger.Date }

func calendarDays(c config.Calendar) (dayLists, error) {
	var out dayLists
	for _, list := range []struct {
		texts []string
		days  *[]ledger.Date
	}{{c.Extra, &out.extra}, {c.Removed, &out.removed}} {
		for _, text := range list.texts {
			d, err := ledger.ParseDate(text)
			if err != nil {
				return out, err
			}
			*list.days = append(*list.days, d)
		}
	}
	return out, nil
}
