package movement

import (
	"cmp"

	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
)

// Movements of a title in an EDI file.
const (
	entered     = 2
	rejected    = 3
	paid        = 6
	writtenOff  = 9
	dueChanged  = 14
	paidLate    = 17
	feesDebited = 28
)

// CardState is what an installment is as of a run. netOfSplits says that splits are deducted from the receipt. A row that is not
// there has no state.
func CardState(v *ledger.InstallmentVersion, e *ledger.Expectation, netOfSplits bool) *bookkeeping.TitleState {
	if v == nil || e == nil {
		return nil
	}
	c := &bookkeeping.CardState{
		SoldAt: v.SoldAt, Brand: e.Brand, Product: e.Product, NSU: v.NSU, Auth: v.Auth, Number: v.Key().Number,
		Count: v.InstallmentCount(), Reference: v.Reference, Effective: v.Effective, Received: roundToCents(v.Received),
		Anticipation: roundToCents(v.Anticipation), MDR: roundToCents(v.MDR), Fee: roundToCents(v.Fee), Antifraud: roundToCents(v.Antifraud),
	}
	var shared ledger.Amount
	for i := range v.Splits {
		s := &v.Splits[i]
		amount := roundToCents(s.Value)
		shared += amount
		c.Splits = append(c.Splits, bookkeeping.ShareState{
			Subject:     ledger.SplitSubject(v.Key(), s.Beneficiary, s.Type, i+1),
			Beneficiary: s.Beneficiary, Amount: amount, Ordinal: i + 1,
		})
	}
	if netOfSplits {
		c.SplitCost = shared
	}
	t := &bookkeeping.TitleState{
		Version: v.Version, Class: e.Class, Card: c, Face: ledger.FromCents(e.GrossCents), Due: v.Forecast,
		Fees: c.MDR + c.Fee + c.Antifraud,
	}
	t.Sums.Face = t.Face
	if isClosed(t) {
		t.Sums.Closed = t.Face
	}
	if v.Effective != 0 {
		t.Sums.Received = c.Received
	}
	if isSettled(t) {
		t.Sums.Fees, t.Sums.Anticipation, t.Sums.Splits = t.Fees, c.Anticipation, shared
	}
	return t
}

// SlipState is what a slip is as of a run.
func SlipState(s *ledger.Slip, e *ledger.SlipExpectation) *bookkeeping.TitleState {
	if s == nil || e == nil {
		return nil
	}
	x := &bookkeeping.SlipState{
		ID: s.ID, OurNumber: s.OurNumber, Reference: s.ReferenceCode, Issued: s.Issued, PaidOn: s.PaidOn, CreditedOn: s.CreditedOn,
		CancelledOn: s.CancelledOn, Charges: roundToCents(s.PenaltyReceived) + roundToCents(s.InterestReceived), Movement: slipMovement(s),
	}
	if s.PaidValue.OK {
		x.Paid = ledger.Some(roundToCents(s.PaidValue))
	}
	t := &bookkeeping.TitleState{
		Version: s.Version, Class: e.Class, Slip: x, Face: s.Value.Rounded(ledger.HalfAwayFromZero), Due: s.Due, Fees: roundToCents(e.Tariff),
	}
	if isTitle(t) {
		t.Sums.Face = t.Face
	}
	if isClosed(t) {
		t.Sums.Closed = t.Face
	}
	if s.CreditedOn != 0 {
		t.Sums.Received, t.Sums.Fees = x.Paid.Or(0), t.Fees
	}
	return t
}

// slipMovement is the movement that says what a slip is; 0: it is no title yet.
func slipMovement(s *ledger.Slip) int {
	status, integration := s.Status.Or(0), s.Integration.Or(0)
	switch {
	case s.PaidOn != 0 && s.PaidValue.OK && s.CancelledOn != 0 && s.PaidOn > s.CancelledOn:
		return paidLate
	case s.PaidOn != 0 && s.PaidValue.OK:
		return paid
	case s.CancelledOn != 0:
		return writtenOff
	case integration == ledger.IntegrationRejected, integration == ledger.IntegrationFailed, status == ledger.BillFailed:
		return rejected
	case status == ledger.BillIssued, status == ledger.BillOverdue, status == ledger.BillPaid:
		return entered
	}
	return 0
}

// isTitle reports whether a state is one that an ERP may know: a slip is registered.
func isTitle(t *bookkeeping.TitleState) bool {
	return t != nil && (t.Slip == nil || t.Slip.Movement != 0 && t.Slip.Movement != rejected)
}

// isSettled reports whether an installment is live and has been paid.
func isSettled(t *bookkeeping.TitleState) bool {
	return t != nil && t.Card != nil && !t.Class.IsReversal() && t.Card.Effective != 0 && t.Card.Received > 0
}

// isReversed reports whether a title is cancelled or charged back.
func isReversed(t *bookkeeping.TitleState) bool {
	switch {
	case t == nil:
		return false
	case t.Slip != nil:
		return t.Slip.Movement == writtenOff
	}
	return t.Class.IsReversal()
}

// isPaid reports whether a slip was paid, isCredited whether that money came.
func isPaid(t *bookkeeping.TitleState) bool {
	return t != nil && t.Slip != nil && (t.Slip.Movement == paid || t.Slip.Movement == paidLate)
}

func isCredited(t *bookkeeping.TitleState) bool { return isPaid(t) && t.Slip.CreditedOn != 0 }

// isClosed reports whether nothing more is expected of a title.
func isClosed(t *bookkeeping.TitleState) bool { return isSettled(t) || isPaid(t) || isReversed(t) }

// roundToCents is an amount as two decimals show it; an absent one is zero.
func roundToCents(a ledger.Opt[ledger.Amount]) ledger.Amount {
	return a.Or(0).Rounded(ledger.HalfAwayFromZero)
}

// firstDay is the day on which a title began: its sale or its issue.
func firstDay(t *bookkeeping.TitleState) ledger.Date {
	if t.Card != nil {
		return t.Card.SoldAt.Date()
	}
	return t.Slip.Issued
}

// receivedOn is the day on which the money of a title came, or it was paid.
func receivedOn(t *bookkeeping.TitleState) ledger.Date {
	if t.Card != nil {
		return t.Card.Effective
	}
	return cmp.Or(t.Slip.CreditedOn, t.Slip.PaidOn)
}
