package reconcile

import (
	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// Why a bracket can't be attributed.
const (
	reasonUnmapped = "unmapped"
	reasonWindow   = "window"
	reasonShadow   = "shadow"
)

// bridge divides the difference between what was agreed and what was received of a row into brackets, puts each on a
// line, and names the rule that owns it.
type bridge struct {
	*attempt
	outcomes *subjectOutcomes
}

// attributeRow puts every bracket of an installment on its line and gives each to the rule that owns it.
func (br *bridge) attributeRow(r *rules.Row, e *ledger.Expectation, onSale *saleImpacts) {
	if r.Class.IsReversal() {
		e.Rest = ledger.LineReversed
		br.attributeAmount(r, e, ledger.LineReversed, -r.Received, onSale)
		return
	}
	br.attributeAmount(r, e, ledger.LineMDR, r.MDR-r.ExpectedMDR, onSale)
	br.attributeAmount(r, e, ledger.LineFee, r.Fee-r.ExpectedFee, onSale)
	br.attributeAmount(r, e, ledger.LineAntifraud, r.Antifraud-r.ExpectedAntifraud, onSale)
	br.attributeAmount(r, e, ledger.LineAnticipation, r.Anticipation-r.ExpectedAnticipation, onSale)
	e.Rest = lineOfRest(r, br.in.AsOf)
	br.attributeAmount(r, e, e.Rest, r.Net-r.Received, onSale)
}

// lineOfRest is the line of what is not received: N − R.
func lineOfRest(r *rules.Row, asOf ledger.Date) ledger.BridgeLine {
	switch {
	case r.Settled || r.Reversed || r.Received != 0:
		return ledger.LineReceived
	case r.Class == ledger.Blocked:
		return ledger.LineBlocked
	case r.Due == 0:
		return ledger.LineNoForecast
	case asOf <= r.Limit:
		return ledger.LineNotDue
	}
	return ledger.LineOverdue
}

// attributeAmount puts an amount on its line of the bridge. The first owner of the line that fired is the root cause;
// owners after it that fired are explained by it. If none fired, the amount is rounding, or not attributed if an owner
// could not be evaluated. A line without owners keeps its amount.
func (br *bridge) attributeAmount(r *rules.Row, e *ledger.Expectation, line ledger.BridgeLine, amount ledger.Amount, onSale *saleImpacts) {
	owners := br.outcomes.lineOwners[line]
	status := func(i int) rules.Status {
		s := br.outcomes.current[i].Status
		switch {
		case s == rules.Fires && !ownsLine(br.env.Rules()[i].Code, line, r):
			return rules.Passed
		case s == rules.NotEligible:
			return br.outcomes.ofSale[i].Status // a fee agreed for the whole sale
		}
		return s
	}
	root := br.outcomes.findRoot(owners, status)
	if amount == 0 {
		if root >= 0 && br.outcomes.current[root].Status == rules.Fires {
			br.outcomes.impacts[root] = ledger.Some(br.outcomes.impacts[root].Or(0))
		}
		return
	}
	b := ledger.Bracket{Line: line, Amount: amount}
	switch {
	case root >= 0 && br.outcomes.current[root].Status == rules.Fires:
		br.outcomes.impacts[root] = ledger.Some(br.outcomes.impacts[root].Or(0) + amount)
		br.setOwner(&b, root, r.Subject())
	case root >= 0:
		br.setOwner(&b, root, r.Sale.Subject())
		*onSale = append(*onSale, struct {
			rule   int
			amount ledger.Amount
		}{root, amount})
	default:
		br.attributeWithoutOwner(&b, owners, status, r.Unmapped)
		br.tolerateRounding(&b, owners, status)
	}
	e.Brackets = append(e.Brackets, b)
}

// setOwner notes the rule that a bracket belongs to, and its case on the subject.
func (br *bridge) setOwner(b *ledger.Bracket, root int, subject string) {
	b.Code = br.env.Rules()[root].Code
	b.Case = ledger.CaseID(br.account, subject, b.Code)
}

// ownsLine reports whether a rule that fired on the row owns an amount on the line: FEE_UNEXPECTED is one rule for two
// lines.
func ownsLine(code string, line ledger.BridgeLine, r *rules.Row) bool {
	if code != "FEE_UNEXPECTED" {
		return true
	}
	transaction, antifraud := r.UnexpectedFees()
	return line == ledger.LineFee && transaction || line == ledger.LineAntifraud && antifraud
}

// attributeWithoutOwner puts a bracket for which no rule fired on its line: the line itself if no rule owns it, not
// attributed if an owner could not be evaluated, else rounding.
func (br *bridge) attributeWithoutOwner(b *ledger.Bracket, owners []int, status func(int) rules.Status, unmapped bool) {
	if reason := whyNotAttributed(owners, status, unmapped); reason != "" {
		b.Line, b.Origin, b.Reason = ledger.LineNotAttributed, b.Line, reason
		return
	}
	// A blocked amount stays on its line, however long it has been blocked.
	if len(owners) > 0 && b.Line != ledger.LineBlocked {
		b.Line = ledger.LineRounding
	}
}

// whyNotAttributed returns why a bracket cannot be attributed: the row's status is unmapped, or an owner was not
// evaluated or is suppressed. It is empty if every owner was evaluated.
func whyNotAttributed(owners []int, status func(int) rules.Status, unmapped bool) string {
	if unmapped {
		return reasonUnmapped
	}
	for _, i := range owners {
		switch status(i) {
		case rules.Unmapped:
			return reasonUnmapped
		case rules.NotPulled:
			return reasonWindow
		case rules.SuppressedFire, rules.SuppressedPass:
			return reasonShadow
		}
	}
	return ""
}

// tolerateRounding counts an amount of rounding for the owner that tolerated it.
func (br *bridge) tolerateRounding(b *ledger.Bracket, owners []int, status func(int) rules.Status) {
	if b.Line != ledger.LineRounding {
		return
	}
	who := -1
	for _, i := range owners {
		s := status(i)
		if s == rules.Within && (who < 0 || status(who) != rules.Within) || s == rules.Passed && who < 0 {
			who = i
		}
	}
	if who >= 0 {
		b.Code = br.env.Rules()[who].Code
		br.outcomes.delta.addTolerated(b.Code, b.Amount)
	}
}

// monthOf is the first day of a date's month, no date of none.
func monthOf(d ledger.Date) ledger.Date {
	if d == 0 {
		return 0
	}
	return d.MonthStart()
}

// attributeSplit puts the bracket of split s on its line. Rows that are not live have none.
func (br *bridge) attributeSplit(
	r *rules.Row, e *ledger.Expectation, s int, amount ledger.Amount, root int, owners []int, status func(int) rules.Status,
) {
	switch {
	case !r.Live() || amount == 0:
	case !br.in.Profile.NetOfSplits: // outside the bridge: only its case has the impact
	default:
		b := ledger.Bracket{Line: ledger.LineSplit, Amount: amount}
		if root < 0 {
			br.attributeWithoutOwner(&b, owners, status, r.Unmapped)
			br.tolerateRounding(&b, owners, status)
		} else {
			br.setOwner(&b, root, r.SplitSubject(s))
		}
		e.Brackets = append(e.Brackets, b)
	}
}

// attributeSlip puts every bracket of a slip on its line.
func (br *bridge) attributeSlip(s *rules.Slip, e *ledger.SlipExpectation) {
	switch s.Class {
	case ledger.Cancelled:
		e.Rest = ledger.LineCancelledPaid
		br.attributeSlipAmount(s, e, ledger.LineCancelledPaid, -s.PaidAmount)
	case ledger.Paid:
		br.attributePaidSlip(s, e)
	default:
		e.Rest = br.lineOfUnpaid(s)
		br.attributeSlipAmount(s, e, e.Rest, s.FaceValue)
		return
	}
	if s.PaidAmount == 0 || s.CreditedOn != 0 {
		return
	}
	e.Rest = ledger.LineCreditNotDue
	if s.WarningLimit != 0 && br.in.AsOf > s.WarningLimit && s.PaidAmount > 0 {
		e.Rest = ledger.LineCreditOverdue
	}
	br.attributeSlipAmount(s, e, e.Rest, s.PaidAmount)
}

func (br *bridge) attributePaidSlip(s *rules.Slip, e *ledger.SlipExpectation) {
	e.Rest = ledger.LinePaid
	if s.Late() && !s.ChargesShown && s.PaidAmount != 0 {
		e.Rest = ledger.LineLateNotShown
		br.attributeSlipAmount(s, e, e.Rest, s.FaceValue-s.PaidAmount)
		return
	}
	br.attributeSlipAmount(s, e, ledger.LinePenalty, s.PenaltyBracket())
	br.attributeSlipAmount(s, e, ledger.LineInterest, s.InterestBracket())
	br.attributeSlipAmount(s, e, ledger.LineChargeNotDue, s.ChargeBracket())
	br.attributeSlipAmount(s, e, ledger.LinePaid, s.Rest())
}

// lineOfUnpaid is the line of an unpaid slip: not registered if a rule says so, else by its due date.
func (br *bridge) lineOfUnpaid(s *rules.Slip) ledger.BridgeLine {
	for _, i := range br.outcomes.lineOwners[ledger.LineNotRegistered] {
		if br.outcomes.current[i].Status == rules.Fires {
			return ledger.LineNotRegistered
		}
	}
	if s.DueOn == 0 || br.in.AsOf <= s.DueOn {
		return ledger.LineUnpaidNotDue
	}
	return ledger.LineUnpaidPastDue
}

func (br *bridge) attributeSlipAmount(s *rules.Slip, e *ledger.SlipExpectation, line ledger.BridgeLine, amount ledger.Amount) {
	owners := br.outcomes.lineOwners[line]
	status := func(i int) rules.Status { return br.outcomes.current[i].Status }
	root := br.outcomes.findRoot(owners, status)
	if root >= 0 {
		br.outcomes.impacts[root] = ledger.Some(br.outcomes.impacts[root].Or(0) + amount)
	}
	if amount == 0 {
		return
	}
	b := ledger.Bracket{Line: line, Amount: amount}
	if root < 0 {
		br.attributeWithoutOwner(&b, owners, status, false)
		br.tolerateRounding(&b, owners, status)
	} else {
		br.setOwner(&b, root, s.Subject())
	}
	e.Brackets = append(e.Brackets, b)
}
