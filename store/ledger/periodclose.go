package ledger

import (
	"fmt"
	"time"
)

// The verbs on periods in the log of acts.
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

	// Revision was current when the period was closed; Run is the run whose figures it shows, Digest that of its content.
	Revision int
	Run      string
	AsOf     Date // of that run
	Digest   string

	Reopened   int64  // number of the act that reopened it; 0: still closed
	ReopenedIn string // the last run that had reconciled the account by then
}

// IsInForce reports whether the period is still closed.
func (c *PeriodClose) IsInForce() bool { return c.Reopened == 0 }

// Subject names the period in the log of acts: period:ACCOUNT:BASIS:YYYY-MM.
func (c *PeriodClose) Subject() string { return periodSubject(c.Account, c.Basis, c.Period.To) }

// periodSubject is the subject of the month that holds a day.
func periodSubject(a Account, basis string, day Date) string {
	return Subject("period", a, basis, MonthText(day))
}

// MonthText is the month of a day, YYYY-MM.
func MonthText(day Date) string { return day.formatAs("2006-01") }

// ParseMonth reads YYYY-MM and gives the month's days.
func ParseMonth(s string) (Period, error) {
	t, err := time.Parse("2006-01", s)
	if err != nil || t.Year() < 1 {
		return Period{}, fmt.Errorf("%.40q: not a month (YYYY-MM)", s)
	}
	first := NewDate(t.Year(), t.Month(), 1)
	return Period{From: first, To: first.MonthEnd()}, nil
}

// Restatement is a change of one item of a closed period since the run before: the reported members that changed, and by
// how much that changes the closed figures (operations 10, reports D.12).
type Restatement struct {
	Close   PeriodClose
	Subject string
	Run     string
	SeenOn  Date // as-of of the run
	Cause   RestatementCause
	Fields  []RestatedField
	Changes RestatedSums
}

// RestatedField is the value of one reported member before and after a change. An item outside the period has no values.
// Of a changed document it is the kind and the hashes; a date that follows from it comes after it, under the name that the
// reports have for it.
type RestatedField struct {
	Name string
	Old  string // empty: the item entered the period, or the member was absent
	New  string // empty: the item left the period, or the member is absent
}

// RestatedSums is by how much the figures of a closed period changed: after less before. Those from Contract on are only
// for cards; they are zero for slips.
type RestatedSums struct {
	Gross, Net, Received                                      Amount
	Contract, Came, NotDue, Overdue, Blocked, ShortBy, OverBy Amount
}

// Minus is r − o, column by column.
func (r RestatedSums) Minus(o RestatedSums) RestatedSums {
	return RestatedSums{
		Gross: r.Gross - o.Gross, Net: r.Net - o.Net, Received: r.Received - o.Received, Contract: r.Contract - o.Contract,
		Came: r.Came - o.Came, NotDue: r.NotDue - o.NotDue, Overdue: r.Overdue - o.Overdue, Blocked: r.Blocked - o.Blocked,
		ShortBy: r.ShortBy - o.ShortBy, OverBy: r.OverBy - o.OverBy,
	}
}

// RestatementCause is the reason of a restatement.
type RestatementCause string

// The causes.
const (
	CauseRestated     RestatementCause = "restated"     // by the service
	CauseCancelled    RestatementCause = "cancelled"    // taken back
	CauseChargedBack  RestatementCause = "charged_back" // taken back
	CauseReversed     RestatementCause = "reversed"     // no longer taken back, or no longer received
	CauseVanished     RestatementCause = "vanished"     // no complete pull shows it
	CauseReappeared   RestatementCause = "reappeared"   // it had vanished
	CauseEntered      RestatementCause = "entered"      // the period
	CauseLeft         RestatementCause = "left"         // the period, for another
	CauseReclassified RestatementCause = "reclassified" // the same record, read with another mapping
	// The record is the same and the expectation is another, because a document changed; by operation only.
	CauseContract RestatementCause = "contract_changed"
	CauseCalendar RestatementCause = "calendar_changed"
	CauseMapping  RestatementCause = "mapping_changed"
	CauseProfile  RestatementCause = "profile_changed"
)

// RestatementCauses returns all causes in the order of the totals.
func RestatementCauses() []RestatementCause {
	return []RestatementCause{
		CauseRestated, CauseCancelled, CauseChargedBack, CauseReversed, CauseVanished, CauseReappeared, CauseEntered, CauseLeft,
		CauseReclassified, CauseContract, CauseCalendar, CauseMapping, CauseProfile,
	}
}

// ReportedCard is an installment as of a run, with its expectation.
type ReportedCard struct {
	Key       InstallmentKey
	Version   int
	Count     int
	Forecast  Date
	Effective Date
	Gross     Amount
	MDR       Opt[Amount]
	Fee       Opt[Amount]
	Antifraud Opt[Amount]
	Received  Opt[Amount]
	Class     Class
	Rest      BridgeLine
	Net       Amount
	Contract  Amount
}
