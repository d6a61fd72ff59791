package export

import (
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
)

// Facts are what control lists besides the figures of the files, for the set's account and period.
type Facts struct {
	Run        string
	Engine     string         // version of the program
	Verdict    ledger.Verdict // of the day, over all periods
	Incomplete bool           // of a period set: a day is not complete, or a critical case withholds a side
	Coverage   []Coverage
	Bridge     []ledger.BridgeRow // control adds up the days, brands and products of a line
	Sides      []BridgeSide
	Banks      []BankFacts `json:",omitempty"` // whose homes are in the set
	Tallies    []ledger.RuleCounts
	Quarantine []Quarantined
	Tolerance  []Tolerance
	Accounts   []AccountFacts // of the set of all accounts
	// Acts are the last acts of the logs of the set's accounts and of the log without an account. They are in control's own file
	// only and enter no digest: an act by itself makes no revision.
	Acts []ledger.ActLogEnd
	// Ledger is where the ledger's chains end: the records of runs, and what was concluded of the set's accounts. They are in the
	// manifest only and enter no digest, like the acts.
	Ledger []ledger.ChainEnd
	// Retired are the files of the account's sets that were deleted since its previous state set; of state sets only. They are
	// in control's own file only, like the acts.
	Retired RetiredFiles `json:",omitzero"`
}

// Coverage is how many days of a source are complete, partial and missing.
type Coverage struct {
	Source                     ledger.Source
	Complete, Partial, Missing int64       // days
	HistoryFrom                ledger.Date // first day of the account's history
	Horizon                    ledger.Date // of slips: the last due date that was pulled
}

// Quarantined is a row that could not be read and is in no figure.
type Quarantined struct {
	Source ledger.Source
	Gross  ledger.Opt[ledger.Amount] // absent where it could not be read either
}

// BridgeSide is what the lines of a side have to add up to, from a separate query.
type BridgeSide struct {
	Side         string        // cards or slips
	Difference   ledger.Amount // of cards contract net less received, of slips due less credited
	SplitOutside ledger.Amount // of cards: impacts of the split rules on the set's rows, which are in no line of the bridge
}

// Tolerance is what a rule tolerated on the set's rows of a month.
type Tolerance struct {
	Code   string
	Month  ledger.Date               // its first day; none of rows without a date
	Used   ledger.Amount             // the sum of the differences, without their signs
	Budget ledger.Opt[ledger.Amount] // limit for the whole month; absent if the month has too few rows
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

// RetiredFiles are the files of an account's sets that were deleted since its previous state set, from the ledger's records.
// The control of a state set lists them, so that verify.CheckTree finds a forged tombstone without the ledger: the manifest has the hash
// of control, and the done marker has that of the manifest.
type RetiredFiles struct {
	// Since is the day of the previous state set. Files deleted on it or later, and before this set's day, are listed. 0: none
	// are listed, and no tombstone can be checked by this set.
	Since ledger.Date
	Files map[string]string // SHA-256 by name
}

// BankFacts are what a run concluded of a bank account, for the period of a set.
type BankFacts struct {
	banking.Outcome
	// Proven of Received came to the cent: of what the service says it paid with bank days up to the frontier, in the period or, of a
	// state, ever since.
	Proven, Received ledger.Amount
	Bridge           []banking.BridgeAmount // of the months of the period
	States           map[banking.DayState]int64
	Other            int64          // lines of no payer on those days
	Passes           []banking.Pass // what each pass matched on those days
	Read             banking.FilesRead
}
