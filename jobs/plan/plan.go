package plan

import (
	"context"
	"errors"
	"fmt"

	"concilia/jobs/calendar"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// Planner plans from what a ledger holds.
type Planner struct {
	Ledger   *store.Ledger
	Calendar func(ledger.Account) *calendar.Calendar // of an account, local days included
	Settings Settings
	// Brand returns the canonical brand of the service's text, false if it is not in the mapping.
	Brand func(spelling string) (string, bool)
}

// Settings is how far the windows of slips reach, in days.
type Settings struct {
	SlipsDueBack    int // of the due list, before as-of
	SlipsDueForward int // of the due list, after as-of
}

// Account is an account to plan for.
type Account struct {
	Number ledger.Account
	Name   string
	Since  ledger.Date // as configured; zero: it is not
}

// NightPlan is what a nightly run would request, by account.
type NightPlan struct {
	AsOf     ledger.Date
	Accounts []AccountPlan
}

// AccountPlan is what a nightly run would request for one account.
type AccountPlan struct {
	Number ledger.Account
	Name   string
	Since  ledger.Date // the first day covered
	// Windows are one day of one list each, newest first within a list. Only they prove days.
	Windows []ledger.Window
	// Probes are additional requests, whose answers do not prove a day.
	Probes []ProbeRequest
	// Notified: the account receives notifications, so early payments are learned from them and not searched for.
	Notified bool
}

// CountRequests returns the number of requests if each is answered at the first try.
func (a *AccountPlan) CountRequests() int { return len(a.Windows) + len(a.Probes) }

// PlanNight plans the nightly run of asOf. It does not call the service and writes nothing, not even the first day of an
// account. It ignores notifications that are still in the inbox.
func (p *Planner) PlanNight(ctx context.Context, accounts []Account, asOf ledger.Date) (*NightPlan, error) {
	night := &NightPlan{AsOf: asOf}
	for _, a := range accounts {
		one, err := p.planAccount(ctx, a, asOf)
		if err != nil {
			return nil, fmt.Errorf("plan of account %s: %w", a.Number, err)
		}
		night.Accounts = append(night.Accounts, one)
	}
	return night, nil
}

func (p *Planner) planAccount(ctx context.Context, a Account, asOf ledger.Date) (AccountPlan, error) {
	out := AccountPlan{Number: a.Number, Name: a.Name}
	var err error
	if out.Since, err = FirstDay(ctx, p.Ledger, a.Number, a.Since, asOf); err != nil {
		return out, err
	}
	d, err := p.draftAccount(ctx, a.Number, out.Since, asOf)
	if err != nil {
		return out, err
	}
	out.Windows, out.Notified = d.listWindows(), d.notified
	out.Probes, err = p.PlanProbes(ctx, a.Number, out.Since, asOf)
	return out, err
}

// PlanWindows returns the windows of the nightly run of asOf for an account that is covered since a day, each one day of one
// source, newest first within a source. A day is requested once, for the first reason that applies. found are days of cards
// on which the search by code found a sale that the ledger lacks.
func (p *Planner) PlanWindows(
	ctx context.Context, a ledger.Account, since, asOf ledger.Date, found []ledger.Date,
) ([]ledger.Window, error) {
	d, err := p.draftAccount(ctx, a, since, asOf)
	if err != nil {
		return nil, err
	}
	for _, day := range found {
		if day < asOf {
			d.addDay(ledger.Cards, day, reasonFound)
		}
	}
	return d.listWindows(), nil
}

// Delay is within how many nights at the latest the plan sees a change at the service, with a run every night.
type Delay struct {
	What   string
	Nights int
}

// Delays returns the delays that the plan guarantees. A test simulates two years to verify them.
func Delays() []Delay {
	return []Delay{
		{"money on its date, or late by up to 10 business days", 1},
		{"money of a blocked installment, once a promise of its day has passed", 1},
		{"money paid early, to an account that takes notifications", 1},
		{"money paid early, after another early payment in the last 30 days", 1},
		{"money paid early, otherwise", weekly},
		{"money of an installment overdue for more than 10 business days", thirdly},
	}
}

// lookBackDays is how many days a plan without knowledge of the ledger would request: twelve installments take one year.
const lookBackDays = 400

// FullSearchRequests returns the number of requests of a nightly run that would request every day of the last 400 in every list
// of every account.
func (p *NightPlan) FullSearchRequests() int {
	return len(p.Accounts) * lookBackDays * (1 + len(ledger.SlipLists()))
}

// CountRequests returns the number of requests if each is answered at the first try.
func (p *NightPlan) CountRequests() int {
	n := 0
	for i := range p.Accounts {
		n += p.Accounts[i].CountRequests()
	}
	return n
}

// DefaultSinceDays is how many days before its first as-of the coverage of an account begins by default.
const DefaultSinceDays = 60

// FirstDay returns the first day of an account that is covered as of asOf. configured is the day in the configuration, or zero.
// The day stored in the ledger applies unless an earlier one is configured. It stores nothing; a run does.
func FirstDay(ctx context.Context, l *store.Ledger, a ledger.Account, configured, asOf ledger.Date) (ledger.Date, error) {
	kept, err := l.FirstDay(ctx, a)
	switch {
	case errors.Is(err, sqldb.ErrNotFound) && configured == 0:
		return asOf - DefaultSinceDays, nil
	case errors.Is(err, sqldb.ErrNotFound):
		return configured, nil
	case err == nil && configured != 0:
		return min(kept, configured), nil
	}
	return kept, err
}

// FixFirstDay returns the first day that an account is covered from and stores it. On the account's first run it is decided,
// from the configuration or else DefaultSinceDays before asOf; configuring an earlier day moves it back.
func FixFirstDay(ctx context.Context, l *store.Ledger, a Account, asOf ledger.Date) (ledger.Date, error) {
	first, err := fixFirstDay(ctx, l, a, asOf)
	if err != nil {
		err = fmt.Errorf("since of account %s: %w", a.Number, err)
	}
	return first, err
}

func fixFirstDay(ctx context.Context, l *store.Ledger, a Account, asOf ledger.Date) (ledger.Date, error) {
	first, err := FirstDay(ctx, l, a.Number, a.Since, asOf)
	if err != nil {
		return 0, err
	}
	kept, err := l.FirstDay(ctx, a.Number)
	if err == nil && kept == first {
		return first, nil
	}
	if err != nil && !errors.Is(err, sqldb.ErrNotFound) {
		return 0, err
	}
	return first, l.SetFirstDay(ctx, a.Number, first)
}
