package ledger

// Population is a count over many rows of an account: Kind is what is counted, Item the group. Amount and Other are sums
// of money if the kind has any.
type Population struct {
	Kind, Item string
	Members    int64
	Amount     Amount
	Other      Amount
}

// ToleratedAmount is the sum of the differences that a rule tolerated in a month, without their signs.
type ToleratedAmount struct {
	Code   string
	Month  Date // its first day
	Amount Amount
}

// DaySum is the sums of one sale day, brand and product, or of one due date of slips.
type DaySum struct {
	Day        Date
	Brand      string
	Product    Product
	Difference Amount // Σ(N* − R), of slips Σ(V* − credited)
	Open       Amount // Σ G of the rows of class open
}

// Movement is a reason why the gross of open installments changed between two reconciles.
type Movement int

// The movements, in the order in which they are reported.
const (
	Started Movement = iota // open at the first reconcile of the account
	Added                   // new
	Unblocked
	Undone // was received, cancelled or charged back
	Reappeared
	Restated // another gross, brand or product
	Reclassified
	ReceivedNormally
	ReceivedEarly
	WasCancelled
	ChargedBack
	WasBlocked
	HasVanished
	MovementCount // the number of movements
)

// Continuity is the gross of the open installments of one sale day, brand and product: Opening as the previous reconcile
// left it, the signed movements since, and Closing as summed now.
type Continuity struct {
	Day     Date
	Brand   string
	Product Product
	Opening Amount
	Changes [MovementCount]Amount
	Closing Amount
}

// Residual is Closing less Opening and all movements: 0 if the movements are complete.
func (c *Continuity) Residual() (Amount, error) {
	rest := c.Opening
	for _, m := range c.Changes {
		var err error
		if rest, err = rest.Add(m); err != nil {
			return 0, err
		}
	}
	return rest.Add(-c.Closing)
}

// AgendaItem is an installment that is still to be received: open and not overdue, or blocked.
type AgendaItem struct {
	Forecast   Date // zero: not sent
	Brand      string
	Product    Product
	Blocked    bool
	GrossCents int64 // gross as allocated to cents within its sale
	Gross      Amount
	Net        Amount // N − R
	// Charged are the fees and, if the profile deducts them from what is received, the splits; ChargedCents is the same with
	// each of them rounded to cents.
	Charged, ChargedCents Amount
	// Anticipating: it has an anticipation cost. ReceivedType, as sent, may mark it as anticipated too.
	Anticipating bool
	ReceivedType string
}

// AgendaSpan is the range of reconciles that a movement of the agenda covers: those after one run, up to and including
// another.
type AgendaSpan struct {
	Since Date   // the as-of that After answers for; none: nothing was shown before
	After string // run whose closing is the opening; empty: nothing was open before
	Until string // run whose closing is shown
}

// ForecastKind says what the money of a ForecastSum is.
type ForecastKind string

// The kinds. The last five have no day.
const (
	ForecastCards     ForecastKind = "cards"      // open installments that are not overdue, by the business day of their forecast
	ForecastSplits    ForecastKind = "splits"     // their splits, if splits are paid out of what is received
	ForecastBlocked   ForecastKind = "blocked"    // blocked installments
	ForecastSlipsPaid ForecastKind = "slips_paid" // slips that are paid and not credited, in time, less the tariff
	ForecastSlipsDue  ForecastKind = "slips_due"  // registered slips that are open and not past due, as if paid on the due date

	ForecastUnregistered ForecastKind = "unregistered" // open slips that the bank has not registered
	LateCards            ForecastKind = "late_cards"
	LateSlips            ForecastKind = "late_slips"
	ReceivedCards        ForecastKind = "received_cards" // credited from the business day before the as-of up to the day before it
	ReceivedSlips        ForecastKind = "received_slips"
)

// ForecastReading is how the rows of an account are read for its forecast.
type ForecastReading struct {
	Settle      func(Date) Date // the business day of a forecast; zero: the calendar does not know it
	NetOfSplits bool            // splits are taken out of what is received
	Received    Period          // the days whose credits are added up as received
}

// ForecastSum is money of one kind on one business day, as a reconcile kept it.
type ForecastSum struct {
	Account Account
	Kind    ForecastKind
	Day     Date  // zero: no day is known, or the kind has none
	Items   int64 // installments or slips
	Printed Amount
	Exact   Amount
}

// MonthAmount is an amount of a MonthLine.
type MonthAmount int

// The amounts of a line of a month. Those of cards are defined as in the report summary; of slips, see MonthLine.
const (
	MonthGross MonthAmount = iota
	MonthMDR
	MonthFees // transaction and antifraud
	MonthAnticipation
	MonthNetExpected
	MonthSplits
	MonthReceived
	MonthNotDue
	MonthOverdue
	MonthBlocked
	MonthShort
	MonthOver
	MonthDifference
	MonthCancelledGross
	MonthCancelledReceived
	MonthAmountCount // the number of amounts
)

// MonthLine is a month of an account as a reconcile kept it: of a brand of cards, or of all slips.
//
// Of slips, Sales are those paid, gross what they should have brought, fees the tariffs, net expected what was paid and is
// missing less the tariffs: charges that no list has shown yet are in it. Received, not due and overdue are credits less the tariffs.
type MonthLine struct {
	Account      Account
	Basis        string // operation or credit
	Month        Date   // its first day
	Side         string // cards or slips
	Brand        string // of cards; empty: none sent
	Sales        int64
	Installments int64
	Printed      [MonthAmountCount]Amount // sums of amounts rounded to cents
	Exact        [MonthAmountCount]Amount
}

// Add adds another line's figures.
func (l *MonthLine) Add(o *MonthLine) {
	l.Sales += o.Sales
	l.Installments += o.Installments
	for i := range l.Printed {
		l.Printed[i] += o.Printed[i]
		l.Exact[i] += o.Exact[i]
	}
}
