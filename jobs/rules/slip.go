package rules

import (
	"cmp"
	"slices"

	"concilia/jobs/agreements"
	"concilia/store/ledger"
)

// Slip is a bank slip as the rules see it: the merged views, what they mean and what should have been paid.
type Slip struct {
	*ledger.Slip
	Class ledger.Class
	Terms agreements.SlipTerms // by the due date, or what holds without a contract
	// HasContract: the account has a contract on the due date.
	HasContract bool

	FaceValue, PaidAmount     ledger.Amount
	PenaltyPaid, InterestPaid ledger.Amount // 0 where not shown
	ChargesShown              bool          // the list that shows penalty and interest knows the slip
	DueOn                     ledger.Date   // cd⁺(D)
	OnTime                    bool          // paid by DueOn; a slip without payment date counts as on time
	DaysLate                  int           // calendar days from D to P when late, else 0
	// ExpectedPenalty and ExpectedInterest are what a late payer owes; absent when not late, not shown, or without terms.
	ExpectedPenalty, ExpectedInterest ledger.Opt[ledger.Amount]
	Discount                          ledger.Amount // an agreed one that was taken
	ExpectedValue                     ledger.Amount
	Credited                          ledger.Amount

	CreditDue    ledger.Date // no date without a payment date that the calendar knows
	WarningLimit ledger.Date // last as-of at which a missing credit is not overdue
	ErrorLimit   ledger.Date
	Bar          ledger.BarCode // the bar code, read or made from the typed line; empty when none holds
}

// Days after the credit was due from which its absence is a warning, and an error.
const (
	creditWarning = 1
	creditError   = 3
)

// NewSlip reads a slip.
func NewSlip(e *Env, s *ledger.Slip) *Slip {
	x := &Slip{
		Slip: s, Class: SlipClass(s), FaceValue: s.Value, PaidAmount: s.PaidValue.Or(0), ChargesShown: s.View(ledger.SlipsCredit) != nil, OnTime: true,
	}
	x.Terms = e.Contracts.FindSlipTerms(e.Account, s.Due)
	_, x.HasContract = e.Contracts.FindContract(e.Account, s.Due)
	if x.DueOn = e.NextBranchDay(s.Due); x.DueOn != 0 { // without a date, or a calendar that has it, a payment is in time
		x.OnTime = s.PaidOn <= x.DueOn
	}
	if x.ChargesShown {
		x.PenaltyPaid, x.InterestPaid = s.PenaltyReceived.Or(0), s.InterestReceived.Or(0)
	}
	if !x.OnTime {
		x.DaysLate = int(s.PaidOn - s.Due)
		x.ComputeCharges(e)
	}
	if x.CreditDue = e.findCreditDue(x.Terms.Credit, s.PaidOn); x.CreditDue != 0 {
		// The calendar's last days have no day after them: nothing waits longer than it knows.
		x.WarningLimit = max(x.CreditDue, e.AddBusinessDays(x.CreditDue, creditWarning))
		x.ErrorLimit = max(x.WarningLimit, e.AddBusinessDays(x.CreditDue, creditError))
	}
	if s.CreditedOn != 0 {
		x.Credited = x.PaidAmount
	}
	x.computeExpectedValue()
	x.Bar = x.findBarCode()
	return x
}

// SlipClass is the class of a slip: the first of cancelled, paid, failed and open that applies. A paid value of zero
// does not count as paid.
func SlipClass(s *ledger.Slip) ledger.Class {
	status, integration := s.Status.Or(0), s.Integration.Or(0)
	switch {
	case s.CancelledOn != 0:
		return ledger.Cancelled
	case status == ledger.BillPaid || s.PaidOn != 0 || s.PaidValue.Or(0) != 0:
		return ledger.Paid
	case status == ledger.BillFailed || integration == ledger.IntegrationRejected || integration == ledger.IntegrationFailed:
		return ledger.Failed
	}
	return ledger.Open
}

// findCreditDue is the day a payment should be credited: a term from the payment's business day.
func (e *Env) findCreditDue(t agreements.Term, paid ledger.Date) ledger.Date {
	from := e.NextBusinessDay(paid)
	if from == 0 {
		return 0
	}
	if t.Business {
		return e.AddBusinessDays(from, t.Days)
	}
	return e.NextBusinessDay(from + ledger.Date(t.Days))
}

// CreditIfPaidWhenDue is the day on which the slip would be credited if it were paid on its due date; without a contract, which
// has the term, that day itself.
func (s *Slip) CreditIfPaidWhenDue(e *Env) ledger.Date {
	if !s.HasContract {
		return e.NextBusinessDay(s.Due)
	}
	return e.findCreditDue(s.Terms.Credit, s.Due)
}

// Late reports whether it was paid after the business day of its due date.
func (s *Slip) Late() bool { return s.PaidOn != 0 && !s.OnTime }

// ComputeCharges works out penalty and interest of a late payment, where the list that shows the terms knows the slip.
func (s *Slip) ComputeCharges(e *Env) {
	if !s.ChargesShown || s.Class == ledger.Cancelled {
		return
	}
	// A percentage is in ten-thousandths as amounts are: 2.00 is 20 000.
	const hundred = int64(ledger.Real) * 100
	if p := s.Penalty; p.OK {
		if e.Profile.Slip.Penalty == agreements.PenaltyFixed {
			s.ExpectedPenalty = ledger.Some(p.V.Rounded(ledger.HalfAwayFromZero))
		} else if a, err := s.FaceValue.MulDiv(int64(p.V), hundred, ledger.HalfAwayFromZero); err == nil {
			s.ExpectedPenalty = ledger.Some(a)
		}
	}
	p := s.Interest
	if !p.OK || p.V.Abs() > ledger.MaxAmount/ledger.Real {
		return
	}
	days := int64(s.DaysLate)
	switch e.Profile.Slip.Interest {
	case agreements.InterestDailyFixed:
		s.ExpectedInterest = ledger.Some((p.V * ledger.Amount(days)).Rounded(ledger.HalfAwayFromZero))
	case agreements.InterestDaily:
		if a, err := s.FaceValue.MulDiv(int64(p.V)*days, hundred, ledger.HalfAwayFromZero); err == nil {
			s.ExpectedInterest = ledger.Some(a)
		}
	default:
		if a, err := s.FaceValue.MulDiv(int64(p.V)*days, hundred*DaysOfMonth, ledger.HalfAwayFromZero); err == nil {
			s.ExpectedInterest = ledger.Some(a)
		}
	}
}

