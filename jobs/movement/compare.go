package movement

import (
	"fmt"
	"slices"

	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
)

// Terms are the same for all titles of a cut.
type Terms struct {
	Account ledger.Account
	Source  bookkeeping.EventSource
	AsOf    ledger.Date
	From    ledger.Date // what occurred before it is no event
	// SettleOnPayment makes the payment of a slip its liquidação; else its credit is.
	SettleOnPayment bool
}

// Compare makes the events of a title, in their order: those that are published, and the measures of what occurred before Terms.From.
func (t *Terms) Compare(c *bookkeeping.TitleChange) (made []bookkeeping.Event, before bookkeeping.Measures) {
	b := &events{terms: t, change: c, left: sumsOf(c.After).Less(sumsOf(c.Before))}
	b.collectEvents()
	b.carryAll()
	for i := range b.list {
		e := &b.list[i]
		if e.Occurred < t.From {
			before.Add(e.Sums)
			continue
		}
		k := bookkeeping.SentEvents{Subject: e.Subject, Type: e.Type}
		if c.History.Sent == nil {
			c.History.Sent = make(map[bookkeeping.SentEvents]int)
		}
		c.History.Sent[k]++
		e.Ordinal = c.History.Sent[k]
		e.ID = bookkeeping.EventID(t.Account, e.Subject, e.Type, e.Ordinal)
		made = append(made, *e)
	}
	return made, before
}

func sumsOf(t *bookkeeping.TitleState) bookkeeping.Measures {
	if t == nil {
		return bookkeeping.Measures{}
	}
	return t.Sums
}

// events collects those of one title.
type events struct {
	terms  *Terms
	change *bookkeeping.TitleChange
	left   bookkeeping.Measures // what no event carries yet
	list   []bookkeeping.Event
}

// collectEvents finds what happened, without the measures.
func (x *events) collectEvents() {
	before, after := x.change.Before, x.change.After
	if after == nil {
		if before != nil && (isTitle(before) || before.Sums != (bookkeeping.Measures{})) {
			x.appendEvent(bookkeeping.EventVanished, x.assumedDay(before), 0, bookkeeping.LeftVanished)
		}
		return
	}
	first := isTitle(after) && !isTitle(before) && !x.wasSent(bookkeeping.EventRegistered) && (before != nil || !x.change.Known)
	if first {
		x.appendEvent(bookkeeping.EventRegistered, firstDay(after), entered, "")
	}
	if s := after.Slip; s != nil && s.Movement == rejected && (before == nil || before.Slip.Movement != rejected) {
		x.appendEvent(bookkeeping.EventRejected, x.assumedDay(after), movementUnlessSaid(x, "03", rejected), bookkeeping.LeftCorrected)
	}
	if before != nil && !isClosed(before) && !isClosed(after) && isTitle(before) && isTitle(after) {
		x.addChanged()
	}
	x.addPayment()
	x.addReversal()
	if fell := sumsOf(before).Received - after.Sums.Received; fell > 0 {
		x.appendEvent(bookkeeping.EventTakenBack, x.assumedDay(after), feesDebited, "")
		x.lastEvent().Value = ledger.Some(fell)
	}
	if isClosed(before) && !isClosed(after) {
		x.appendEvent(bookkeeping.EventReopened, x.assumedDay(after), 0, bookkeeping.LeftReopened)
	}
	if before == nil && x.change.Known && isTitle(after) {
		x.appendEvent(bookkeeping.EventReappeared, x.assumedDay(after), 0, bookkeeping.LeftVanished)
	}
}

// addChanged says new terms of an open title.
func (x *events) addChanged() {
	before, after := x.change.Before, x.change.After
	switch {
	case before.Due != after.Due:
		x.appendEvent(bookkeeping.EventChanged, x.assumedDay(after), dueChanged, "")
	case before.Face != after.Face, after.Card != nil && (!sameFees(before.Card, after.Card) || !sameShares(before.Card, after.Card)):
		x.appendEvent(bookkeeping.EventChanged, x.assumedDay(after), 0, bookkeeping.LeftTerms)
	}
}

