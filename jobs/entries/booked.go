package entries

import (
	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
)

// Remember completes the states of a change with what the journal remembers of titles that were taken back. last is what was remembered
// when the title last had an event; nil: it had none.
func (t *Terms) Remember(c *bookkeeping.TitleChange, last *bookkeeping.Booked) {
	if isTakenBack(c.Before) {
		c.Before.Booked = last
		if last == nil {
			c.Before.Booked = t.newBooked(c.Before, nil, firstDay(c.Before))
		}
	}
	if !isTakenBack(c.After) {
		return
	}
	day := t.AsOf - 1
	if c.Before == nil && !c.Known {
		day = firstDay(c.After)
	}
	if last == nil || c.Before != nil && !isTakenBack(c.Before) {
		c.After.Booked = t.newBooked(c.After, c.Before, day)
		return
	}
	b := *last
	if c.Before != nil && c.Before.Class != c.After.Class {
		b.ReversedOn = day
	}
	if c.Before != nil && c.Before.Sums.Received != c.After.Sums.Received {
		b.TakenOn = day
	}
	c.After.Booked = &b
}

// newBooked remembers what a title was before it was taken back on a day; of one that was not known, what it is.
func (t *Terms) newBooked(now, before *bookkeeping.TitleState, day ledger.Date) *bookkeeping.Booked {
	if before == nil {
		before = now
	}
	b := &bookkeeping.Booked{}
	if before.Card != nil {
		before := *before
		before.Booked = nil
		b = bookedOf(&before)
	} else {
		b.Issued = isEntered(before)
	}
	b.ReversedOn, b.TakenOn = day, day
	return b
}

// isTakenBack reports whether a title is none any more, or has money that is no receipt, so that its entries go by what it was.
func isTakenBack(t *bookkeeping.TitleState) bool {
	switch {
	case t == nil:
		return false
	case t.Card == nil:
		return !isEntered(t) || t.Class == ledger.Cancelled || t.Class == ledger.Failed
	}
	return t.Class.IsReversal()
}

// firstDay is the day on which a title began: its sale or its issue.
func firstDay(t *bookkeeping.TitleState) ledger.Date {
	if t.Card != nil {
		return t.Card.SoldAt.Date()
	}
	return t.Slip.Issued
}
