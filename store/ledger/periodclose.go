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

// PeriodClose is a period that a person closed on a basis: from then on what changes in it is a restatement. It stands
// until a person reopens the period; a period that is closed again has another one (operations 10).
type PeriodClose struct {
	Account Account
	Basis   string // operation or credit
	Period  Period // of one month, as its set was published
	Act     int64  // number of the act that closed it
	Acted   string // the last run that had reconciled the account by then

	// What was reported: the revision that stood, the run whose figures it shows, and the digest of its content.
	Revision int
	Run      string
	AsOf     Date // of that run
	Digest   string

	Reopened   int64  // number of the act that reopened it; 0: it stands
	ReopenedIn string // the last run that had reconciled the account by then
}

// Stands says whether nobody reopened the period since.
func (c *PeriodClose) Stands() bool { return c.Reopened == 0 }

// Subject names the period in the log of acts: period:ACCOUNT:BASIS:YYYY-MM.
func (c *PeriodClose) Subject() string { return PeriodSubject(c.Account, c.Basis, c.Period.To) }

// PeriodSubject is the subject of the month that holds a day.
func PeriodSubject(a Account, basis string, day Date) string {
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
