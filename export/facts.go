package export

import "concilia/store/ledger"

// Facts are what control says besides the figures of the files: all plain data of the set's account and period.
type Facts struct {
	Run        string
	Engine     string         // version of the program
	Verdict    ledger.Verdict // of the day, over all periods
	Incomplete bool           // of a period set: a day of it is not complete, or a critical case holds a side of it back
	Coverage   []Coverage
	Bridge     []ledger.BridgeRow // control adds up the days, brands and products of a line
	Sides      []BridgeSide
	Tallies    []ledger.RuleCounts
	Quarantine []Quarantined
	Tolerance  []Tolerance
	Accounts   []AccountFacts // of the set of all accounts
	// Acts are where the logs of acts ended, of the set's accounts and of what is of no account. They stand in control's
	// own file alone and enter no digest: an act by itself makes no revision.
	Acts []ledger.ActLogEnd
	// Retired is what went of the account's sets since its state set before, of state sets alone. It stands in control's
	// own file, as the acts do.
	Retired RetiredFiles `json:",omitzero"`
}

// Coverage is how much of what was answered for was asked and answered, per source.
type Coverage struct {
	Source                     ledger.Source
	Complete, Partial, Missing int64       // days
	HistoryFrom                ledger.Date // since when the account is answered for
	Horizon                    ledger.Date // of slips: the last due date asked for
}

// Quarantined is a row that could not be read, and stands in no figure.
type Quarantined struct {
	Source ledger.Source
	Gross  ledger.Opt[ledger.Amount] // absent where it could not be read either
}

// BridgeSide is what the sum of a side's lines must be, from a query of its own.
type BridgeSide struct {
	Side         string        // cards or slips
	Difference   ledger.Amount // of cards contract net less received, of slips due less credited
	SplitOutside ledger.Amount // of cards: impacts of the split rules on the set's rows, which stand outside the bridge
}

// Tolerance is what a rule tolerated on the set's rows of a month.
type Tolerance struct {
	Code   string
	Month  ledger.Date               // its first day; none of rows without a date
	Used   ledger.Amount             // the sum of the differences, without their signs
	Budget ledger.Opt[ledger.Amount] // most that it may tolerate in the whole month; absent where the month has too few rows
}

// AccountFacts is one account's part of the set over all of them.
type AccountFacts struct {
	Account ledger.Account
	Name    string // as configured; empty when it has none
	Verdict ledger.Verdict
	// Incomplete is Facts.Incomplete of the account.
	Incomplete bool       `json:",omitempty"`
	Withheld   []Withheld // its rows are in no table of the set; none: they are
	// NoSlips is the critical code that withholds the slips of an account whose cards are here: a page that counts slips
	// leaves them out and says so.
	NoSlips string `json:",omitempty"`
}
