package ledger

// Deposit is what the service says it paid held against what came to a bank account: a match, or a group or line that is left.
type Deposit struct {
	Account Account // home of the bank account
	Bank    string
	// Name is the match, or the subject of the group or line that is left.
	Name, Payer string
	Day         Date   // booking day of the first line, else the bank day of the group
	CreditDay   Date   // 0: no group
	Parts       string // ACCOUNT/BRAND/PRODUCT or ACCOUNT/slips of the groups, by |
	Items       int64
	Expected    Opt[Amount] // none: no group
	Debits      Amount
	// Declared are those of the debits that are agreed once a month, which tariffs of slips are not.
	Declared Amount
	Splits   Amount      // what left of the groups before the credit
	Credited Opt[Amount] // none: no line
	Lines    int64
	Text     string // of the first line, documents of persons masked
	Status   string
	// Shift is how many business days after the group the line came, Pass how both were found. Neither is there of what is left.
	Shift, Pass Opt[int64]
	Match       string // empty: nothing is matched
	Subject     string // of the first group, else of the first line
	Reason      DepositReason
	Codes       string // of its cases, by |
	Impact      Opt[Amount]
	// Closed is the day of which every group and line came that day; 0: nights look at it still. Its parts say the same.
	Closed Date
}

// Difference is what was expected and did not come; negative when more came.
func (d *Deposit) Difference() Amount { return d.Expected.V - d.Debits - d.Credited.V }

// DepositReason is where a person should look. It proves nothing.
type DepositReason struct {
	ID     string // of a text; empty: there is nothing to say
	Names  string
	Amount Amount
}

// DepositPart is a group, line or debit of a deposit. Each is in one deposit at a time.
type DepositPart struct {
	Part    string // its subject; of a debit its key
	Deposit string // name
	Kind    DepositPartKind
	BankDay Date
	Amount  Amount
	Closed  Date // as of its deposit
}

// BankTakenBack is what the service took back of an installment once credited. A deposit may be less by it.
type BankTakenBack struct {
	Payer   string
	Subject string  // of the installment
	Account Account // of the service
	Amount  Amount  // from 0
	Day     Date    // on which the installment was credited
	// From and To are the days on which it may come.
	From, To Date
}

// CreditSide is what of the service a bank account is paid: cards or slips.
type CreditSide string

// The sides.
const (
	CreditedCards CreditSide = "cards"
	CreditedSlips CreditSide = "slips"
)

// BankCredit is what came to a bank account of what the service says it credited with an account on a day: of the rows that are alike in
// the members below, by which summaries group it.
type BankCredit struct {
	Account Account // of the service
	Day     Date    // of the credit
	Side    CreditSide
	// Brand, Product and Band are those of the rows' expectations; of slips there are none.
	Brand   string
	Product Product
	Band    string
	Class   Class
	Items   int64
	// Expected is what should have come of them, Credited what did. Both are whole cents.
	Expected, Credited Amount
}

// BankPaid is a side of an account of the service that is paid into a bank account.
type BankPaid struct {
	Account Account
	Side    CreditSide
	// Since is the first day that is answered for; 0: no day is settled.
	Since Date
}

// BankBasis is what a conclusion of a bank account was drawn from. A later one by the same terms looks again only at the days that moved
// since, and at those that are not closed.
type BankBasis struct {
	Run string // that drew it
	// AsOf is its day, From and To are the days that it looked at.
	AsOf, From, To Date
	// Terms is a digest of the configuration and the documents by which days are matched.
	Terms string
}

// BankClosedDay is what a closed day comes to, on both sides.
type BankClosedDay struct {
	Day              Date
	Expected, Booked Amount
}

// DepositPartKind is what a part is.
type DepositPartKind string

// The kinds of parts.
const (
	GroupPart DepositPartKind = "group"
	LinePart  DepositPartKind = "line"
	DebitPart DepositPartKind = "debit"
)

// BankBridgeAmount is a line of the bridge of a bank account in a month; received and booked are its two ends.
type BankBridgeAmount struct {
	Bank   string
	Month  Date // its first day
	Line   string
	Amount Amount
}

// SeenBankDay is a day of a bank account as a run found it.
type SeenBankDay struct {
	Account           Account // home
	Bank              string
	Day               Date
	State             BankDayState
	Lines, Other      int64 // Other of them are of no payer
	Credits, Debits   Amount
	Balance, Residual Opt[Amount]
	File              string // first 16 hex digits of the statement that shows it; empty: none
}

// BankStanding is what a run concluded of a bank account.
type BankStanding struct {
	Bank     string
	Verdict  Verdict
	Frontier Date // 0: no day is settled
	// Voided is how many matches of people no longer hold.
	Voided int64
	// BankLeftOut is what takes no part.
	BankLeftOut
	// Readings say how its payers pay, as it was read: a line a payer, "NAME: KEY VALUE, ...".
	Readings string
}

// BankLeftOut counts what takes no part in the matching: installments and slips credited before the first day that is answered for,
// installments paid without a day, and lines that statements announce.
type BankLeftOut struct{ Early, Undated, Scheduled int64 }

// BankPass is what a pass matched: with how many matches, and what was expected and came in them. Pass 0 is what people matched.
type BankPass struct {
	Pass               int64
	Matches            int64
	Expected, Credited Amount
}

// BankFilesRead counts the statements that a conclusion knew, and the rows in them that are no movement.
type BankFilesRead struct{ Files, BalanceRows, Blocked int64 }

// BankProof is what the last run concluded of a bank account, and of its days how many are in each state.
type BankProof struct {
	BankStanding
	// Proven of Received came to the cent, of all that is expected up to the frontier.
	Proven, Received Amount
	Days             map[BankDayState]int64
}

// BankConclusion is all that a run keeps of what it concluded of a bank account.
type BankConclusion struct {
	BankStanding
	Deposits []Deposit
	Parts    []DepositPart
	Bridge   []BankBridgeAmount
	Days     []SeenBankDay
	// TakenBack are the amounts that later days may come less by.
	TakenBack []BankTakenBack
	// Credits are what came, by the lines of summaries, and Paid the sides of accounts that are paid into the bank account.
	Credits []BankCredit
	Paid    []BankPaid
	// Basis is what this was drawn from, Files are the statements that it knows.
	Basis BankBasis
	Files []FileHash
	// Matched are the days that Deposits, Parts, TakenBack and Credits are of, in order and apart: what is kept of others stays. Whole is set
	// where that is every day.
	Matched []Period
	Whole   bool
	// After is the run whose conclusion has the others; empty where Whole is set.
	After string
}
