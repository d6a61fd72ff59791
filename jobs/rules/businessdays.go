package rules

import (
	"concilia/jobs/calendar"
	"concilia/store/ledger"
)

// businessDays counts the business days of an account: those on which payments settle, and those on which branches of banks are open.
type businessDays struct{ calendar *calendar.Calendar }

// NextBusinessDay is a day on which payments settle: d itself, or the first one after it.
func (b businessDays) NextBusinessDay(d ledger.Date) ledger.Date {
	return b.calendar.NextBusinessDay(calendar.Settles, d)
}

// AddBusinessDays is the n-th day after d on which payments settle; for a negative n, before d.
func (b businessDays) AddBusinessDays(d ledger.Date, n int) ledger.Date {
	return b.calendar.AddBusinessDays(calendar.Settles, d, n)
}

// IsBusinessDay reports whether payments settle on a day.
func (b businessDays) IsBusinessDay(d ledger.Date) bool {
	return b.calendar.IsBusinessDay(calendar.Settles, d)
}

// BusinessDays is the number of days in (from, to] on which payments settle, 0 when to is not after from.
func (b businessDays) BusinessDays(from, to ledger.Date) int {
	return b.calendar.CountBusinessDays(calendar.Settles, from, to)
}

// NextBranchDay is a day on which branches are open: d itself, or the first one after it.
func (b businessDays) NextBranchDay(d ledger.Date) ledger.Date {
	return b.calendar.NextBusinessDay(calendar.Counter, d)
}

// AddBranchDays is the n-th day after d on which branches are open; for a negative n, before d.
func (b businessDays) AddBranchDays(d ledger.Date, n int) ledger.Date {
	return b.calendar.AddBusinessDays(calendar.Counter, d, n)
}