func sameFees(a, b *bookkeeping.CardState) bool {
	return a.MDR == b.MDR && a.Fee == b.Fee && a.Antifraud == b.Antifraud
}

func sameShares(a, b *bookkeeping.CardState) bool {
	return slices.Equal(a.Splits, b.Splits)
}

// addPayment says the payment of an installment with its shares, or that of a slip and its credit.
func (x *events) addPayment() {
	before, after := x.change.Before, x.change.After
	said := x.change.History.SaidPaid()
	if isSettled(after) && !isSettled(before) && !said {
		movement := x.paymentMovement()
		x.appendEvent(bookkeeping.EventSettled, after.Card.Effective, movement, "")
		for _, s := range after.Card.Splits {
			x.appendEvent(bookkeeping.EventSplitPayable, after.Card.Effective, 0, "")
			e := x.lastEvent()
			e.Subject, e.Value = s.Subject, ledger.Some(s.Amount)
			switch {
			case s.Amount < 0 || x.isNegative():
				e.Reason = bookkeeping.LeftNegative
			default:
				e.Movement = "Y50"
			}
		}
	}
	if isPaid(after) && !isPaid(before) && !x.wasSent(bookkeeping.EventPaid) {
		movement := 0
		if x.terms.SettleOnPayment && !said {
			movement = x.paymentMovement()
		}
		x.appendEvent(bookkeeping.EventPaid, after.Slip.PaidOn, movement, bookkeeping.LeftOtherDate)
	}
	if isCredited(after) && !isCredited(before) && !x.wasSent(bookkeeping.EventCredited) {
		movement := 0
		if !x.terms.SettleOnPayment && !said {
			movement = x.paymentMovement()
		}
		x.appendEvent(bookkeeping.EventCredited, after.Slip.CreditedOn, movement, bookkeeping.LeftOtherDate)
	}
}

// paymentMovement is the movement of a payment: 17 after a write-off.
func (x *events) paymentMovement() int {
	if x.change.History.Said["09"] || x.change.After.Slip != nil && x.change.After.Slip.Movement == paidLate {
		return paidLate
	}
	return paid
}

// addReversal says that a title was cancelled or charged back.
func (x *events) addReversal() {
	before, after := x.change.Before, x.change.After
	if !isReversed(after) || isReversed(before) && before.Class == after.Class {
		return
	}
	kind, on := bookkeeping.EventCancelled, x.assumedDay(after)
	switch {
	case after.Slip != nil:
		on = after.Slip.CancelledOn
	case after.Class == ledger.Chargeback:
		kind = bookkeeping.EventChargedBack
	}
	if before == nil && x.change.Known && x.wasSent(kind) {
		return // it was before it vanished
	}
	switch h := &x.change.History; {
	case h.SaidPaid(), isSettled(before), isPaid(before):
		x.appendEvent(kind, on, 0, bookkeeping.LeftAfterSettlement)
	default:
		x.appendEvent(kind, on, movementUnlessSaid(x, "09", writtenOff), bookkeeping.LeftCorrected)
	}
}

// movementUnlessSaid is the movement if no file has said it, else none.
func movementUnlessSaid(x *events, said string, movement int) int {
	if x.change.History.Said[said] {
		return 0
	}
	return movement
}

// wasSent reports whether an event of that type was sent of the title before.
func (x *events) wasSent(t bookkeeping.EventType) bool {
	return x.change.History.Sent[bookkeeping.SentEvents{Subject: x.change.Subject, Type: t}] > 0
}

// assumedDay is that of an event without a date of its own: the day before the as-of, or, of a title that was not known, the day it began.
func (x *events) assumedDay(t *bookkeeping.TitleState) ledger.Date {
	if x.change.Before == nil && !x.change.Known {
		return firstDay(t)
	}
	return x.terms.AsOf - 1
}

