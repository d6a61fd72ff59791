package ledger

import (
	"fmt"
	"time"
)

// The verbs on periods, as the log of acts has them.
const (
	ClosePeriod  Verb = "period close"
	ReopenPeriod Verb = "period reopen"
)

// PeriodClose is a month that a person closed on a basis: later changes in it are restatements. It is in force until a
// person reopens the period; closing it again makes another PeriodClose (operations 10).
type PeriodClose struct {
	Account Account
	Basis   string // operation or credit
	Period  Period // one month, as in its published set
	Act     int64  // number of the act that closed it
	Acted   string // the last run that had reconciled the account by then

	// What was reported: the revision that was current, the run whose figures it shows, and the digest of its content.
	Revision int
	Run      string
	AsOf     Date // of that run
	Digest   string

	Reopened   int64  // number of the act that reopened it; 0: still closed
	ReopenedIn string // the last run that had reconciled the account by then
}

// Stands reports whether the period is still closed.
func (c *PeriodClose) Stands() bool { return c.Reopened == 0 }

// Subject names the period in the log of acts: period:ACCOUNT:BASIS:YYYY-MM.
func (c *PeriodClose) Subject() string { return periodSubject(c.Account, c.Basis, c.Period.To) }

// periodSubject is the subject of the month that holds a day.
func periodSubject(a Account, basis string, day Date) string {
	return Subject("period", a, basis, MonthText(day))
}

// MonthText is the month of a day, YYYY-MM.
func MonthText(day Date) string { return day.format("2006-01") }

// ParseMonth reads YYYY-MM and gives the month's days.
func ParseMonth(s string) (Period, error) {
	t, err := time.Parse("2006-01", s)
	if err != nil || t.Year() < 1 {
		return Period{}, fmt.Errorf("%.40q: not a month (YYYY-MM)", s)
	}
	first := NewDate(t.Year(), t.Month(), 1)
	return Period{From: first, To: first.MonthEnd()}, nil
}
