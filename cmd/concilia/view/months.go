package view

import (
	"cmp"
	"slices"

	"concilia/store/ledger"
)

// MonthFigures are what a month came to, as printed. Costs are MDR, fees and anticipation; ToReceive is what is not due and what is
// late.
type MonthFigures struct {
	Items                       int64 // installments of cards, and slips paid
	Gross, Costs, NetExpected   ledger.Amount
	Splits, Received, ToReceive ledger.Amount
	Blocked, Difference         ledger.Amount
}

// AddLine adds a line that a run kept.
func (f *MonthFigures) AddLine(l *ledger.MonthLine) {
	at := func(a ledger.MonthAmount) ledger.Amount { return l.Printed[a] }
	if f.Items += l.Installments; l.Side == "slips" {
		f.Items += l.Sales
	}
	f.Gross += at(ledger.MonthGross)
	f.Costs += at(ledger.MonthMDR) + at(ledger.MonthFees) + at(ledger.MonthAnticipation)
	f.NetExpected += at(ledger.MonthNetExpected)
	f.Splits += at(ledger.MonthSplits)
	f.Received += at(ledger.MonthReceived)
	f.ToReceive += at(ledger.MonthNotDue) + at(ledger.MonthOverdue)
	f.Blocked += at(ledger.MonthBlocked)
	f.Difference += at(ledger.MonthDifference)
}

// MonthTotal is a month over all accounts that are shown.
type MonthTotal struct {
	Month  ledger.Date
	Now    MonthFigures
	Closed int // accounts whose month is closed
	// Verdict is the worst that the month's published sets say; empty: there is none.
	Verdict ledger.Verdict
}

// MonthTotalsOf adds lines up by month, latest first.
func MonthTotalsOf(lines []ledger.MonthLine, closes []ledger.PeriodClose) []MonthTotal {
	byMonth := map[ledger.Date]*MonthTotal{}
	for i := range lines {
		l := &lines[i]
		if byMonth[l.Month] == nil {
			byMonth[l.Month] = &MonthTotal{Month: l.Month}
		}
		byMonth[l.Month].Now.AddLine(l)
	}
	for i := range closes {
		if t := byMonth[closes[i].Period.From]; t != nil {
			t.Closed++
		}
	}
	var out []MonthTotal
	for _, t := range byMonth {
		out = append(out, *t)
	}
	slices.SortFunc(out, func(a, b MonthTotal) int { return cmp.Compare(b.Month, a.Month) })
	return out
}

// MonthRow is a line of a month: a brand of cards, all slips, or a sum. Before is the same line a month earlier, where that month
// is complete.
type MonthRow struct {
	Account     ledger.Account
	Name        string // of the account
	Side, Brand string
	Now, Before MonthFigures
	Compared    bool
}

// By is by how much the gross differs from that of the month before.
func (r *MonthRow) By() ledger.Amount { return r.Now.Gross - r.Before.Gross }

// Tenths is By in tenths of a percent of the month before, rounded down.
func (r *MonthRow) Tenths() int64 { return int64(r.By() / (r.Before.Gross / 1000)) }

// HasChange says whether there is a month before to compare with.
func (r *MonthRow) HasChange() bool { return r.Compared && r.Before.Gross >= ledger.Real }

// MonthClose is that the month of an account is closed.
type MonthClose struct {
	Account  ledger.Account
	Actor    string
	On       Instant
	Revision int
}

// MonthPage is a month by account and line.
type MonthPage struct {
	Month, Before, After ledger.Date // After is 0 in the last month
	Basis                string
	Verdict              ledger.Verdict // the worst that its published sets say; empty: there is none
	Rows                 []MonthRow
	Total                MonthRow
	Incomplete           bool // a day of it is not complete, or has not come yet
	Closes               []MonthClose
}

// MonthPageOf lays the lines of a month out, with those of the month before beside them. comparable says whether the month before of
// an account's side is complete.
func MonthPageOf(month ledger.Date, lines []ledger.MonthLine, name func(ledger.Account) string, comparable func(ledger.Account, string) bool) *MonthPage {
	type key struct {
		account     ledger.Account
		side, brand string
	}
	p := &MonthPage{Month: month, Before: (month - 1).MonthStart()}
	p.Total.Compared = true
	rows := map[key]*MonthRow{}
	for i := range lines {
		l := &lines[i]
		if l.Month > month {
			p.After = (month + 31).MonthStart()
		}
		if l.Month != month && l.Month != p.Before {
			continue
		}
		k := key{l.Account, l.Side, l.Brand}
		if rows[k] == nil {
			rows[k] = &MonthRow{Account: l.Account, Name: name(l.Account), Side: l.Side, Brand: l.Brand, Compared: comparable(l.Account, l.Side)}
		}
		if l.Month == month {
			rows[k].Now.AddLine(l)
			p.Total.Now.AddLine(l)
		} else {
			rows[k].Before.AddLine(l)
			p.Total.Before.AddLine(l)
		}
	}
	for _, row := range rows {
		p.Total.Compared = p.Total.Compared && row.Compared
		p.Rows = append(p.Rows, *row)
	}
	slices.SortFunc(p.Rows, func(a, b MonthRow) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Side, b.Side), cmp.Compare(a.Brand, b.Brand))
	})
	return p
}
