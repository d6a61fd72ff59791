package reconcile

import (
	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// evaluateSplits judges the splits of an installment, each a subject of its own, and those that were agreed and are not
// there. Where splits are taken out of the receipt their brackets stand in the bridge; else only in the cases.
func (ev *evaluation) evaluateSplits(r *rules.Row, e *ledger.Expectation) ([]ledger.SplitExpectation, error) {
	n := r.SplitCount()
	if n == 0 && len(ev.cases.splitCases) == 0 {
		return nil, nil
	}
	idx := ev.rulesOn[rules.OnSplit]
	owners := ev.lineOwners[ledger.LineSplit]
	status := func(i int) rules.Status { return ev.outcomes[i].Status }
	var out []ledger.SplitExpectation
	if len(r.Now.Splits) > 0 {
		out = make([]ledger.SplitExpectation, 0, len(r.Now.Splits))
	}
	for s := range n {
		ev.clearImpacts(idx)
		for _, i := range idx {
			ev.outcomes[i].Take(ev.env.EvaluateSplit(i, r, s))
			ev.delta.guard.Count(ev.guardPlaces[i], &ev.outcomes[i], r)
			ev.suppressOutcome(i, &ev.outcomes[i])
			ev.countStatus(i, ev.outcomes[i].Status)
		}
		root := ev.findRoot(owners, status)
		amount := r.SplitBracket(s)
		if root >= 0 {
			ev.impacts[root] = ledger.Some(amount)
		}
		ev.attributeSplit(r, e, s, amount, root, owners, status)
		p := caseContext{}
		if ev.cases.existForSale(r.Key.SaleKey) || anyFires(idx, ev.outcomes) {
			p = ev.contextOfRow(r)
			p.subject = r.SplitSubject(s)
		}
		if s < len(r.Now.Splits) {
			out = append(out, ev.newSplitExpectation(r, s, p.subject, idx))
		}
		if p.subject == "" {
			continue
		}
		if err := ev.cases.recordOutcomes(p, idx, ev.outcomes); err != nil {
			return nil, err
		}
	}
	return out, ev.resolveGoneSplits(r)
}

// resolveGoneSplits closes the books on splits the row had, or lacked, and no more does. The rules on them name classes.
func (ev *evaluation) resolveGoneSplits(r *rules.Row) error {
	if len(ev.cases.splitCases) == 0 || !ev.cases.existForSale(r.Key.SaleKey) {
		return nil
	}
	return ev.cases.resolveSplitCases(r.Subject(), func(i int) bool {
		return r.Unmapped || r.LineState == rules.NoContract && ev.env.Rules()[i].UsesContract()
	})
}

// attributeSplit puts the bracket of split s where it belongs. Cancelled rows expect nothing, of splits neither.
func (ev *evaluation) attributeSplit(
	r *rules.Row, e *ledger.Expectation, s int, amount ledger.Amount, root int, owners []int, status func(int) rules.Status,
) {
	switch {
	case !r.Live() || amount == 0:
	case !ev.in.Profile.NetOfSplits: // outside the bridge: what it costs stands on its case alone
	default:
		b := ledger.Bracket{Line: ledger.LineSplit, Amount: amount}
		if root < 0 {
			ev.attributeWithoutOwner(&b, owners, status, r.Unmapped)
			ev.tolerateRounding(&b, owners, status)
		} else {
			ev.setOwner(&b, root, r.SplitSubject(s))
		}
		e.Brackets = append(e.Brackets, b)
	}
}

func (ev *evaluation) newSplitExpectation(r *rules.Row, s int, subject string, idx []int) ledger.SplitExpectation {
	var x ledger.SplitExpectation
	sp := r.Now.Splits[s]
	if sp.Pct.OK && sp.Base.OK {
		if a, err := sp.Pct.V.ShareOf(sp.Base.V, ev.in.Profile.Unit, ledger.HalfAwayFromZero); err == nil {
			x.Expected = ledger.Some(a)
		}
	}
	if r.Contract != nil {
		for _, a := range r.Contract.Splits {
			if a.Beneficiary == sp.Beneficiary {
				x.ContractPct = ledger.Some(a.Pct)
			}
		}
	}
	x.Verdict, x.Codes, _ = ev.summarizeSubject(subject, idx)
	return x
}
