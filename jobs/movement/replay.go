package movement

import (
	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
)

// Replay is what a title was after events that only files have, because the ledger was put back from a backup: before is what it
// was before them, nil if the backup does not know it, and after what it is now, which has what no event says. nil: it had vanished.
func Replay(before, after *bookkeeping.TitleState, lost []bookkeeping.Event) *bookkeeping.TitleState {
	t, there := beginReplay(before, after, lost[0].State()), before != nil
	for i := range lost {
		e := &lost[i]
		t.Sums.Add(e.Sums)
		t.Version, there = e.Version, e.Type != bookkeeping.EventVanished
		if e.After != nil {
			t.Due = e.After.Due
		}
		if t.Card != nil {
			replayCard(t, e)
		} else {
			replaySlip(t, e)
		}
	}
	if !there {
		return nil
	}
	if t.Face = t.Sums.Face; after != nil && !isClosed(t) && !isClosed(after) {
		t.Fees = after.Fees // of an open title they are in no event that can be read back
		if t.Card != nil && after.Card != nil {
			t.Card.Splits = after.Card.Splits
		}
	}
	return t
}

// beginReplay is a copy of the state before, or a title that is not known yet.
func beginReplay(before, after, told *bookkeeping.TitleState) *bookkeeping.TitleState {
	base := before
	if base == nil {
		base = after
	}
	if base == nil {
		base = told
	}
	t := &bookkeeping.TitleState{Class: ledger.Open}
	if base == nil {
		t.Card = &bookkeeping.CardState{}
		return t
	}
	*t = *base
	if base.Card != nil {
		card := *base.Card
		t.Card = &card
	}
	if base.Slip != nil {
		slip := *base.Slip
		t.Slip = &slip
	}
	if before != nil {
		return t
	}
	t.Class, t.Sums = ledger.Open, bookkeeping.Measures{}
	if t.Card != nil {
		t.Card.Effective, t.Card.Received, t.Card.Splits = 0, 0, nil
	} else {
		t.Slip.Movement, t.Slip.PaidOn, t.Slip.CreditedOn, t.Slip.CancelledOn, t.Slip.Paid = 0, 0, 0, 0, ledger.Opt[ledger.Amount]{}
	}
	return t
}

func replayCard(t *bookkeeping.TitleState, e *bookkeeping.Event) {
	switch e.Type {
	case bookkeeping.EventSettled:
		t.Class, t.Card.Effective, t.Card.Splits = ledger.Received, e.Occurred, nil
	case bookkeeping.EventSplitPayable:
		share := bookkeeping.ShareState{Subject: e.Subject, Amount: e.Value.V, Ordinal: len(t.Card.Splits) + 1}
		if told, ok := shareOf(e); ok {
			share.Beneficiary = told.Beneficiary
		}
		t.Card.Splits = append(t.Card.Splits, share)
	case bookkeeping.EventCancelled:
		t.Class = ledger.Cancelled
	case bookkeeping.EventChargedBack:
		t.Class = ledger.Chargeback
	case bookkeeping.EventReopened:
		t.Class = ledger.Open
	}
	if t.Card.Effective != 0 {
		t.Card.Received = t.Sums.Received
	}
	if isSettled(t) {
		t.Fees, t.Card.Anticipation = t.Sums.Fees, t.Sums.Anticipation
	}
}

func shareOf(e *bookkeeping.Event) (bookkeeping.ShareState, bool) {
	if e.After == nil || e.After.Card == nil || len(e.After.Card.Splits) == 0 {
		return bookkeeping.ShareState{}, false
	}
	return e.After.Card.Splits[0], true
}

func replaySlip(t *bookkeeping.TitleState, e *bookkeeping.Event) {
	s := t.Slip
	switch e.Type {
	case bookkeeping.EventRegistered, bookkeeping.EventReopened:
		s.Movement, s.PaidOn, s.CreditedOn, s.CancelledOn = entered, 0, 0, 0
	case bookkeeping.EventRejected:
		s.Movement = rejected
	case bookkeeping.EventPaid:
		s.Movement, s.PaidOn = paid, e.Occurred
		if s.CancelledOn != 0 && s.PaidOn > s.CancelledOn {
			s.Movement = paidLate
		}
	case bookkeeping.EventCredited:
		s.CreditedOn = e.Occurred
	case bookkeeping.EventCancelled:
		s.Movement, s.CancelledOn = writtenOff, e.Occurred
	}
	if s.CreditedOn != 0 {
		s.Paid, t.Fees = ledger.Some(t.Sums.Received), t.Sums.Fees
	}
}
