package ledger

// Line is a line of the bridge.
type Line string

// The lines of the bridge: first those of cards, then those of slips, then those of both.
const (
	LineMDR          Line = "mdr"
	LineFee          Line = "transaction_fee"
	LineAntifraud    Line = "antifraud"
	LineAnticipation Line = "anticipation"
	LineSplit        Line = "split"
	LineReceived     Line = "received_short_or_over"
	LineReversed     Line = "cancelled_but_received"
	LineBlocked      Line = "blocked"
	LineNoForecast   Line = "no_forecast"
	LineNotDue       Line = "not_due"
	LineOverdue      Line = "overdue"

	LinePenalty       Line = "penalty"
	LineInterest      Line = "interest"
	LineChargeNotDue  Line = "charge_not_due"
	LineLateNotShown  Line = "late_charges_not_shown"
	LinePaid          Line = "paid_short_or_over"
	LineCancelledPaid Line = "cancelled_but_paid"
	LineCreditNotDue  Line = "credit_not_due"
	LineCreditOverdue Line = "credit_overdue"
	LineNotRegistered Line = "not_registered"
	LineUnpaidNotDue  Line = "unpaid_not_due"
	LineUnpaidPastDue Line = "unpaid_past_due"

	LineRounding      Line = "rounding"
	LineNotAttributed Line = "not_attributed"
)

// Bracket is one term of a row's difference, and the line of the bridge it belongs to. A positive amount was lost, or is
// still expected, by the merchant.
type Bracket struct {
	Line   Line
	Reason string // of not_attributed: shadow, unmapped, window
	Origin Line   // of not_attributed: the line the amount would be on if it could be attributed
	Amount Amount
	// Code is the rule that owns the whole amount, and Case its case on the row or on the row's sale. Both are empty if
	// no rule fired for the bracket; but of rounding Code is the rule that tolerated it.
	Code, Case string
}

// Expectation is what a run believed of one version of an installment.
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
	NetContract Amount // N*
	GrossCents  int64  // gross allocated to cents within its sale
	Received    Amount // R of the bridge: a claw-back nets what was paid

	ContractLine    string
	ContractMDRRate Opt[Rate] // percent
	ExpectedDate    Date      // the contract's term through the calendar
	DaysLate        Opt[int64]
	DaysAnticipated Opt[int64]
	// Rest is the line of the row's last bracket (N − R), which is among Brackets too.
	Rest     Line
	Brackets []Bracket // those that are not zero

	Verdict Verdict
	Codes   []string // that fire on the row, sorted
	Impact  Opt[Amount]
	// Splits holds, per split of the row and in its order, what should have been.
	Splits []SplitExpectation

	NextOn       Date   // the first as-of at which the passage of time may change any of this; zero: never
	Contribution string // what the row adds to populations, apart from its brackets
}

// SplitExpectation is what one split should have been.
type SplitExpectation struct {
	Expected    Opt[Amount] // base × pct, to the cent
	ContractPct Opt[Rate]   // percent
	Verdict     Verdict
	Codes       []string
}

// SlipExpectation is what a run believed of a slip.
type SlipExpectation struct {
	Account Account
	ID      string
	Version int
	Inputs  string
	Run     string

	Class       Class
	Day         Date // the due date: the day its bridge stands on
	DueAdjusted Date
	Face        Amount // V* : what should have been paid
	Credited    Amount // Wp once credited, else 0
	PenaltyDue  Opt[Amount]
	InterestDue Opt[Amount]
	DaysLate    Opt[int64]
	FloatDays   Opt[int64]
	Tariff      Opt[Amount]
	NetCredited Opt[Amount]
	CreditLimit Date // last as-of at which a missing credit is not overdue
	Rest        Line
	Brackets    []Bracket

	Verdict Verdict
	Codes   []string
	Impact  Opt[Amount]

	NextOn       Date
	Contribution string
}

// BridgeRow is the amount of one line of the bridge for an account, day, brand and product (slips: for a day). Amount is what
// was lost or is still to come less Excess, the sum of the negative brackets without their sign: reports show both and net
// neither.
type BridgeRow struct {
	Account Account
	Side    string // cards or slips
	Day     Date   // sale date, or the slip's due date
	Brand   string
	Product Product
	Line    Line
	Reason  string
	Amount  Amount
	Excess  Amount // never negative in what all rows come to
}

// Lost is what the line comes to without what is in excess.
func (r *BridgeRow) Lost() Amount { return r.Amount + r.Excess }

// Tally is what a rule did in a run, per account.
type Tally struct {
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

// Add adds t's figures.
func (t *Tally) Add(o Tally) {
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