// computeExpectedValue works out V*: what should have been paid.
func (s *Slip) computeExpectedValue() {
	if s.Class == ledger.Cancelled {
		return
	}
	s.ExpectedValue = s.FaceValue
	if s.Late() && s.ChargesShown {
		s.ExpectedValue += s.penaltyDue() + s.interestDue()
		return
	}
	d := s.Terms.Discount
	if d.Pct == 0 || s.PaidOn == 0 || s.PaidAmount == 0 || s.PaidOn > s.Due-ledger.Date(d.UntilDays) {
		return
	}
	taken := s.FaceValue + s.PenaltyPaid + s.InterestPaid - s.PaidAmount
	agreed, err := d.Pct.ShareOf(s.FaceValue, ledger.Percent, ledger.HalfAwayFromZero)
	if err == nil && taken > 0 && taken <= agreed {
		s.Discount = taken
		s.ExpectedValue -= taken
	}
}

// penaltyDue and interestDue are the charges due; where no terms are known those received are taken as due.
func (s *Slip) penaltyDue() ledger.Amount  { return s.ExpectedPenalty.Or(s.PenaltyPaid) }
func (s *Slip) interestDue() ledger.Amount { return s.ExpectedInterest.Or(s.InterestPaid) }

// PenaltyBracket, InterestBracket and Rest are the brackets of a paid slip: what is missing from its charges and its
// value.
func (s *Slip) PenaltyBracket() ledger.Amount {
	if !s.Late() || !s.ChargesShown {
		return 0
	}
	return s.penaltyDue() - s.PenaltyPaid
}

// InterestBracket is the interest due less the interest received of a late slip.
func (s *Slip) InterestBracket() ledger.Amount {
	if !s.Late() || !s.ChargesShown {
		return 0
	}
	return s.interestDue() - s.InterestPaid
}

// ChargeBracket is minus the charges received of a slip that was not late.
func (s *Slip) ChargeBracket() ledger.Amount {
	if s.Late() || !s.ChargesShown {
		return 0
	}
	return -(s.PenaltyPaid + s.InterestPaid)
}

// Rest is what is missing from the paid value apart from penalty and interest.
func (s *Slip) Rest() ledger.Amount {
	rest := s.ExpectedValue + s.PenaltyPaid + s.InterestPaid - s.PaidAmount
	if s.Late() && s.ChargesShown {
		rest -= s.penaltyDue() + s.interestDue()
	}
	return rest
}

// VersionsIn is everything a list ever said of the slip, oldest first.
func (s *Slip) VersionsIn(list ledger.Source) []ledger.SlipVersion {
	if len(s.Earlier) == 0 {
		if v := s.View(list); v != nil {
			return []ledger.SlipVersion{*v}
		}
		return nil
	}
	var h []ledger.SlipVersion
	for _, all := range [...][]ledger.SlipVersion{s.Earlier, s.Views} {
		for i := range all {
			if all[i].List == list {
				h = append(h, all[i])
			}
		}
	}
	slices.SortStableFunc(h, func(a, b ledger.SlipVersion) int { return cmp.Compare(a.Version, b.Version) })
	return h
}

// SlipNote is what the answers of this run said of a slip in addition to its views. The zero SlipNote is that of a slip no
// answer of the run reported.
type SlipNote struct {
	// Asked: an answer of a list that arrived whole in this run showed the slip.
	Asked bool
	// Twice is the list, if any, that showed the id more than once and not alike.
	Twice ledger.Source
	// Outside is the list, if any, that showed the slip though its own date there, On, lies outside the Window asked
	// for. Windows deliberately wider are not meant.
	Outside ledger.Source
	On      ledger.Date
	Window  ledger.Period
	// Detail: the detail was asked for and answered. Refused: the answer said that it did not succeed.
	Detail, Refused bool
}

// findBarCode is the bar code that the slip's numbers agree on, or empty: where one of them is wrong neither is used.
func (s *Slip) findBarCode() ledger.BarCode {
	var bar, typed ledger.BarCode
	if s.BarCode != "" {
		var err error
		if bar, err = ledger.ParseBarCode(s.BarCode); err != nil {
			return ""
		}
	}
	if s.DigitableLine != "" {
		l, err := ledger.ParseDigitableLine(s.DigitableLine)
		if err != nil {
			return ""
		}
		typed = l.BarCode()
	}
	switch {
	case bar == "":
		return typed
	case typed == "" || typed == bar:
		return bar
	}
	return ""
}

// Recheck is a question to the service that is repeated before a difference is reported: a day of a list or, with an id, the
// detail of a slip (List is ledger.SlipDetail, Day zero).
type Recheck struct {
	List ledger.Source
	Day  ledger.Date
	ID   string
}

// DateInList is the slip's date that places it in a list.
func DateInList(list ledger.Source, v *ledger.SlipView) ledger.Date {
	switch list {
	case ledger.SlipsPayment:
		return v.PaidOn
	case ledger.SlipsCredit:
		return v.CreditedOn
	}
	return v.Due
}
