package world

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
)

// slip is the history of one bank slip.
type slip struct {
	account        int64
	interpretation *Interpretation
	id             string
	value          Money
	issue          Date
	due            Date
	payer          payer
	paid           Date // zero: never
	paidValue      Money
	credited       Date // zero: never
	cancelled      Date // zero: never; the payer nevertheless pays later
	penalty        Money
	interest       Money
	barCode        string
	line           string
	pix            string
	ourNumber      string
	reference      string
	plant          *slipPlant
}

// agreementNumber is the number the bank files an account's slips under: 7 digits.
func agreementNumber(account int64) string { return fmt.Sprintf("%07d", 3_000_000+account%1_000_000) }

// drawSlips draws the slips due on each day from the first operation day to 60 days past the end.
// Choice: none is cancelled here, since the list by credit date is the only one with a cancellation date and a
// cancelled slip that was never paid is not in it. Cancelled slips that are paid later are differences: see
// plantCancellations.
func (d *drawer) drawSlips(index int, a Account, perDay int) (slips []*slip) {
	key := newGUID(d.randomStream(forAccount, a.Number, 1))
	city := asciiCity(index)
	for due := d.from; due <= max(d.to, d.asOf)+60; due++ {
		r := d.randomStream(forSlips, a.Number, due)
		for i := range perDay {
			s := &slip{account: a.Number, interpretation: &d.interpretation, id: newGUID(r), due: due, payer: drawPayer(r)}
			s.value = Money(50_00+r.Int64N(2450_00)) * cent
			s.issue = due - 5 - Date(r.IntN(41))
			number := fmt.Sprintf("%05d%05d", int(due), i+1)
			s.ourNumber = agreementNumber(a.Number) + number
			s.reference = fmt.Sprintf("FAT-%d-%05d%04d", a.Number%1_000_000, int(due), i+1) // 20 at most
			s.issueCodes(s.value)
			s.pix = pixCode(key, s.value, pixName(a.Name), city, "FAT"+s.ourNumber)
			s.drawPayment(d.from, r)
			slips = append(slips, s)
		}
	}
	return slips
}

// issueCodes issues bar code and line for an amount: free field of Banco do Brasil with a 7-digit agreement,
// six zeros, our number, collection type 17.
func (s *slip) issueCodes(value Money) {
	s.barCode = barCode(bank, s.due, value, "000000"+s.ourNumber+"17")
	s.line = digitableLine(s.barCode)
}

// drawPayment decides whether and when the payer pays: most on time, some late with charges, some never.
// Nothing is paid before the first operation day, so that a pull from there on sees every payment.
func (s *slip) drawPayment(first Date, r *rand.Rand) {
	dice, days, rolled := r.IntN(100), Date(r.IntN(20)), r.IntN(2) == 0
	switch {
	case dice < 72:
		// Any calendar day: slips are also paid by Pix. Due on a day without counter service, half wait
		// for the next day that has it, still on time.
		s.paid = max(s.due-days%5, s.issue+1, first)
		if s.paid == s.due && rolled {
			s.paid = s.due.CounterDayOnOrAfter()
		}
		s.paidValue = s.value
	case dice < 86:
		s.paid = (s.due.CounterDayOnOrAfter() + 1 + days).CounterDayOnOrAfter()
		s.addLateCharges()
	default:
		return
	}
	s.setCreditDay()
}

// addLateCharges adds what a late payer owes: penalty once, interest by the days from the due date.
func (s *slip) addLateCharges() {
	s.penalty, s.interest = s.interpretation.lateCharges(s.value, int64(s.paid-s.due))
	s.paidValue = s.value + s.penalty + s.interest
}

// setCreditDay sets the day the paid amount reaches the statement.
func (s *slip) setCreditDay() { s.credited = s.paid.BankDayOnOrAfter().AddBankDays(slipCreditDay) }

// pixName is an account's name as a Pix code may carry it: up to 25 characters, capitals without accents.
func pixName(name string) string {
	plain := strings.Map(func(r rune) rune {
		if r == ' ' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' {
			return r
		}
		return -1
	}, strings.ToUpper(name))
	if plain = strings.TrimSpace(plain); plain == "" {
		return "LOJA"
	}
	return plain[:min(len(plain), 25)]
}

func asciiCity(index int) string { return []string{"SAO PAULO", "RECIFE"}[index%2] }

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
	Penalty, Interest             Rate // percent once and percent a month, or as the interpretation has it
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
		return s.creditedOn()
	}
	return s.due
}

// creditedOn is the day it is credited; zero when it never is.
func (s *slip) creditedOn() Date {
	if s.plant != nil && s.plant.uncredited {
		return s.plant.debt.paidOn()
	}
	return s.credited
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
		if day := s.creditedOn(); day != 0 && day < today {
			v.CreditedOn, v.PenaltyReceived, v.InterestPaid = day, s.penalty, s.interest
		}
	case s.due.CounterDayOnOrAfter() < today:
		v.Status = Overdue
	}
	return v
}
