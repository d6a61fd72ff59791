package world

// fillSettlement fills in what the morning knows of the money: receipt, anticipation, splits, cancellation, block.
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

// paidBy tells whether the morning knows installment k to be paid; what is cancelled first never is.
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

// installmentFees of installment k by the contract and the readings, or as planted.
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
		return 0
	case s.anticipated != 0:
		return s.anticipated
	case p.lateDays > 0:
		return s.settlementDay(k).AddBankDays(p.lateDays)
	}
	return s.settlementDay(k)
}
