package plan

import (
	"context"
	"fmt"

	"concilia/jobs/calendar"
	"concilia/store"
	"concilia/store/ledger"
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

// Night is what a night would ask for, by account.
type Night struct {
	AsOf     ledger.Date
	Accounts []AccountNight
}

// AccountNight is what a night would ask for one account.
type AccountNight struct {
	Number ledger.Account
	Name   string
	Since  ledger.Date // the first day answered for
	// Windows are one day of one list each, newest first within a list; coverage rests on them.
	Windows []ledger.Window
	// Beside are additional questions, whose answers do not prove a day.
	Beside []Beside
	// Told: the account receives notifications, so early payments are learned from them and not searched for.
	Told bool
}

// Calls is how many questions the night would put, when each is answered at once.
func (a *AccountNight) Calls() int { return len(a.Windows) + len(a.Beside) }

// Tonight plans the night of asOf. It does not call the service and writes nothing, not even the first day answered for. It
// does not look at notifications in the inbox.
func (p *Planner) Tonight(ctx context.Context, accounts []Account, asOf ledger.Date) (*Night, error) {
	night := &Night{AsOf: asOf}
	for _, a := range accounts {
		one, err := p.account(ctx, a, asOf)
		if err != nil {
			return nil, fmt.Errorf("plan of account %s: %w", a.Number, err)
		}
		night.Accounts = append(night.Accounts, one)
	}
	return night, nil
}

func (p *Planner) account(ctx context.Context, a Account, asOf ledger.Date) (AccountNight, error) {
	out := AccountNight{Number: a.Number, Name: a.Name}
	var err error
	if out.Since, err = Since(ctx, p.Ledger, a.Number, a.Since, asOf); err != nil {
		return out, err
	}
	d, err := p.draft(ctx, a.Number, out.Since, asOf)
	if err != nil {
		return out, err
	}
	out.Windows, out.Told = d.windows(), d.told
	out.Beside, err = p.Beside(ctx, a.Number, out.Since, asOf)
	return out, err
}

// Windows returns the windows of the night of asOf for an account that is answered for since a day, each one day of one
// source, newest first within a source. A day is asked for once, for the first reason that applies. found are days of cards
// on which the search by code found a sale that the ledger lacks.
func (p *Planner) Windows(
	ctx context.Context, a ledger.Account, since, asOf ledger.Date, found []ledger.Date,
) ([]ledger.Window, error) {
	d, err := p.draft(ctx, a, since, asOf)
	if err != nil {
		return nil, err
	}
	for _, day := range found {
		if day < asOf {
			d.add(ledger.Cards, day, reasonFound)
		}
	}
	return d.windows(), nil
}
