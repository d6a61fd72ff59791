package match

import (
	"maps"
	"slices"

	"concilia/store/ledger"
)

// BridgeLine is a line between what the service says it paid and what the bank booked.
type BridgeLine string

// The lines, in order.
const (
	BridgeWaiting     BridgeLine = "waiting"
	BridgeNoStatement BridgeLine = "no_statement"
	BridgeMissing     BridgeLine = "missing"
	BridgeReturned    BridgeLine = "returned"
	BridgeDiffers     BridgeLine = "differs"
	BridgeAccepted    BridgeLine = "accepted"
	BridgeDeclared    BridgeLine = "declared_debits"
	BridgeKnown       BridgeLine = "known_debits"
	BridgeUnexpected  BridgeLine = "unexpected"
	BridgeUnexplained BridgeLine = "unexplained"
	// BridgeOtherMonth is what a match over two months takes from one and gives to the other.
	BridgeOtherMonth BridgeLine = "other_month"
)

// BridgeLines are the lines there are, in order.
func BridgeLines() []BridgeLine {
	return []BridgeLine{
		BridgeWaiting, BridgeNoStatement, BridgeMissing, BridgeReturned, BridgeDiffers, BridgeAccepted, BridgeDeclared, BridgeKnown, BridgeUnexpected,
		BridgeUnexplained, BridgeOtherMonth,
	}
}

// BridgeMonth leads from what the service says it paid with bank days in a calendar month to what the bank booked in it.
type BridgeMonth struct {
	Month            ledger.Date // its first day
	Received, Booked ledger.Amount
	Lines            map[BridgeLine]ledger.Amount
}

// Residual is what the lines leave of received less booked: 0, or something was counted twice or not at all.
func (m *BridgeMonth) Residual() ledger.Amount {
	rest := m.Received - m.Booked
	for _, a := range m.Lines {
		rest -= a
	}
	return rest
}

// ClosedDay is what a day comes to of which all came that day, and which is in none of the results.
type ClosedDay struct {
	BankDay          ledger.Date
	Received, Booked ledger.Amount
}

// Bridge is that of several payers by month, in order. Both sides are summed over groups and lines alone, what lies between
// over rows alone: rows has those of each result.
func Bridge(results []*Result, rows [][]Row, closed ...ClosedDay) []BridgeMonth {
	b := bridge{}
	for _, d := range closed {
		b.monthOf(d.BankDay).Received += d.Received
		b.monthOf(d.BankDay).Booked += d.Booked
	}
	for i, r := range results {
		for n := range r.Groups {
			g := &r.Groups[n]
			b.monthOf(g.BankDay).Received += g.Amount
		}
		for n := range r.Lines {
			l := &r.Lines[n]
			b.monthOf(l.BankDay).Booked += l.Amount
		}
		for n := range rows[i] {
			b.addRow(r, &rows[i][n])
		}
	}
	out := make([]BridgeMonth, 0, len(b))
	for _, month := range slices.Sorted(maps.Keys(b)) {
		out = append(out, *b[month])
	}
	return out
}

type bridge map[ledger.Date]*BridgeMonth

func (b bridge) monthOf(d ledger.Date) *BridgeMonth {
	first := d.MonthStart()
	if b[first] == nil {
		b[first] = &BridgeMonth{Month: first, Lines: map[BridgeLine]ledger.Amount{}}
	}
	return b[first]
}

// addRow adds what a row says of received less booked: in the month of its last line, or of its group without one. What its
// groups and lines of other months bring there is carried over.
func (b bridge) addRow(r *Result, row *Row) {
	at, byMonth := ledger.Date(0), map[ledger.Date]ledger.Amount{}
	for _, n := range row.Groups {
		g := &r.Groups[n]
		byMonth[g.BankDay.MonthStart()] += g.Amount
		if len(row.Lines) == 0 {
			at = max(at, g.BankDay)
		}
	}
	for _, n := range row.Lines {
		l := &r.Lines[n]
		byMonth[l.BankDay.MonthStart()] -= l.Amount
		at = max(at, l.BankDay)
	}
	own := b.monthOf(at)
	for _, n := range row.DebitsOf {
		line := BridgeDeclared
		if r.Debits[n].Known {
			line = BridgeKnown
		}
		own.Lines[line] += r.Debits[n].Amount
	}
	own.Lines[row.bridgeLine()] += row.Difference()
	for month, amount := range byMonth {
		if month != own.Month {
			b.monthOf(month).Lines[BridgeOtherMonth] += amount
			own.Lines[BridgeOtherMonth] -= amount
		}
	}
}

// bridgeLine is the line that the difference of a row is on. One that came to the cent has none.
func (row *Row) bridgeLine() BridgeLine {
	switch {
	case row.Status == Waiting:
		return BridgeWaiting
	case row.Status == NoStatement:
		return BridgeNoStatement
	case row.Status == Missing:
		return BridgeMissing
	case row.Status == Returned:
		return BridgeReturned
	case row.Status == Unexpected:
		return BridgeUnexpected
	case row.Status == DebitLine && !row.Matched:
		return BridgeUnexplained
	case row.Status == Accepted:
		return BridgeAccepted
	}
	return BridgeDiffers
}
