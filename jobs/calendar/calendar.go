package calendar

import (
	"fmt"

	"concilia/store/ledger"
)

// Kind says which of the two calendars is asked.
type Kind uint8

// The two calendars: see the package comment.
const (
	Settles Kind = iota // payments settle between banks
	Counter             // the branches are open too
	kinds
)

// String is the kind's name in messages and in Text.
func (k Kind) String() string {
	switch k {
	case Settles:
		return "settles"
	case Counter:
		return "counter"
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// The horizon: the years a calendar knows, both included.
const (
	FirstYear = 1990
	LastYear  = 2100
)

var (
	horizonStart = ledger.NewDate(FirstYear, 1, 1)
	horizonEnd   = ledger.NewDate(LastYear, 12, 31)
)

// Calendar answers questions about business days. It does not change after New and may be shared.
type Calendar struct {
	tables [kinds]table
	named  map[ledger.Date]Day // holidays, overrides and last business days, for Days
	text   []byte
	hash   string
}

// Is says whether d is a business day. No date and days outside the horizon are not.
func (c *Calendar) Is(k Kind, d ledger.Date) bool {
	t, i := c.table(k), index(d)
	return i > 0 && t.upTo[i] != t.upTo[i-1]
}

// Next is d when it is a business day, else the next one after it: bd⁺(d).
func (c *Calendar) Next(k Kind, d ledger.Date) ledger.Date {
	i := index(d)
	if i == 0 {
		return 0
	}
	t := c.table(k)
	return t.at(int(t.upTo[i-1]))
}

// Add is the j-th business day after d, bd(d,j), or the -j-th before d when j is negative. Add of 0 is d itself,
// business day or not.
func (c *Calendar) Add(k Kind, d ledger.Date, j int) ledger.Date {
	i := index(d)
	t := c.table(k)
	switch {
	case i == 0:
		return 0
	case j == 0:
		return d
	case j > len(t.days) || j < -len(t.days):
		return 0
	case j > 0:
		return t.at(int(t.upTo[i]) + j - 1)
	}
	return t.at(int(t.upTo[i-1]) + j)
}

// Between is the number of business days in (a, b]: nbd(a,b). It is 0 when b is not after a, and when either lies
// outside the horizon.
func (c *Calendar) Between(k Kind, a, b ledger.Date) int {
	i, j := index(a), index(b)
	if i == 0 || j <= i {
		return 0
	}
	t := c.table(k)
	return int(t.upTo[j]) - int(t.upTo[i])
}

// Check says what is wrong with asking any calendar about d: it is no date, or it lies outside the horizon.
func Check(d ledger.Date) error {
	switch {
	case d == 0:
		return fmt.Errorf("calendar %s: no date", ID)
	case index(d) == 0:
		return fmt.Errorf("calendar %s knows the years %d to %d: %s lies outside them", ID, FirstYear, LastYear, d)
	}
	return nil
}

// table is the table of a kind. A kind that is none of the constants reads as Settles, as the rules say for
// "everything not said otherwise".
func (c *Calendar) table(k Kind) *table {
	if k >= kinds {
		k = Settles
	}
	return &c.tables[k]
}

// index is the place of d in the tables, from 1, or 0 outside the horizon.
func index(d ledger.Date) int {
	if d < horizonStart || d > horizonEnd {
		return 0
	}
	return int(d-horizonStart) + 1
}

// table holds one calendar twice: as running counts and as the list they count. Between them every question is a
// subtraction or a look-up.
type table struct {
	upTo []uint16 // business days from the start of the horizon up to and including day i; upTo[0] is 0
	days []uint16 // the i-th business day, as days after horizonStart
}

// newTable lists the business days: the days of the horizon that closed does not name.
func newTable(closed func(ledger.Date) bool) table {
	n := int(horizonEnd-horizonStart) + 1
	t := table{upTo: make([]uint16, n+1), days: make([]uint16, 0, n)}
	for d := horizonStart; d <= horizonEnd; d++ {
		if !closed(d) {
			t.days = append(t.days, uint16(d-horizonStart))
		}
		t.upTo[index(d)] = uint16(len(t.days))
	}
	return t
}

// at is the i-th business day of the horizon, from 0, or no date beyond its ends.
func (t *table) at(i int) ledger.Date {
	if i < 0 || i >= len(t.days) {
		return 0
	}
	return horizonStart + ledger.Date(t.days[i])
}
