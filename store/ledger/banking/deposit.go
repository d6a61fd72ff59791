package banking

import "concilia/store/ledger"

// Deposit is what the service says it paid held against what came to a bank account: a match, or a group or line that is left.
type Deposit struct {
	Account ledger.Account // home of the bank account
	Bank    string
	// Name is the match, or the subject of the group or line that is left.
	Name, Payer string
	Day         ledger.Date // booking day of the first line, else the bank day of the group
	CreditDay   ledger.Date // 0: no group
	Parts       string      // ACCOUNT/BRAND/PRODUCT or ACCOUNT/slips of the groups, by |
	Items       int64
	Expected    ledger.Opt[ledger.Amount] // none: no group
	Debits      ledger.Amount
	// Declared are those of the debits that are agreed once a month, which tariffs of slips are not.
	Declared ledger.Amount
	Splits   ledger.Amount             // what left of the groups before the credit
	Credited ledger.Opt[ledger.Amount] // none: no line
	Lines    int64
	Text     string // of the first line, documents of persons masked
	Status   string
	// Shift is how many business days after the group the line came, Pass how both were found. Neither is there of what is left.
	Shift, Pass ledger.Opt[int64]
	Match       string // empty: nothing is matched
	Subject     string // of the first group, else of the first line
	Reason      DepositReason
	Codes       string // of its cases, by |
	Impact      ledger.Opt[ledger.Amount]
	// Closed is the day of which every group and line came that day; 0: nights look at it still. Its parts say the same.
	Closed ledger.Date
}

// Difference is what was expected and did not come; negative when more came.
func (d *Deposit) Difference() ledger.Amount { return d.Expected.V - d.Debits - d.Credited.V }

// DepositReason is where a person should look. It proves nothing.
type DepositReason struct {
	ID     string // of a text; empty: there is nothing to say
	Names  string
	Amount ledger.Amount
}

// DepositPart is a group, line or debit of a deposit. Each is in one deposit at a time.
type DepositPart struct {
	Part    string // its subject; of a debit its key
	Deposit string // name
	Kind    DepositPartKind
	BankDay ledger.Date
	Amount  ledger.Amount
	Closed  ledger.Date // as of its deposit
}

// TakenBack is what the service took back of an installment once credited. A deposit may be less by it.
type TakenBack struct {
	Payer   string
	Subject string         // of the installment
	Account ledger.Account // of the service
	Amount  ledger.Amount  // from 0
	Day     ledger.Date    // on which the installment was credited
	// From and To are the days on which it may come.
	From, To ledger.Date
}

// CreditSide is what of the service a bank account is paid: cards or slips.
type CreditSide string

// The sides.
const (
	CreditedCards CreditSide = "cards"
	CreditedSlips CreditSide = "slips"
)

// Credit is what came to a bank account of what the service says it credited with an account on a day: of the rows that are alike in
// the members below, by which summaries group it.
type Credit struct {
	Account ledger.Account // of the service
	Day     ledger.Date    // of the credit
	Side    CreditSide
	// Brand, Product and Band are those of the rows' expectations; of slips there are none.
	Brand   string
	Product ledger.Product
	Band    string
	Class   ledger.Class
	Items   int64
	// Expected is what should have come of them, Credited what did. Both are whole cents.
	Expected, Credited ledger.Amount
}

// PaidSide is a side of an account of the service that is paid into a bank account.
type PaidSide struct {
	Account ledger.Account
	Side    CreditSide
	// Since is the first day that is answered for; 0: no day is settled.
	Since ledger.Date
}

// Basis is what a conclusion of a bank account was drawn from. A later one by the same terms looks again only at the days that moved
// since, and at those that are not closed.
type Basis struct {
	Run string // that drew it
	// AsOf is its day, From and To are the days that it looked at.
	AsOf, From, To ledger.Date
	// Terms is a digest of the configuration and the documents by which days are matched.
	Terms string
}

// ClosedDay is what a closed day comes to, on both sides.
type ClosedDay struct {
	Day              ledger.Date
	Expected, Booked ledger.Amount
}

// DepositPartKind is what a part is.
type DepositPartKind string

// The kinds of parts.
const (
	GroupPart DepositPartKind = "group"
	LinePart  DepositPartKind = "line"
	DebitPart DepositPartKind = "debit"
)

// BridgeAmount is a line of the bridge of a bank account in a month; received and booked are its two ends.
type BridgeAmount struct {
	Bank   string
	Month  ledger.Date // its first day
	Line   string
	Amount ledger.Amount
}

// SeenDay is a day of a bank account as a run found it.
type SeenDay struct {
	Account           ledger.Account // home
	Bank              string
	Day               ledger.Date
	State             DayState
	Lines, Other      int64 // Other of them are of no payer
	Credits, Debits   ledger.Amount
	Balance, Residual ledger.Opt[ledger.Amount]
	File              string // first 16 hex digits of the statement that shows it; empty: none
}

// Outcome is what a run concluded of a bank account.
type Outcome struct {
	Bank     string
	Verdict  ledger.Verdict
	Frontier ledger.Date // 0: no day is settled
	// Voided is how many matches of people no longer hold.
	Voided int64
	// LeftOut is what takes no part.
	LeftOut
	// Readings say how its payers pay, as it was read: a line a payer, "NAME: KEY VALUE, ...".
	Readings string
}

// LeftOut counts what takes no part in the matching: installments and slips credited before the first day that is answered for,
// installments paid without a day, and lines that statements announce.
type LeftOut struct{ Early, Undated, Scheduled int64 }

// Pass is what a pass matched: with how many matches, and what was expected and came in them. Pass 0 is what people matched.
type Pass struct {
	Pass               int64
	Matches            int64
	Expected, Credited ledger.Amount
}

// FilesRead counts the statements that a conclusion knew, and the rows in them that are no movement.
type FilesRead struct{ Files, BalanceRows, Blocked int64 }

// Proof is what the last run concluded of a bank account, and of its days how many are in each state.
type Proof struct {
	Outcome
	// Proven of Received came to the cent, of all that is expected up to the frontier.
	Proven, Received ledger.Amount
	Days             map[DayState]int64
}

// Conclusion is all that a run keeps of what it concluded of a bank account.
type Conclusion struct {
	Outcome
	Deposits []Deposit
	Parts    []DepositPart
	Bridge   []BridgeAmount
	Days     []SeenDay
	// TakenBack are the amounts that later days may come less by.
	TakenBack []TakenBack
	// Credits are what came, by the lines of summaries, and Paid the sides of accounts that are paid into the bank account.
	Credits []Credit
	Paid    []PaidSide
	// Basis is what this was drawn from, Files are the statements that it knows.
	Basis Basis
	Files []ledger.FileHash
	// Matched are the days that Deposits, Parts, TakenBack and Credits are of, in order and apart: what is kept of others stays. Whole is set
	// where that is every day.
	Matched []ledger.Period
	Whole   bool
	// After is the run whose conclusion has the others; empty where Whole is set.
	After string
}
