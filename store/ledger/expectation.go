package ledger

// BridgeLine is one line of the bridge, which explains the difference between expected and received amounts.
type BridgeLine string

// The lines of the bridge: first those of cards, then those of slips, then those of both.
const (
	LineMDR          BridgeLine = "mdr"
	LineFee          BridgeLine = "transaction_fee"
	LineAntifraud    BridgeLine = "antifraud"
	LineAnticipation BridgeLine = "anticipation"
	LineSplit        BridgeLine = "split"
	LineReceived     BridgeLine = "received_short_or_over"
	LineReversed     BridgeLine = "cancelled_but_received"
	LineBlocked      BridgeLine = "blocked"
	LineNoForecast   BridgeLine = "no_forecast"
	LineNotDue       BridgeLine = "not_due"
	LineOverdue      BridgeLine = "overdue"

	LinePenalty       BridgeLine = "penalty"
	LineInterest      BridgeLine = "interest"
	LineChargeNotDue  BridgeLine = "charge_not_due"
	LineLateNotShown  BridgeLine = "late_charges_not_shown"
	LinePaid          BridgeLine = "paid_short_or_over"
	LineCancelledPaid BridgeLine = "cancelled_but_paid"
	LineCreditNotDue  BridgeLine = "credit_not_due"
	LineCreditOverdue BridgeLine = "credit_overdue"
	LineNotRegistered BridgeLine = "not_registered"
	LineUnpaidNotDue  BridgeLine = "unpaid_not_due"
	LineUnpaidPastDue BridgeLine = "unpaid_past_due"

	// Of the bridge from received to what is at the bank.
	LineBankMissing     BridgeLine = "bank_missing"
	LineBankReturned    BridgeLine = "bank_returned"
	LineBankDiffers     BridgeLine = "bank_differs"
	LineBankUnexpected  BridgeLine = "bank_unexpected"
	LineBankUnexplained BridgeLine = "bank_unexplained"

	// Of the bridge from what stores say they sold to what the service says.
	LineNotAtService  BridgeLine = "not_at_service"
	LineOnlyAtService BridgeLine = "only_at_service"
	LineToldTwice     BridgeLine = "told_twice"
	LineSidesDiffer   BridgeLine = "sides_differ"

	LineRounding      BridgeLine = "rounding"
	LineNotAttributed BridgeLine = "not_attributed"
)

// Bracket is one term of a row's difference, and the line of the bridge it belongs to. A positive amount was lost, or is
// still expected, by the merchant.
type Bracket struct {
	Line   BridgeLine
	Reason string     // of not_attributed: shadow, unmapped, window
	Origin BridgeLine // of not_attributed: the line the amount would be on if it could be attributed
	Amount Amount
	// Code is the rule that owns the whole amount, and Case its case on the row or on the row's sale. Both are empty if
	// no rule fired for the bracket; but of rounding Code is the rule that tolerated it.
	Code, Case string
}

// EveryNight is the NextOn of what is evaluated every night: a day long past, since one that moved with the nights would make each
// night another expectation of what did not change.
const EveryNight Date = 1

// Expectation is what a run expected for one version of an installment.
type Expectation struct {
	Key     InstallmentKey
	Version int
	Inputs  string // hash of the contract, mapping, profile, calendar and rules it rests on
	Run     string // the run that wrote it

	Class       Class
	Unmapped    bool   // a status outside the mapping was read as empty
	Brand       string // mapped, or as sent
	Product     Product
	Band        string // 1, 2-6, 7-12 or the contract's own
	Net         Amount // N: arithmetical net; 0 for a reversal class
	NetContract Amount // N*: net by the contract
	GrossCents  int64  // gross allocated to cents within its sale
	Received    Amount // R of the bridge: a claw-back nets what was paid

	ContractLine    string
	ContractMDRRate Opt[Rate] // percent
	ExpectedDate    Date      // the contract's term through the calendar
	DaysLate        Opt[int64]
	DaysAnticipated Opt[int64]
	// Rest is the line of the row's last bracket (N − R), which is in Brackets too.
	Rest     BridgeLine
	Brackets []Bracket // those that are not zero

	Verdict Verdict
	Codes   []string // that fire on the row, sorted
	Impact  Opt[Amount]
	// Splits holds the expectation of each split of the row, in its order.
	Splits []SplitExpectation

	NextOn         Date   // the first as-of at which the passage of time may change any of this; zero: never; or EveryNight
	AggregateDelta string // what the row adds to populations, except for its brackets
}

// SplitExpectation is what was expected for one split.
type SplitExpectation struct {
	Expected    Opt[Amount] // base × pct, to the cent
	ContractPct Opt[Rate]   // percent
	Verdict     Verdict
	Codes       []string
}

// SlipExpectation is what a run expected for a slip.
type SlipExpectation struct {
	Account Account
	ID      string
	Version int
	Inputs  string
	Run     string

	Class       Class
	Day         Date // the due date, which is the day of its bridge
	DueAdjusted Date
	Face        Amount // V*: the amount that should have been paid
	Credited    Amount // Wp once credited, else 0
	PenaltyDue  Opt[Amount]
	InterestDue Opt[Amount]
	DaysLate    Opt[int64]
	FloatDays   Opt[int64]
	Tariff      Opt[Amount]
	NetCredited Opt[Amount]
	CreditLimit Date // last as-of at which a missing credit is not overdue
	// CreditOn is the day on which it was credited or should be, an open slip as if it were paid when due; zero: no credit is to
	// be expected. CreditNet is what was or should be credited, less the tariff.
	CreditOn  Date
	CreditNet Opt[Amount]
	Rest      BridgeLine
	Brackets  []Bracket

	Verdict Verdict
	Codes   []string
	Impact  Opt[Amount]

	NextOn         Date
	AggregateDelta string
}

// BridgeRow is the amount of one line of the bridge for an account, day, brand and product (slips: for a day). Amount is what
// was lost or is still to come, less Excess, which is the sum of the negative brackets without their sign. Reports show both
// and never offset them.
type BridgeRow struct {
	Account Account
	Side    string // cards or slips
	Day     Date   // sale date, or the slip's due date
	Brand   string
	Product Product
	Line    BridgeLine
	Reason  string
	Amount  Amount
	Excess  Amount // never negative in the sum of all rows
}

// Lost is the sum of the positive brackets.
func (r *BridgeRow) Lost() Amount { return r.Amount + r.Excess }

// RuleCounts counts the results of one rule in a run for an account.
type RuleCounts struct {
	Code         string
	Eligible     int64
	Evaluated    int64
	Fired        int64
	Within       int64 // passed with a difference inside the tolerance
	NoInput      int64
	Unmapped     int64
	Shadow       int64
	Window       int64
	NotEvaluable int64
}

// Add adds the counts of o.
func (t *RuleCounts) Add(o RuleCounts) {
	t.Eligible += o.Eligible
	t.Evaluated += o.Evaluated
	t.Fired += o.Fired
	t.Within += o.Within
	t.NoInput += o.NoInput
	t.Unmapped += o.Unmapped
	t.Shadow += o.Shadow
	t.Window += o.Window
	t.NotEvaluable += o.NotEvaluable
}
