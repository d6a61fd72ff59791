package banking

import "concilia/store/ledger"

// DayState is what is known of a day of a bank account.
type DayState string

// The states of a day. Proven and covered days are settled: nothing more is expected of them.
const (
	DayProven  DayState = "proven"  // balances before and after agree with its lines
	DayCovered DayState = "covered" // a statement has all of it, and no balances prove or contradict it
	DayBroken  DayState = "broken"  // balances contradict the lines
	DayPartial DayState = "partial" // shown, but no statement has all of it
	DayMissing DayState = "missing" // no statement shows it
)

// Day is a day of a bank account.
type Day struct {
	Day   ledger.Date
	State DayState
	Lines int64
	// Credits and Debits are sums of booked lines, both from 0.
	Credits, Debits ledger.Amount
	// Balance is the closing the bank states, if it does.
	Balance ledger.Opt[ledger.Amount]
	// Residual is what the lines of the day's link differ by from its balances; none without a link.
	Residual ledger.Opt[ledger.Amount]
	// File is the statement that shows the day; zero: none.
	File ledger.FileHash
}

// Settled reports whether the statement is known to be whole for the day.
func (d *Day) Settled() bool { return d.State == DayProven || d.State == DayCovered }

// Net is what came less what went.
func (d *Day) Net() ledger.Amount { return d.Credits - d.Debits }

// Frontier is the last day up to which every day from since on is settled, 0 when there is none; since 0 is the first
// settled day. The days are in order and without a hole.
func Frontier(days []Day, since ledger.Date) (frontier ledger.Date) {
	for i := range days {
		switch {
		case since != 0 && days[i].Day < since, since == 0 && frontier == 0 && !days[i].Settled():
		case !days[i].Settled():
			return frontier
		case since != 0 && frontier == 0 && days[i].Day > since:
			return 0 // the first days answered for are shown by no file
		default:
			frontier = days[i].Day
		}
	}
	return frontier
}

// Line is one booked or announced movement of a bank account.
type Line struct {
	Row
	// Occurrence is 1 for the first of lines with equal day, amount and text.
	Occurrence int
	// Version counts from 1; a reworded, vanished or booked line has a further one.
	Version int
	// File is the statement that brought this version.
	File ledger.FileHash
	// Vanished lines are shown by no later statement that should have them. They are in no sum.
	Vanished bool
}

// Import is what taking in one statement did.
type Import struct {
	// Known means that the same bytes were taken in before: nothing is new.
	Known                                    bool
	Lines                                    int64 // rows that are movements
	New, Same, Reworded, Vanished, Scheduled int64
	// SettledTo is the last day up to which everything is settled; 0: none.
	SettledTo ledger.Date
	// Older means that the bank made it before another one that is known.
	Older bool
}
