package reconcile

import (
	"slices"

	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// Why a bracket can't be attributed.
const (
	reasonUnmapped = "unmapped"
	reasonWindow   = "window"
	reasonShadow   = "shadow"
)

// attributeRow puts every bracket of an installment on its line and gives each to the rule that owns it.
func (ev *evaluation) attributeRow(r *rules.Row, e *ledger.Expectation, onSale *saleImpacts) {
	if r.Class.IsReversal() {
		e.Rest = ledger.LineReversed
		ev.attributeAmount(r, e, ledger.LineReversed, -r.Received, onSale)
		return
	}
	ev.attributeAmount(r, e, ledger.LineMDR, r.MDR-r.ExpectedMDR, onSale)
	ev.attributeAmount(r, e, ledger.LineFee, r.Fee-r.ExpectedFee, onSale)
	ev.attributeAmount(r, e, ledger.LineAntifraud, r.Antifraud-r.ExpectedAntifraud, onSale)
	ev.attributeAmount(r, e, ledger.LineAnticipation, r.Anticipation-r.ExpectedAnticipation, onSale)
	e.Rest = lineOfRest(r, ev.in.AsOf)
	ev.attributeAmount(r, e, e.Rest, r.Net-r.Received, onSale)
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
func (ev *evaluation) attributeAmount(r *rules.Row, e *ledger.Expectation, line ledger.BridgeLine, amount ledger.Amount, onSale *saleImpacts) {
	owners := ev.lineOwners[line]
	status := func(i int) rules.Status {
		s := ev.outcomes[i].Status
		switch {
		case s == rules.Fires && !ownsLine(ev.env.Rules()[i].Code, line, r):
			return rules.Passed
		case s == rules.NotEligible:
			return ev.saleOutcomes[i].Status // a fee agreed for the whole sale
		}
		return s
	}
	root := ev.findRoot(owners, status)
	if amount == 0 {
		if root >= 0 && ev.outcomes[root].Status == rules.Fires {
			ev.impacts[root] = ledger.Some(ev.impacts[root].Or(0))
		}
		return
	}
	b := ledger.Bracket{Line: line, Amount: amount}
	switch {
	case root >= 0 && ev.outcomes[root].Status == rules.Fires:
		ev.impacts[root] = ledger.Some(ev.impacts[root].Or(0) + amount)
		ev.setOwner(&b, root, r.Subject())
	case root >= 0:
		ev.setOwner(&b, root, r.Sale.Subject())
		*onSale = append(*onSale, struct {
			rule   int
			amount ledger.Amount
		}{root, amount})
	default:
		ev.attributeWithoutOwner(&b, owners, status, r.Unmapped)
		ev.tolerateRounding(&b, owners, status)
	}
	e.Brackets = append(e.Brackets, b)
}

// setOwner notes the rule that a bracket belongs to, and its case on the subject.
func (ev *evaluation) setOwner(b *ledger.Bracket, root int, subject string) {
	b.Code = ev.env.Rules()[root].Code
	b.Case = ledger.CaseID(ev.account, subject, b.Code)
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

// findRoot returns the first owner that fired, or -1, and notes it as the root cause of the other owners that fired.
func (ev *evaluation) findRoot(owners []int, status func(int) rules.Status) int {
	root := -1
	for _, i := range owners {
		if status(i) != rules.Fires {
			continue
		}
		if root < 0 {
			root = i
		} else if ev.rootRules[i] < 0 && !ev.impacts[i].OK {
			ev.rootRules[i] = root
		}
	}
	return root
}

// attributeWithoutOwner puts a bracket for which no rule fired on its line: the line itself if no rule owns it, not
// attributed if an owner could not be evaluated, else rounding.
func (ev *evaluation) attributeWithoutOwner(b *ledger.Bracket, owners []int, status func(int) rules.Status, unmapped bool) {
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
func (ev *evaluation) tolerateRounding(b *ledger.Bracket, owners []int, status func(int) rules.Status) {
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
		b.Code = ev.env.Rules()[who].Code
		ev.delta.addTolerated(b.Code, b.Amount)
	}
}

// monthOf is the first day of a date's month, no date of none.
func monthOf(d ledger.Date) ledger.Date {
	if d == 0 {
		return 0
	}
	return d.MonthStart()
}

// summarizeSubject returns what the report shows of the subject that was just evaluated: its verdict, the codes that
// fire on it and the impact of the root causes among them. Where a rule could not be evaluated this time, its
// unresolved case counts instead. subject is empty if no case was ever on it.
func (ev *evaluation) summarizeSubject(subject string, idx []int) (v ledger.Verdict, codes []string, impact ledger.Opt[ledger.Amount]) {
	v = ledger.RowOK
	add := func(code string, severity ledger.Severity, fires bool, cost ledger.Amount) {
		codes = append(codes, code)
		impact = ledger.Some(impact.V + cost)
		switch {
		case severity == ledger.Info:
		case fires:
			v = ledger.RowBreak
		case v == ledger.RowOK:
			v = ledger.RowPending
		}
	}
	for _, i := range idx {
		if o := &ev.outcomes[i]; o.Status >= rules.Pends {
			add(ev.env.Rules()[i].Code, ev.env.Severity(i, o), o.Status == rules.Fires, ev.impacts[i].V)
		}
	}
	for _, s := range ev.cases.bySubject[subject] {
		if ev.notEvaluated(s, idx) {
			// Its impact is that of the run that evaluated it last; of an explained case it is 0.
			add(s.Code, s.Severity, s.OpenedOn != 0, s.Impact.V)
		}
	}
	slices.Sort(codes)
	return v, codes, impact
}

// notEvaluated reports whether an unresolved case belongs to a rule among idx that could not be evaluated on its
// subject this time. Such a case stays until the rule can.
func (ev *evaluation) notEvaluated(s *storedCase, idx []int) bool {
	i := ev.env.Index(s.Code)
	return slices.Contains(idx, i) && leavesCase(ev.outcomes[i].Status) && s.State != ledger.Resolved && s.State != ledger.Shadow
}
