package world

import (
	"iter"
	"slices"
	"time"
)

// Installment is one record of the conciliation search as of the business clock. Texts and numbers are
// the service's own; a zero date is absent.
type Installment struct {
	Account          int64
	Moment           time.Time
	Terminal         string
	CardNumber       string // masked
	CardType         string // CREDIT or DEBIT
	CardName         string
	CodAuth, NSU     string
	Number, Count    int
	Gross, Total     Money
	Status           string // Authorized, Paid, Canceled, Blocked
	MDR              Money
	MDRRate          Rate
	Fee, FeeTotal    Money
	Antifraud        Money
	AntifraudTotal   Money
	Anticipation     Money
	AnticipationRate Rate // percent a month
	Received         Money
	Forecast         Date
	Effective        Date
	ReceivedType     string // Normal, Anticipated
	ReceivedStatus   string // Pending, Paid, Canceled
	Reference        string // empty: none
	PaymentID        string // empty: none
	Splits           []Split
}

// Split is one beneficiary's share of an installment.
type Split struct {
	Beneficiary string
	Kind        string
	Pct         Rate
	Base, Value Money
}

// Net is what the record's own members say should be received.
func (i Installment) Net() Money { return i.Gross - i.MDR - i.Fee - i.Antifraud - i.Anticipation }

// Installments are an account's records whose operation date is in [from, to], by moment and number, as
// they look now. Sales that have not happened yet are left out.
func (w *World) Installments(account int64, from, to Date) iter.Seq[Installment] {
	now := w.Now()
	sales := w.sales[account]
	start, _ := slices.BinarySearchFunc(sales, from, func(s *sale, d Date) int { return int(s.day - d) })
	return func(yield func(Installment) bool) {
		for _, s := range sales[start:] {
			if s.day > to || !s.day.At(s.second).Before(now) {
				return
			}
			for k := 1; k <= s.listed; k++ {
				if !yield(s.record(k, DateOf(now))) {
					return
				}
			}
		}
	}
}

// record is installment k as it looks on a morning.
func (s *sale) record(k int, today Date) Installment {
	p := s.planted(k)
	f := s.fees(k)
	r := Installment{
		Account: s.account.Number, Moment: s.day.At(s.second), Terminal: s.terminal, CardNumber: s.card,
		CardType: "CREDIT", CardName: s.brand, CodAuth: s.auth, NSU: s.nsu, Number: k, Count: s.count,
		Gross: s.part(k), Total: s.gross + s.anyPlant().totalOff,
		MDR: f.mdr, MDRRate: f.rate, Fee: f.trn, Antifraud: f.antifraud,
		// The members of the whole sale are the sums over the installments it lists.
		FeeTotal: f.trn * Money(s.listed), AntifraudTotal: f.antifraud * Money(s.listed),
		Forecast: s.forecast(k), ReceivedType: "Normal", Status: "Authorized", ReceivedStatus: "Pending",
		Reference: s.reference, PaymentID: s.paymentID,
	}
	if s.debit {
		r.CardType = "DEBIT"
	}
	s.settle(&r, p, today)
	s.share(&r, p)
	return r
}

// settle fills in what the morning knows of the money: receipt, anticipation, cancellation, block.
func (s *sale) settle(r *Installment, p cardPlant, today Date) {
	paid := s.paidOn(r.Number)
	if paid != 0 && paid < today && (s.cancelledOn == 0 || paid < s.cancelledOn) {
		r.Status, r.ReceivedStatus, r.Effective = "Paid", "Paid", paid
		if s.anticipated != 0 {
			r.ReceivedType, r.AnticipationRate = "Anticipated", anticipation
			r.Anticipation = anticipationCost(r.Gross, r.MDR, paid, r.Forecast)
		}
		r.Received = r.Net() + p.receivedOff
	}
	switch {
	case s.cancelledOn != 0 && s.cancelledOn < today:
		// Choice: a cancelled record keeps its amounts and forecast; what had been received stays in it.
		r.Status, r.ReceivedStatus = "Canceled", "Canceled"
	case s.blockedOn != 0 && s.blockedOn < today && today <= s.blockedOn+blockedDays:
		r.Status = "Blocked"
	}
}

// share adds the split of accounts that have one; a cancelled sale shares nothing.
func (s *sale) share(r *Installment, p cardPlant) {
	if !s.account.Splits || r.Status == "Canceled" {
		return
	}
	one := Split{Beneficiary: beneficiary, Kind: "PERCENT", Pct: splitPct, Base: r.Net()}
	one.Value = percent(one.Base, one.Pct) + p.splitOff
	if p.splitAll {
		one.Value = one.Base + p.splitOff
	}
	r.Splits = []Split{one}
}

// part is the gross of installment k: equal cents, the remainder on the first.
func (s *sale) part(k int) Money {
	cents, n := int64(s.gross/cent), int64(s.listed)
	part := cents / n
	if k == 1 {
		part += cents % n
	}
	return Money(part) * cent
}

// fees of installment k by the contract, or as planted.
func (s *sale) fees(k int) fees {
	f := feesOf(s.debit, s.count, s.part(k))
	p := s.planted(k)
	if p.rateOff != 0 {
		f.rate += p.rateOff
		f.mdr = percent(s.part(k), f.rate)
	}
	f.mdr += p.mdrOff
	return f
}

// forecast is the day installment k is promised for.
func (s *sale) forecast(k int) Date {
	if s.debit {
		return s.day.AddBankDays(1)
	}
	return (s.day + Date(termDays*k)).OnBankDay()
}

// paidOn is the day installment k is paid: its forecast, the day of an anticipation, or as planted; zero
// when it never is.
func (s *sale) paidOn(k int) Date {
	p := s.planted(k)
	switch {
	case p.neverPaid:
		return 0
	case s.anticipated != 0:
		return s.anticipated
	case p.lateDays > 0:
		return s.forecast(k).AddBankDays(p.lateDays)
	}
	return s.forecast(k)
}
