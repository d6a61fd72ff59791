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
	Closed int // accounts whose month is closed on the basis
	// ClosedOtherwise is the same by each other basis; none of those on which no account's is.
	ClosedOtherwise map[string]int
	// Verdict is the worst that the month's published sets say; empty: there is none.
	Verdict ledger.Verdict
}

// MonthTotalsOf adds lines on a basis up by month, latest first. The closes may be of any basis.
func MonthTotalsOf(lines []ledger.MonthLine, basis string, closes []ledger.PeriodClose) []MonthTotal {
	byMonth := map[ledger.Date]*MonthTotal{}
	for i := range lines {
		l := &lines[i]
		if byMonth[l.Month] == nil {
			byMonth[l.Month] = &MonthTotal{Month: l.Month, ClosedOtherwise: map[string]int{}}
		}
		byMonth[l.Month].Now.AddLine(l)
	}
	for i := range closes {
		t := byMonth[closes[i].Period.To.MonthStart()] // an account may be covered from the middle of its first month on
		switch {
		case t == nil:
		case closes[i].Basis == basis:
			t.Closed++
		default:
			t.ClosedOtherwise[closes[i].Basis]++
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
	HasBefore            bool        // the month before has a page, too
	Basis                string
	Verdict              ledger.Verdict // the worst that its published sets say; empty: there is none
	Rows                 []MonthRow
	Total                MonthRow
	Incomplete           bool // a day of it is not complete, or has not come yet
	Closes               []MonthClose
	Changed              MonthChanges // since it was closed
}

// Compares says whether any line of the month has a month before to compare with.
func (p *MonthPage) Compares() bool {
	return slices.ContainsFunc(p.Rows, func(r MonthRow) bool { return r.HasChange() })
}

// MonthChanges are what changed in a closed month since its close, as the restatement of the closed revision has it.
type MonthChanges struct {
	Items   []MonthChange // those that move most first
	ByCause []MonthChange // the sums of each cause
	Total   MonthChange
}

// MonthChange is by how much a change of an item, or changes of several, move a closed month: after less before, in cents.
type MonthChange struct {
	Account                        ledger.Account // of an item, with the two that follow
	Subject                        string
	SeenOn                         ledger.Date
	Cause                          ledger.RestatementCause
	Changes                        int
	Gross, Net, Received, Contract ledger.Amount
}

// add adds another change to a sum.
func (c *MonthChange) add(o *MonthChange) {
	c.Changes += o.Changes
	c.Gross, c.Net, c.Received, c.Contract = c.Gross+o.Gross, c.Net+o.Net, c.Received+o.Received, c.Contract+o.Contract
}

// amountMoved is how far a change moves the figures in all.
func (c *MonthChange) amountMoved() ledger.Amount {
	return c.Gross.Abs() + c.Net.Abs() + c.Received.Abs() + c.Contract.Abs()
}

// MonthChangesOf lays changes of closed periods out. Sums are of the printed amounts.
func MonthChangesOf(all []ledger.Restatement) (out MonthChanges) {
	cents := func(a ledger.Amount) ledger.Amount { return a.Rounded(ledger.HalfAwayFromZero) }
	for i := range all {
		r := &all[i]
		out.Items = append(out.Items, MonthChange{
			Account: r.Close.Account, Subject: r.Subject, SeenOn: r.SeenOn, Cause: r.Cause, Changes: 1,
			Gross: cents(r.Changes.Gross), Net: cents(r.Changes.Net), Received: cents(r.Changes.Received), Contract: cents(r.Changes.Contract),
		})
	}
	for _, cause := range ledger.RestatementCauses() {
		sum := MonthChange{Cause: cause}
		for i := range out.Items {
			if out.Items[i].Cause == cause {
				sum.add(&out.Items[i])
			}
		}
		if sum.Changes > 0 {
			out.ByCause = append(out.ByCause, sum)
			out.Total.add(&sum)
		}
	}
	slices.SortStableFunc(out.Items, func(a, b MonthChange) int { return cmp.Compare(b.amountMoved(), a.amountMoved()) })
	return out
}

// MonthPageOf lays the lines of a month out, with those of the month before. comparable says whether the month before of
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
		p.HasBefore = p.HasBefore || l.Month == p.Before
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
