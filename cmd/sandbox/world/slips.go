package world

import (
	"fmt"
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
	cancelled      Date // zero: never; the payer pays later all the same
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
// cancelled slip that was never paid is not in it. Those that were paid all the same are differences: see plantCancellations.
func (w *World) drawSlips(index int, a Account, perDay int) {
	key := newGUID(w.randomStream(forAccount, a.Number, 1))
	city := asciiCity(index)
	for due := w.from; due <= max(w.to, w.asOf)+60; due++ {
		r := w.randomStream(forSlips, a.Number, due)
		for i := range perDay {
			s := &slip{account: a.Number, interpretation: &w.interpretation, id: newGUID(r), due: due, payer: drawPayer(r)}
			s.value = Money(50_00+r.Int64N(2450_00)) * cent
			s.issue = due - 5 - Date(r.IntN(41))
			number := fmt.Sprintf("%05d%05d", int(due), i+1)
			s.ourNumber = agreementNumber(a.Number) + number
			s.reference = fmt.Sprintf("FAT-%d-%05d%04d", a.Number%1_000_000, int(due), i+1) // 20 at most
			s.issueCodes(s.value)
			s.pix = pixCode(key, s.value, pixName(a.Name), city, "FAT"+s.ourNumber)
			s.drawPayment(w.from, r)
			w.slips[a.Number] = append(w.slips[a.Number], s)
		}
	}
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
