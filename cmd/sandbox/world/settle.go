package world

// settle fills in what the morning knows of the money: receipt, anticipation, splits, cancellation, block.
func (s *sale) settle(r *Installment, k int, f fees, today Date) {
	r.Status = s.status(k, today)
	paid := s.paidBy(k, today)
	if paid && s.anticipated != 0 {
		r.ReceivedType, r.AnticipationRate = "Anticipated", s.readings.spelled(anticipation)
		r.Anticipation = s.readings.anticipationCost(r.Gross, f, s.anticipated, r.Forecast)
	}
	p := s.planted(k)
	r.Splits = s.share(*r, p)
	r.Expected = r.Net()
	if s.readings.ReceivedNetOfSplits {
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

// share is the split of accounts that have one.
func (s *sale) share(r Installment, p cardPlant) []Split {
	if !s.account.Splits {
		return nil
	}
	one := Split{Beneficiary: beneficiary, Kind: "PERCENT", Pct: s.readings.spelled(splitPct), Base: r.Net()}
	if s.readings.SplitBase == SplitOfGross {
		one.Base = r.Gross
	}
	one.Value = percent(one.Base, splitPct) + p.splitOff
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

// status is what a morning shows of installment k.
func (s *sale) status(k int, today Date) string {
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

// part is the gross of installment k: equal cents, the remainder on the first.
func (s *sale) part(k int) Money {
	cents, n := int64(s.gross/cent), int64(s.listed)
	part := cents / n
	if k == 1 {
		part += cents % n
	}
	return Money(part) * cent
}

// fees of installment k by the contract and the readings, or as planted.
func (s *sale) fees(k int) fees {
	f := feesOf(s.debit, s.count, s.part(k))
	p := s.planted(k)
	if p.rateOff != 0 {
		f.rate += p.rateOff
		f.mdr = percent(s.part(k), f.rate)
	}
	if s.readings.MDRRounding == MDRSale {
		f.mdr = s.mdrUpTo(k, f.rate) - s.mdrUpTo(k-1, f.rate)
	}
	if s.readings.Fees == FeesFirst && k > 1 {
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
	return percent(s.part(1)+Money(k-1)*(s.gross-s.part(1))/max(Money(s.listed-1), 1), rate)
}

// forecast is the day installment k is promised for.
func (s *sale) forecast(k int) Date {
	if s.readings.Forecast == ForecastRaw && !s.debit {
		return s.day + Date(termDays*k)
	}
	return s.settles(k)
}

// settles is the bank day the promise of installment k comes to.
func (s *sale) settles(k int) Date {
	if s.debit {
		return s.day.AddBankDays(1)
	}
	return (s.day + Date(termDays*k)).OnBankDay()
}

// paidOn is the day installment k is paid: the day its promise comes to, the day of an anticipation, or as
// planted; zero when it never is.
func (s *sale) paidOn(k int) Date {
	p := s.planted(k)
	switch {
	case p.neverPaid:
		return 0
	case s.anticipated != 0:
		return s.anticipated
	case p.lateDays > 0:
		return s.settles(k).AddBankDays(p.lateDays)
	}
	return s.settles(k)
}
