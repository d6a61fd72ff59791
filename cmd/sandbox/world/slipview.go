package world

import "iter"

// List names one of the three slip lists; each selects by a date of its own.
type List int

// The lists.
const (
	ByDue List = iota
	ByPayment
	ByCredit
)

// States of a slip, as statusBill and statusIntegration number them.
const (
	Processing = 1
	Issued     = 2
	Paid       = 3
	Overdue    = 9  // statusBill
	Rejected   = 9  // statusIntegration
	Failed     = 99 // either
)

// Slip is one bank slip as of the business clock. A zero date and an empty code are absent.
type Slip struct {
	Account                       int64
	ID                            string // GUID, lower case
	Value                         Money
	Issue, Due                    Date
	Document, Name, Street, Zip   string
	City, State, District, Phone  string
	PaidOn, CreditedOn            Date
	PaidValue                     Money
	BarCode, Line, Pix            string
	Status, Integration           int
	OurNumber, Reference          string
	LateLimit                     Date // last day it may be paid late
	Penalty, Interest             Rate // percent once and a month, or as the readings have it
	PenaltyReceived, InterestPaid Money
	CancelledOn                   Date
	CancelReason                  string // empty: not cancelled
}

// Slips are an account's slips whose date of that list is in [from, to], bounds included, in order of due
// date. The list by payment holds paid slips only.
func (w *World) Slips(account int64, list List, from, to Date) iter.Seq[Slip] {
	today := DateOf(w.Now())
	return func(yield func(Slip) bool) {
		for _, s := range w.slips[account] {
			if s.issue > today {
				continue // Choice: a slip exists from the morning of its issue date on
			}
			if d := s.dateIn(list); d == 0 || d < from || d > to {
				continue // never there: no need to look at the morning
			}
			v := s.viewOn(today)
			if list == ByPayment && v.Status != Paid || list == ByCredit && v.CreditedOn == 0 {
				continue
			}
			if s.plant != nil && s.plant.listsDisagree && list == ByPayment {
				v.Integration = Processing
			}
			if !yield(v) {
				return
			}
		}
	}
}

// dateIn is the date a list will select the slip by, in the end.
func (s *slip) dateIn(list List) Date {
	switch list {
	case ByPayment:
		return s.paid
	case ByCredit:
		return s.credited
	}
	return s.due
}

// Slip finds one slip of an account by its id in lower case.
func (w *World) Slip(account int64, id string) (Slip, bool) {
	today := DateOf(w.Now())
	s, ok := w.slipByID[account][id]
	if !ok || s.issue > today {
		return Slip{}, false
	}
	return s.viewOn(today), true
}

// viewOn is the slip as it looks on a morning.
func (s *slip) viewOn(today Date) Slip {
	v := Slip{
		Account: s.account, ID: s.id, Value: s.value, Issue: s.issue, Due: s.due,
		Document: s.payer.document, Name: s.payer.name, Street: s.payer.street, Zip: s.payer.zip,
		City: s.payer.city, State: s.payer.state, District: s.payer.neighborhood, Phone: s.payer.phone,
		BarCode: s.barCode, Line: s.line, Pix: s.pix, Status: Issued, Integration: Issued,
		OurNumber: s.ourNumber, Reference: s.reference,
		LateLimit: s.due + overdueLimit, Penalty: penalty, Interest: s.interpretation.slipInterest(),
	}
	if s.cancelled != 0 && s.cancelled < today {
		v.CancelledOn, v.CancelReason = s.cancelled, cancelReason
	}
	switch {
	case s.issue == today: // registered overnight
		v.Status, v.Integration = Processing, Processing
		v.BarCode, v.Line, v.Pix = "", "", ""
	case s.plant != nil && s.plant.rejected:
		v.Status, v.Integration = Failed, Rejected
		v.BarCode, v.Line, v.Pix = "", "", ""
	case s.paid != 0 && s.paid < today:
		v.Status, v.PaidOn, v.PaidValue = Paid, s.paid, s.paidValue
		if s.credited != 0 && s.credited < today {
			v.CreditedOn, v.PenaltyReceived, v.InterestPaid = s.credited, s.penalty, s.interest
		}
	case s.due.CounterDayOnOrAfter() < today:
		v.Status = Overdue
	}
	return v
}
