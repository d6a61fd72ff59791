package watch

import (
	"concilia/store/ledger"
)

// The kinds of alarms, as the configuration spells them.
const (
	OnIncomplete = "incomplete"  // a run is incomplete or failed
	OnFirstBreak = "first_break" // a code breaks for the first time in 30 days
	OnBudget     = "budget"      // more was tolerated in a month than allowed
	OnSilence    = "silence"     // the service answers without rows where it had some before
	OnNoRun      = "no_run"      // no night has ended by a time of day
)

// Alarm is something that people should know now. It names no payer.
type Alarm struct {
	On      string         `json:"on"`
	Account ledger.Account `json:"account,omitzero"` // absent: none in particular
	Text    string         `json:"text"`             // one sentence
	Run     string         `json:"run,omitzero"`
	AsOf    ledger.Date    `json:"as_of,omitzero"`
	Cases   []Cases        `json:"cases,omitzero"`
	// Cause tells alarms of one kind, account and run apart. By is the time of day of OnNoRun, HH:MM.
	Cause string `json:"-"`
	By    string `json:"-"`
}

// Cases are the cases of a code that an alarm is about.
type Cases struct {
	Code   string `json:"code"`
	Cases  int64  `json:"cases"`
	Impact string `json:"impact"` // the sum, in reais, positive when the merchant lost
}
