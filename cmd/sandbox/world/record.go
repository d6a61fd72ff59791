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
	Number, Count    int // as the readings number the only installment of a sale
	Gross, Total     Money
	Status           string // Authorized, Paid, Canceled, Blocked
	MDR              Money
	MDRRate          Rate // this and the other rates as the readings spell them
	Fee, FeeTotal    Money
	Antifraud        Money
	AntifraudTotal   Money
	Anticipation     Money
	AnticipationRate Rate // a month
	Received         Money
	Forecast         Date
	Effective        Date
	ReceivedType     string // Normal, Anticipated
	ReceivedStatus   string // Pending, Paid, Canceled
	Reference        string // empty: none
	PaymentID        string // empty: none
	Splits           []Split
	// Expected is what should be received by the record's own members and the readings.
	Expected Money
}

// Split is one beneficiary's share of an installment.
type Split struct {
	Beneficiary string
	Kind        string
	Pct         Rate
	Base, Value Money
}

// Net is what the record's own members leave before splits.
func (i Installment) Net() Money { return i.Gross - i.MDR - i.Fee - i.Antifraud - i.Anticipation }

// Installments are an account's records whose operation date is in [from, to], by moment and number, as
// they look now. Sales that have not happened yet are left out.
func (w *World) Installments(account int64, from, to Date) iter.Seq[Installment] {
	now := w.Now()
	sales := w.sales[account]
	start, _ := slices.BinarySearchFunc(sales, from, func(s *sale, d Date) int { return int(s.operationDay() - d) })
	return func(yield func(Installment) bool) {
		for _, s := range sales[start:] {
			if s.operationDay() > to || s.soldAt().After(now) {
				return
			}
			for k := 1; k <= s.listed; k++ {
				if !yield(s.installmentAt(k, DateOf(now))) {
					return
				}
			}
		}
	}
}

// InstallmentsByCode are an account's records of the sales with an NSU and an authorization, by moment and number, as they look now.
func (w *World) InstallmentsByCode(account int64, nsu, auth string) iter.Seq[Installment] {
	return func(yield func(Installment) bool) {
		now := w.Now()
		for _, s := range w.sales[account] {
			if s.nsu != nsu || s.auth != auth || s.soldAt().After(now) {
				continue
			}
			for k := 1; k <= s.listed; k++ {
				if !yield(s.installmentAt(k, DateOf(now))) {
					return
				}
			}
		}
	}
}

func (s *sale) soldAt() time.Time { return s.day.At(s.second) }

// operationDay is the day the search files the sale under.
func (s *sale) operationDay() Date {
	if s.interpretation.DayCut == CutUTC && s.second >= 21*60*60 {
		return s.day + 1
	}
	return s.day
}

// installmentAt is installment k as it looks on a morning.
func (s *sale) installmentAt(k int, today Date) Installment {
	f := s.installmentFees(k)
	r := Installment{
		Account: s.account.Number, Moment: s.soldAt(), Terminal: s.terminal, CardNumber: s.card,
		CardType: "CREDIT", CardName: s.brand, CodAuth: s.auth, NSU: s.nsu,
		Gross: s.installmentGross(k), Total: s.gross + s.salePlant().totalOff,
		MDR: f.mdr, MDRRate: s.interpretation.spellRate(f.rate), Fee: f.trn, Antifraud: f.antifraud,
		FeeTotal: f.trn * Money(s.listed), AntifraudTotal: f.antifraud * Money(s.listed),
		Forecast: s.forecastDay(k), ReceivedType: "Normal", ReceivedStatus: "Pending",
		Reference: s.reference, PaymentID: s.paymentID,
	}
	// The members of the whole sale are the sums over the installments it lists.
	if s.interpretation.Fees == FeesFirst {
		first := s.installmentFees(1)
		r.FeeTotal, r.AntifraudTotal = first.trn, first.antifraud
	}
	if s.debit {
		r.CardType = "DEBIT"
	}
	r.Number, r.Count = s.installmentNumber(k)
	s.fillSettlement(&r, k, f, today)
	return r
}

// installmentNumber is how the record numbers installment k, and of how many.
func (s *sale) installmentNumber(k int) (number, count int) {
	switch {
	case !s.interpretation.InstallmentZero || s.count > 1:
		return k, s.count
	case s.debit:
		return 0, 0
	}
	return 0, 1
}