// isNegative reports whether an amount of the title is negative that has no opposite column, so that no file can have it.
func (x *events) isNegative() bool {
	t := x.change.After
	return t != nil && (t.Face < 0 || t.Slip != nil && t.Slip.Paid.V < 0)
}

// appendEvent appends an event with its movement, or without one (0) and a reason. A title of a negative face is in no file.
func (x *events) appendEvent(t bookkeeping.EventType, on ledger.Date, movement int, reason string) {
	c := x.change
	e := bookkeeping.Event{
		Account: x.terms.Account, Source: x.terms.Source, Type: t, Subject: c.Subject, Title: c.Subject, Occurred: on, Sent: x.terms.AsOf,
		Before: c.Before, After: c.After, Reason: reason,
	}
	if c.After != nil {
		e.Version = c.After.Version
	} else {
		e.Version = c.Before.Version
	}
	switch {
	case movement == 0:
	case x.isNegative():
		e.Reason = bookkeeping.LeftNegative
	default:
		e.Movement, e.Reason = fmt.Sprintf("%02d", movement), ""
	}
	x.list = append(x.list, e)
}

func (x *events) lastEvent() *bookkeeping.Event { return &x.list[len(x.list)-1] }

// mayCarry reports whether an event of a type may carry a measure, by its place among them.
func mayCarry(measure int, t bookkeeping.EventType) bool {
	if t == bookkeeping.EventVanished || t == bookkeeping.EventReappeared {
		return true
	}
	const face, closed, received, splits = 0, 1, 2, 5
	switch t {
	case bookkeeping.EventRegistered, bookkeeping.EventChanged:
		return measure == face
	case bookkeeping.EventRejected, bookkeeping.EventPaid:
		return measure == closed
	case bookkeeping.EventSettled:
		return measure != face && measure != splits
	case bookkeeping.EventCredited:
		return measure != face && measure != closed && measure != splits
	case bookkeeping.EventTakenBack:
		return measure == received
	case bookkeeping.EventCancelled, bookkeeping.EventChargedBack, bookkeeping.EventReopened:
		return measure != face && measure != received
	}
	return false
}

// carryAll puts each difference on the first event that may carry it, and what is left on an event of its own.
func (x *events) carryAll() {
	for i := range x.list {
		if e := &x.list[i]; e.Type == bookkeeping.EventSplitPayable {
			e.Sums.Splits = e.Value.V
			x.left.Splits -= e.Value.V
		}
	}
	left := x.left.All()
	for m := range left {
		if *left[m] == 0 {
			continue
		}
		for i := range x.list {
			if e := &x.list[i]; mayCarry(m, e.Type) {
				*e.Sums.All()[m], *left[m] = *left[m], 0
				break
			}
		}
	}
	if x.left != (bookkeeping.Measures{}) || len(x.list) == 0 && x.closedTermsMoved() {
		reason := bookkeeping.LeftCorrected
		if x.left.Received > 0 {
			reason = bookkeeping.LeftRaised
		}
		x.appendEvent(bookkeeping.EventAdjusted, x.assumedDay(x.change.After), 0, reason)
		x.lastEvent().Sums, x.left = x.left, bookkeeping.Measures{}
	}
	x.restoreOrder()
}

// restoreOrder puts what was adjusted before what vanished or came back.
func (x *events) restoreOrder() {
	n := len(x.list)
	if n > 1 && x.list[n-1].Type == bookkeeping.EventAdjusted && x.list[n-2].Type == bookkeeping.EventReappeared {
		x.list[n-1], x.list[n-2] = x.list[n-2], x.list[n-1]
	}
}

// closedTermsMoved reports whether a date of a closed title is another one, or its fees are made up in another way.
func (x *events) closedTermsMoved() bool {
	before, after := x.change.Before, x.change.After
	if !isClosed(before) || !isClosed(after) {
		return false
	}
	if after.Card != nil && !sameFees(before.Card, after.Card) {
		return true
	}
	return before.Due != after.Due || receivedOn(before) != receivedOn(after)
}
