package wire

import (
	"concilia/jobs"
	"concilia/jobs/casework"
	"concilia/jobs/plan"
	"concilia/jobs/rules/catalogue"
	"concilia/store/ledger"
)

// NewExplainer answers from the ledger and the documents of a wired worker.
func NewExplainer(w *jobs.Worker) *casework.Explainer {
	x := &casework.Explainer{
		Ledger: w.Ledger, Names: map[ledger.Account]string{}, Service: w.Reports.Service, Profile: w.Inputs.Profile, Calendar: w.Inputs.Calendar, Contracts: w.Inputs.Contracts,
		Mapping: w.Inputs.Mapping, Settings: w.Inputs.Settings, Orders: w.Inputs.Orders, Banks: w.Banks, Today: w.Today(),
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
