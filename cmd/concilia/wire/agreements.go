package wire

import (
	"errors"
	"fmt"
	"os"

	"concilia/cmd/concilia/exit"
	"concilia/config"
	"concilia/config/problem"
	"concilia/export/journal"
	"concilia/jobs"
	"concilia/jobs/agreements"
	"concilia/jobs/calendar"
	"concilia/jobs/rules"
	"concilia/jobs/rules/catalogue"
	"concilia/jobs/rules/deposits"
	"concilia/jobs/rules/shops"
	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
)

// LoadAgreements reads the documents the rules rest on and names the problems of all of them; one that is not configured is its
// default.
func LoadAgreements(c *config.Config, w *jobs.Worker) error {
	in := &w.Inputs
	in.Contracts, in.Mapping, in.Profile = agreements.NoContracts(), agreements.DefaultMapping(), agreements.DefaultProfile()
	var wrong []error
	for _, doc := range []struct {
		path  string
		parse func(string, []byte) error
	}{
		{c.Contract, func(name string, b []byte) (err error) {
			in.Contracts, err = agreements.ParseContracts(name, b)
			return err
		}},
		{c.Mapping, func(name string, b []byte) (err error) {
			in.Mapping, err = agreements.ParseMapping(name, b)
			return err
		}},
		{c.Profile, func(name string, b []byte) (err error) {
			in.Profile, err = agreements.ParseProfile(name, b)
			return err
		}},
		{c.Register, func(name string, b []byte) (err error) {
			in.Register, err = agreements.ParseRegister(name, b)
			return err
		}},
		{c.Orders, func(name string, b []byte) (err error) { in.Orders, err = agreements.ParseOrders(name, b); return err }},
		{c.Journal, func(name string, b []byte) error { return readChart(c, w, name, b) }},
	} {
		if doc.path == "" {
			continue
		}
		data, err := os.ReadFile(doc.path)
		if err == nil {
			err = doc.parse(doc.path, data)
		}
		if err != nil {
			wrong = append(wrong, exit.NewInputError(doc.path, err))
		}
	}
	if err := wireCalendars(c, w); err != nil {
		wrong = append(wrong, err)
	}
	in.Settings, w.BankSettings, w.SalesSettings = rules.Settings{}, rules.Settings{}, rules.Settings{}
	for code, r := range c.Rules {
		s := rules.Setting{Severity: ledger.Severity(r.Severity)}
		if r.Tolerance != nil {
			s.Tolerance = ledger.Some(*r.Tolerance)
		}
		if r.Grace != nil {
			s.Grace = ledger.Some(*r.Grace)
		}
		switch {
		case catalogue.IsOnBank(code):
			w.BankSettings[code] = s
		case catalogue.IsOnStores(code):
			w.SalesSettings[code] = s
		default:
			in.Settings[code] = s
		}
	}
	for _, err := range []error{in.Settings.Check(catalogue.All()), w.BankSettings.Check(deposits.Rules()), w.SalesSettings.Check(shops.Rules())} {
		if err := placeSettings(c, err); err != nil {
			wrong = append(wrong, err)
		}
	}
	return errors.Join(wrong...)
}

// placeSettings turns what the rules refuse of the configuration into problems with the lines they come from.
func placeSettings(c *config.Config, err error) error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return err
	}
	var all problem.List
	for _, one := range joined.Unwrap() {
		s := (*rules.SettingError)(nil)
		if !errors.As(one, &s) {
			return err
		}
		all = append(all, c.Problem(s.Key(), s.Value, s.Want))
	}
	return all.Err()
}

// wireCalendars gives each account its calendar: the banks' days, and the account's own at the counter. Accounts without days of their
// own share one. An account answered for since a year outside the calendars is a problem too.
func wireCalendars(c *config.Config, w *jobs.Worker) error {
	byAccount := map[ledger.Account]*calendar.Calendar{}
	var shared *calendar.Calendar
	var wrong []error
	for i := range c.Accounts {
		a := &c.Accounts[i]
		cal, hasOwnDays := shared, len(a.Calendar.Extra)+len(a.Calendar.Removed) > 0
		if hasOwnDays || cal == nil {
			var err error
			if cal, err = CalendarOf(c, a); err != nil {
				wrong = append(wrong, err)
				continue
			}
		}
		if !hasOwnDays {
			shared = cal
		}
		byAccount[ledger.Account(a.Number)] = cal
		if since, err := ledger.ParseDate(a.Since); err == nil {
			if err := calendar.CheckDate(since); err != nil {
				wrong = append(wrong, exit.NewInputError(fmt.Sprintf("account %d since", a.Number), err))
			}
		}
	}
	w.Inputs.Calendar = func(a ledger.Account) *calendar.Calendar { return byAccount[a] }
	return errors.Join(wrong...)
}

// CalendarOf is the calendar of an account, or without one that of all.
func CalendarOf(c *config.Config, a *config.Account) (*calendar.Calendar, error) {
	common, err := calendarDays(c.Calendar)
	if err != nil {
		return nil, exit.NewInputError("calendar", err)
	}
	what, local := "calendar", dayLists{}
	if a != nil {
		what = fmt.Sprintf("account %d calendar", a.Number)
		if local, err = calendarDays(a.Calendar); err != nil {
			return nil, exit.NewInputError(what, err)
		}
	}
	cal, err := calendar.New(calendar.Options{
		Extra: common.extra, Removed: common.removed, CounterExtra: local.extra, CounterRemoved: local.removed,
	})
	if err != nil {
		return nil, exit.NewInputError(what, err)
	}
	return cal, nil
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

// readChart reads the chart of accounts, and refuses one that lacks an account that the movement needs.
func readChart(c *config.Config, w *jobs.Worker, name string, data []byte) (err error) {
	if w.Journal.Chart, err = journal.ParseChart(name, data); err != nil {
		return err
	}
	w.Journal.File = name
	return w.Journal.Chart.CheckRoles(name, append([]string{"csv"}, c.Movement.Journal...), convertAll[bookkeeping.EventSource](c.Movement.Sources), len(c.Banks) > 0)
}
