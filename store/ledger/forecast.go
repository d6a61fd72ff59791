package ledger

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
