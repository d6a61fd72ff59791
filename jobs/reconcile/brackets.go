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

// placeRow puts every bracket of an installment on its line and gives each to the rule that owns it.
func (w *work) placeRow(r *rules.Row, e *ledger.Expectation, onSale *saleImpacts) {
	if r.Class.IsReversal() {
		e.Rest = ledger.LineReversed
		w.bracket(r, e, ledger.LineReversed, -r.Received, onSale)
		return
	}
	w.bracket(r, e, ledger.LineMDR, r.MDR-r.ExpectedMDR, onSale)
	w.bracket(r, e, ledger.LineFee, r.Fee-r.ExpectedFee, onSale)
	w.bracket(r, e, ledger.LineAntifraud, r.Antifraud-r.ExpectedAntifraud, onSale)
	w.bracket(r, e, ledger.LineAnticipation, r.Anticipation-r.ExpectedAnticipation, onSale)
	e.Rest = restOf(r, w.in.AsOf)
	w.bracket(r, e, e.Rest, r.Net-r.Received, onSale)
}

// restOf is the line of what is not received: N − R.
func restOf(r *rules.Row, asOf ledger.Date) ledger.BridgeLine {
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

// bracket stands an amount on its line. The first owner that fired is its root; those after it are explained. Without
// one it is rounding where owners judged, is told apart where one could not, and needs none on a line without owners.
func (w *work) bracket(r *rules.Row, e *ledger.Expectation, line ledger.BridgeLine, amount ledger.Amount, onSale *saleImpacts) {
	owners := w.owners[line]
	status := func(i int) rules.Status {
		s := w.outs[i].Status
		switch {
		case s == rules.Fires && !owns(w.env.Rules()[i].Code, line, r):
			return rules.Passed
		case s == rules.NotEligible:
			return w.saleOut[i].Status // a fee agreed for the whole sale
		}
		return s
	}
	root := w.root(owners, status)
	if amount == 0 {
		if root >= 0 && w.outs[root].Status == rules.Fires {
			w.impacts[root] = ledger.Some(w.impacts[root].Or(0))
		}
		return
	}
	b := ledger.Bracket{Line: line, Amount: amount}
	switch {
	case root >= 0 && w.outs[root].Status == rules.Fires:
		w.impacts[root] = ledger.Some(w.impacts[root].Or(0) + amount)
		w.sign(&b, root, r.Subject())
	case root >= 0:
		w.sign(&b, root, r.Sale.Subject())
		*onSale = append(*onSale, struct {
			rule   int
			amount ledger.Amount
		}{root, amount})
	default:
		w.placeUnowned(&b, owners, status, r.Unmapped)
		w.tolerate(&b, owners, status)
	}
	e.Brackets = append(e.Brackets, b)
}

// sign notes the rule a bracket belongs to, and its case on the subject.
func (w *work) sign(b *ledger.Bracket, root int, subject string) {
	b.Code = w.env.Rules()[root].Code
	b.Case = ledger.CaseID(w.account, subject, b.Code)
}

// owns says whether a rule that fired on the row did so for what stands on the line: an unexpected fee is one of two.
func owns(code string, line ledger.BridgeLine, r *rules.Row) bool {
	if code != "FEE_UNEXPECTED" {
		return true
	}
	transaction, antifraud := r.UnexpectedFees()
	return line == ledger.LineFee && transaction || line == ledger.LineAntifraud && antifraud
}

// root finds the owner that fired first and notes it with the others that fired.
func (w *work) root(owners []int, status func(int) rules.Status) int {
	root := -1
	for _, i := range owners {
		if status(i) != rules.Fires {
			continue
		}
		if root < 0 {
			root = i
		} else if w.roots[i] < 0 && !w.impacts[i].OK {
			w.roots[i] = root
		}
	}
	return root
}

// placeUnowned puts a bracket that no rule fired for where it belongs: on its own line where no rule owns that one, under
// not attributed where an owner could not be evaluated, and else under rounding.
func (w *work) placeUnowned(b *ledger.Bracket, owners []int, status func(int) rules.Status, unmapped bool) {
	if reason := whyNotAttributed(owners, status, unmapped); reason != "" {
		b.Line, b.Origin, b.Reason = ledger.LineNotAttributed, b.Line, reason
		return
	}
	// What is blocked stands on its line whether it has been so for long or not.
	if len(owners) > 0 && b.Line != ledger.LineBlocked {
		b.Line = ledger.LineRounding
	}
}

// whyNotAttributed is the reason why a bracket belongs to no line: the row's status is unmapped, or an owner was skipped or
// not believed. It is empty where every owner was evaluated.
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

// tolerate books rounding to the owner that let it pass.
func (w *work) tolerate(b *ledger.Bracket, owners []int, status func(int) rules.Status) {
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
		b.Code = w.env.Rules()[who].Code
		w.now.tolerate(b.Code, b.Amount)
	}
}

// monthOf is the first day of a date's month, no date of none.
func monthOf(d ledger.Date) ledger.Date {
	if d == 0 {
		return 0
	}
	return d.MonthStart()
}

// verdictOf is what the report shows of the subject just judged: the codes that fire on it, the worst of them, and
// what the roots among them cost. Where a rule could not judge the subject this time, what stands on it counts until one
// can. An empty subject is one that no case was ever on.
func (w *work) verdictOf(subject string, idx []int) (v ledger.Verdict, codes []string, impact ledger.Opt[ledger.Amount]) {
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
		if o := &w.outs[i]; o.Status >= rules.Pends {
			add(w.env.Rules()[i].Code, w.env.Severity(i, o), o.Status == rules.Fires, w.impacts[i].V)
		}
	}
	for _, s := range w.cases.bySubject[subject] {
		if w.notEvaluated(s, idx) {
			// Its impact is that of the run that evaluated it last; of an explained case it is 0.
			add(s.Code, s.Severity, s.OpenedOn != 0, s.Impact.V)
		}
	}
	slices.Sort(codes)
	return v, codes, impact
}

// notEvaluated says whether an unresolved case is of a rule among idx that could not evaluate its subject this time: what
// it reports holds until the rule can.
func (w *work) notEvaluated(s *standing, idx []int) bool {
	i := w.env.Index(s.Code)
	return slices.Contains(idx, i) && leaves(w.outs[i].Status) && s.State != ledger.Resolved && s.State != ledger.Shadow
}
