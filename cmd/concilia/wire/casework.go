package wire

import (
	"context"
	"os"
	"slices"

	"concilia/cmd/concilia/exit"
	"concilia/config"
	"concilia/jobs"
	"concilia/jobs/casework"
	"concilia/jobs/explain"
	"concilia/jobs/plan"
	"concilia/jobs/rules/catalogue"
	"concilia/store"
	"concilia/store/ledger"
)

// NewExplainer answers from the ledger and the documents of a wired worker.
func NewExplainer(w *jobs.Worker) *explain.Explainer {
	x := &explain.Explainer{
		Ledger: w.Ledger, Names: map[ledger.Account]string{}, Service: w.Reports.Service, Profile: w.Inputs.Profile, Calendar: w.Inputs.Calendar, Contracts: w.Inputs.Contracts,
		Mapping: w.Inputs.Mapping, Settings: w.Inputs.Settings, Orders: w.Inputs.Orders, Banks: w.Banks, Today: w.Today(), Zone: w.Zone,
	}
	for _, a := range w.Accounts {
		x.Names[a.Number] = a.Name
	}
	return x
}

// NewOverview looks things up in the ledger of a wired worker.
func NewOverview(w *jobs.Worker) *casework.Overview {
	v := &casework.Overview{Ledger: w.Ledger, Accounts: PlannedAccounts(w), Unit: w.Inputs.Profile.Unit, Now: w.Now, Zone: w.Zone}
	if inbox, ok := w.Inbox.(casework.Inbox); ok {
		v.Inbox = inbox
	}
	return v
}

// PlannedAccounts are the accounts of a wired worker as plans have them.
func PlannedAccounts(w *jobs.Worker) []plan.Account {
	accounts := make([]plan.Account, len(w.Accounts))
	for i, a := range w.Accounts {
		accounts[i] = plan.Account{Number: a.Number, Name: a.Name, Since: a.Since}
	}
	return accounts
}

// VoiceOf is how texts are worded for somebody who reads the language.
func VoiceOf(w *jobs.Worker, lang string) catalogue.Voice {
	return catalogue.Voice{Language: lang, Service: w.Reports.Service}
}

// AccountNumbers are the configured accounts, or those of them that are named.
func AccountNumbers(c *config.Config, named []int64) ([]ledger.Account, error) {
	var out []ledger.Account
	for _, a := range c.Accounts {
		if len(named) == 0 || slices.Contains(named, a.Number) {
			out = append(out, ledger.Account(a.Number))
		}
	}
	for _, n := range named {
		if !slices.Contains(out, ledger.Account(n)) {
			return nil, exit.NewUsageError("error.no_account", "hint.accounts_listed", "account", n)
		}
	}
	return out, nil
}

// WithKeptLedger opens the configured ledger, which has to be there, for a command that reads it.
func (p *Process) WithKeptLedger(ctx context.Context, fn func(c *config.Config, l *store.Ledger, today ledger.Date) error) error {
	c, err := p.LoadConfig(0)
	if err != nil {
		return err
	}
	now, _, err := p.BusinessClock(c)
	if err != nil {
		return err
	}
	l, err := p.OpenKept(ctx, c)
	if err != nil {
		return err
	}
	// What was kept is kept already: a failed close loses nothing.
	defer func() { _ = l.Close() }()
	return fn(c, l, ledger.DateOf(now(), c.Location()))
}

// WithCasework opens the configured ledger for a command about cases or evidence. No ledger is not one without cases.
func (p *Process) WithCasework(ctx context.Context, fn func(*casework.Handler) error) error {
	return p.WithKeptLedger(ctx, func(c *config.Config, l *store.Ledger, today ledger.Date) error {
		days, err := CalendarOf(c, nil)
		if err != nil {
			return err
		}
		accounts, err := AccountNumbers(c, nil)
		if err != nil {
			return err
		}
		d := &casework.Handler{
			Ledger: l, Accounts: accounts, Service: c.Service.Name, FourEyes: c.FourEyes, Today: today, Calendar: days, Wall: p.Wall, Person: CurrentPerson(),
		}
		d.Host, _ = os.Hostname() // a machine without a name acts, too
		return fn(d)
	})
}
