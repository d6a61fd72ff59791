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
	// Brand is the canonical brand of a spelling of the service, false for one that is not in the mapping.
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

// NightPlan is what a night would ask for, by account.
type NightPlan struct {
	AsOf     ledger.Date
	Accounts []AccountPlan
}

// AccountPlan is what a night would ask for one account.
type AccountPlan struct {
	Number ledger.Account
	Name   string
	Since  ledger.Date // the first day answered for
	// Windows are one day of one list each, newest first within a list; coverage rests on them.
	Windows []ledger.Window
	// Probes are additional questions, whose answers do not prove a day.
	Probes []ProbeRequest
	// Notified: the account receives notifications, so early payments are learned from them and not searched for.
	Notified bool
}

// CountRequests is how many questions the night would put, when each is answered at once.
func (a *AccountPlan) CountRequests() int { return len(a.Windows) + len(a.Probes) }

// PlanNight plans the night of asOf. It does not call the service and writes nothing, not even the first day answered for. It
// does not look at notifications in the inbox.
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

// PlanWindows returns the windows of the night of asOf for an account that is answered for since a day, each one day of one
// source, newest first within a source. A day is asked for once, for the first reason that applies. found are days of cards
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

// Delay is a promise of the plan: within how many nights, at the latest, it sees what the service shows, if a night runs
// every day.
type Delay struct {
	What   string
	Nights int
}

// Delays returns the promises of the plan. A simulation of two years verifies them.
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

// lookBackDays is how far a plan that knows nothing would have to look back: twelve installments take one year.
const lookBackDays = 400

// FullSearchRequests is the number of questions of a night that would ask for every day of the last 400 in every list of every
// account.
func (p *NightPlan) FullSearchRequests() int {
	return len(p.Accounts) * lookBackDays * (1 + len(ledger.SlipLists()))
}

// CountRequests is how many questions the night would put, when each is answered at once.
func (p *NightPlan) CountRequests() int {
	n := 0
	for i := range p.Accounts {
		n += p.Accounts[i].CountRequests()
	}
	return n
}

// DefaultSinceDays is how many days before its first as-of an account is answered for by default.
const DefaultSinceDays = 60

// FirstDay is the first day an account is answered for as of a morning, where configured is what the configuration says, or
// zero. The day that was kept holds unless an earlier one is configured. Nothing is kept: a run decides.
func FirstDay(ctx context.Context, l *store.Ledger, a ledger.Account, configured, asOf ledger.Date) (ledger.Date, error) {
	kept, err := l.Since(ctx, a)
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
