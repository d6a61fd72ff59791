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
	Number, Count    int // for the only installment of a sale, as Interpretation.InstallmentZero numbers it
	Gross, Total     Money
	Status           string // Authorized, Paid, Canceled, Blocked
	MDR              Money
	MDRRate          Rate // this and the other rates in the unit of Interpretation.Rates
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
	// Expected is what should be received by the record's own members and the interpretation.
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

// InstallmentsByCode are an account's records of the sales with an NSU and an authorization, by moment and number, as of
// the business clock.
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

// fillSettlement sets the settlement as of a morning: receipt, anticipation, splits, cancellation, block.
func (s *sale) fillSettlement(r *Installment, k int, f feeSet, today Date) {
	r.Status = s.statusOn(k, today)
	paid := s.paidBy(k, today)
	if paid && s.anticipated != 0 {
		r.ReceivedType, r.AnticipationRate = "Anticipated", s.interpretation.spellRate(anticipation)
		r.Anticipation = s.interpretation.anticipationCost(r.Gross, f, s.anticipated, r.Forecast)
	}
	p := s.plantOf(k)
	r.Splits = s.splitsOf(*r, p)
	r.Expected = r.Net()
	if s.interpretation.ReceivedNetOfSplits {
		for _, one := range r.Splits {
			r.Expected -= one.Value
		}
	}
	if paid {
		r.ReceivedStatus, r.Effective = statusPaid, s.paidOn(k)
		r.Received = r.Expected + p.receivedOff
	}
	if r.Status == statusCanceled {
		// Choice: a cancelled record keeps its amounts and forecast; what had been received stays in it. It
		// shares nothing.
		r.ReceivedStatus, r.Splits = statusCanceled, nil
		if p.takenBack {
			r.Received, r.Effective = -r.Expected, s.cancelledOn
		}
	}
}

// splitsOf is the split of accounts that have one.
func (s *sale) splitsOf(r Installment, p cardPlant) []Split {
	if !s.account.Splits {
		return nil
	}
	one := Split{Beneficiary: beneficiary, Kind: "PERCENT", Pct: s.interpretation.spellRate(splitPct), Base: r.Net()}
	if s.interpretation.SplitBase == SplitOfGross {
		one.Base = r.Gross
	}
	one.Value = percentOf(one.Base, splitPct) + p.splitOff
	if p.splitAll {
		one.Value = one.Base + p.splitOff
	}
	return []Split{one}
}

// The states of an installment, as records and notifications spell them.
const (
	statusAuthorized = "Authorized"
	statusPaid       = "Paid"
	statusCanceled   = "Canceled"
	statusBlocked    = "Blocked"
)

// statusOn is what a morning shows of installment k.
func (s *sale) statusOn(k int, today Date) string {
	switch {
	case s.cancelledOn != 0 && s.cancelledOn < today:
		return statusCanceled
	case s.blockedOn != 0 && s.blockedOn < today && today <= s.blockedOn+blockedDays:
		return statusBlocked
	case s.paidBy(k, today):
		return statusPaid
	}
	return statusAuthorized
}

// paidBy reports whether installment k is paid as of a morning; one cancelled before its payment never is.
func (s *sale) paidBy(k int, today Date) bool {
	paid := s.paidOn(k)
	return paid != 0 && paid < today && (s.cancelledOn == 0 || paid < s.cancelledOn)
}

// installmentGross is the gross of installment k: equal cents, the remainder on the first.
func (s *sale) installmentGross(k int) Money {
	cents, n := int64(s.gross/cent), int64(s.listed)
	part := cents / n
	if k == 1 {
		part += cents % n
	}
	return Money(part) * cent
}

// installmentFees are the fees of installment k by the contract and the interpretation, or as planted.
func (s *sale) installmentFees(k int) feeSet {
	f := feesOf(s.debit, s.count, s.installmentGross(k))
	p := s.plantOf(k)
	if p.rateOff != 0 {
		f.rate += p.rateOff
		f.mdr = percentOf(s.installmentGross(k), f.rate)
	}
	if s.interpretation.MDRRounding == MDRSale {
		f.mdr = s.mdrUpTo(k, f.rate) - s.mdrUpTo(k-1, f.rate)
	}
	if s.interpretation.Fees == FeesFirst && k > 1 {
		f.trn, f.antifraud = 0, 0
	}
	f.mdr += p.mdrOff
	return f
}

// mdrUpTo is the MDR of installments 1 to k together, so that each one's is within a cent of its own and
// their sum is the sale's.
func (s *sale) mdrUpTo(k int, rate Rate) Money {
	if k == 0 {
		return 0
	}
	return percentOf(s.installmentGross(1)+Money(k-1)*(s.gross-s.installmentGross(1))/max(Money(s.listed-1), 1), rate)
}

// forecastDay is the day installment k is promised for.
func (s *sale) forecastDay(k int) Date {
	if s.interpretation.Forecast == ForecastRaw && !s.debit {
		return s.day + Date(termDays*k)
	}
	return s.settlementDay(k)
}

// settlementDay is the bank day the promise of installment k comes to.
func (s *sale) settlementDay(k int) Date {
	if s.debit {
		return s.day.AddBankDays(1)
	}
	return (s.day + Date(termDays*k)).BankDayOnOrAfter()
}

// paidOn is the day installment k is paid: the day its promise comes to, the day of an anticipation, or as
// planted; zero when it never is.
func (s *sale) paidOn(k int) Date {
	p := s.plantOf(k)
	switch {
	case p.neverPaid:
		return p.debt.paidOn()
	case s.anticipated != 0:
		return s.anticipated
	case p.lateDays > 0:
		return s.settlementDay(k).AddBankDays(p.lateDays)
	}
	return s.settlementDay(k)
}
