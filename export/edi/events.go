package edi

import (
	"fmt"
	"strconv"

	"concilia/export/cnab"
	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
)

// Document and company use of an event's title, as every file has them.

// EventDocument is the document number of the title of an event.
func EventDocument(e *bookkeeping.Event) string {
	s := stateOf(e)
	if s.Card != nil {
		return lastRunes(s.Card.NSU, documentNumberWidth)
	}
	var t cnab.Title
	NumberSlip(&t, e.TitleNumber, s.Slip.OurNumber, s.Slip.Reference)
	return t.DocumentNumber
}

// EventCompanyUse is what the title of an event has in the columns of the merchant.
func EventCompanyUse(e *bookkeeping.Event) string {
	s := stateOf(e)
	if c := s.Card; c != nil {
		return fmt.Sprintf("%02d/%02d %s %s", c.Number, c.Count, c.Auth, c.Reference)
	}
	return slipCompanyUse(&ledger.Slip{SlipView: ledger.SlipView{ID: s.Slip.ID, ReferenceCode: s.Slip.Reference}})
}

// EventCreditDate is the day on which the money of an event's title came; none before that.
func EventCreditDate(e *bookkeeping.Event) ledger.Date {
	s := stateOf(e)
	if s.Card == nil {
		return s.Slip.CreditedOn
	}
	if s.Sums.Received == 0 {
		return 0
	}
	return s.Card.Effective
}

// EventShare returns the share that an event is of.
func EventShare(e *bookkeeping.Event) (bookkeeping.ShareState, bool) {
	if c := stateOf(e).Card; c != nil && e.Type == bookkeeping.EventSplitPayable {
		for _, s := range c.Splits {
			if s.Subject == e.Subject {
				return s, true
			}
		}
	}
	return bookkeeping.ShareState{}, false
}

// EventShareLine is the record of a share.
func EventShareLine(e *bookkeeping.Event) (cnab.SplitLine, error) {
	s, ok := EventShare(e)
	if !ok {
		return cnab.SplitLine{}, fmt.Errorf("%s: the title has no such share", e.Subject)
	}
	return cnab.SplitLine{Amount: s.Amount, Beneficiary: s.Beneficiary, Ordinal: s.Ordinal, CreditDate: e.Occurred}, nil
}

// EventTitle is the title of an event that has a movement, without its shares.
func EventTitle(e *bookkeeping.Event) (cnab.Title, error) {
	code, err := strconv.Atoi(e.Movement)
	if err != nil {
		return cnab.Title{}, fmt.Errorf("event %s: movement %q is none of a title", e.ID, e.Movement)
	}
	s := stateOf(e)
	t := cnab.Title{
		Movement: cnab.Movement(code), TitleNumber: e.TitleNumber, Portfolio: 1, DocumentNumber: EventDocument(e), Due: s.Due, Face: s.Face,
		CompanyUse: EventCompanyUse(e), EventDate: e.Occurred,
	}
	switch {
	case t.Movement == cnab.FeesDebited:
		t.Motive, t.OtherExpenses = "06", e.Value.Or(0)
	case s.Card != nil:
		fillCard(&t, s)
	default:
		fillSlip(&t, e, s)
	}
	return t, nil
}

func fillCard(t *cnab.Title, s *bookkeeping.TitleState) {
	t.Fee = s.Fees
	switch t.Movement {
	case cnab.Paid, cnab.PaidLate:
		cost := s.Card.Anticipation + s.Card.SplitCost
		net, received := s.Face-s.Fees-cost, s.Card.Received
		t.Motive, t.Paid, t.Net = "06", s.Face, received
		t.OtherExpenses, t.OtherCredits = cost+max(net-received, 0), max(received-net, 0)
		t.CreditDate = s.Card.Effective
	case cnab.WrittenOff:
		if t.Motive = "11"; s.Class == ledger.Chargeback {
			t.Motive = "09"
		}
	}
	offsetNegatives(t)
}

func fillSlip(t *cnab.Title, e *bookkeeping.Event, s *bookkeeping.TitleState) {
	switch t.Movement {
	case cnab.Paid, cnab.PaidLate:
		paid := s.Slip.Paid.Or(0)
		rest := paid - s.Face - s.Slip.Charges
		t.Motive, t.Fee, t.Paid, t.Net = "06", s.Fees, paid, paid-s.Fees
		t.Additions, t.Discount = s.Slip.Charges+max(rest, 0), max(-rest, 0)
		if e.Type == bookkeeping.EventCredited {
			t.CreditDate = s.Slip.CreditedOn
		}
	case cnab.WrittenOff:
		t.Motive = "11"
	}
	offsetNegatives(t)
}

// stateOf is what a title is after an event, or was when it is gone.
func stateOf(e *bookkeeping.Event) *bookkeeping.TitleState {
	if e.After != nil {
		return e.After
	}
	return e.Before
}
