package reconcile

import (
	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// splitRow judges the splits of an installment, each a subject of its own, and those that were agreed and are not
// there. Where splits are taken out of the receipt their brackets stand in the bridge; else only in the cases.
func (w *work) splitRow(r *rules.Row, e *ledger.Expectation) ([]ledger.SplitExpectation, error) {
	n := r.SplitCount()
	if n == 0 && len(w.cases.splits) == 0 {
		return nil, nil
	}
	idx := w.byKind[rules.OnSplit]
	owners := w.owners[ledger.LineSplit]
	status := func(i int) rules.Status { return w.outs[i].Status }
	var out []ledger.SplitExpectation
	if len(r.Now.Splits) > 0 {
		out = make([]ledger.SplitExpectation, 0, len(r.Now.Splits))
	}
	for s := range n {
		w.reset(idx)
		for _, i := range idx {
			w.outs[i].Take(w.env.EvaluateSplit(i, r, s))
			w.now.guard.Count(w.places[i], &w.outs[i], r)
			w.disbelieve(i, &w.outs[i])
			w.tally(i, w.outs[i].Status)
		}
		root := w.root(owners, status)
		amount := r.SplitBracket(s)
		if root >= 0 {
			w.impacts[root] = ledger.Some(amount)
		}
		w.standSplit(r, e, s, amount, root, owners, status)
		p := place{}
		if w.cases.about(r.Key.SaleKey) || anyFires(idx, w.outs) {
			p = w.placeOf(r)
			p.subject = r.SplitSubject(s)
		}
		if s < len(r.Now.Splits) {
			out = append(out, w.splitExpectation(r, s, p.subject, idx))
		}
		if p.subject == "" {
			continue
		}
		if err := w.cases.judged(p, idx, w.outs); err != nil {
			return nil, err
		}
	}
	return out, w.goneSplits(r)
}

// goneSplits closes the books on splits the row had, or lacked, and no more does. The rules on them name classes.
func (w *work) goneSplits(r *rules.Row) error {
	if len(w.cases.splits) == 0 || !w.cases.about(r.Key.SaleKey) {
		return nil
	}
	return w.cases.gone(r.Subject(), func(i int) bool {
		return r.Unmapped || r.LineState == rules.NoContract && w.env.Rules()[i].UsesContract()
	})
}

// standSplit puts the bracket of split s where it belongs. Cancelled rows expect nothing, of splits neither.
func (w *work) standSplit(
	r *rules.Row, e *ledger.Expectation, s int, amount ledger.Amount, root int, owners []int, status func(int) rules.Status,
) {
	switch {
	case !r.Live() || amount == 0:
	case !w.in.Profile.NetOfSplits: // outside the bridge: what it costs stands on its case alone
	default:
		b := ledger.Bracket{Line: ledger.LineSplit, Amount: amount}
		if root < 0 {
			w.placeUnowned(&b, owners, status, r.Unmapped)
			w.tolerate(&b, owners, status)
		} else {
			w.sign(&b, root, r.SplitSubject(s))
		}
		e.Brackets = append(e.Brackets, b)
	}
}

func (w *work) splitExpectation(r *rules.Row, s int, subject string, idx []int) ledger.SplitExpectation {
	var x ledger.SplitExpectation
	sp := r.Now.Splits[s]
	if sp.Pct.OK && sp.Base.OK {
		if a, err := sp.Pct.V.ShareOf(sp.Base.V, w.in.Profile.Unit, ledger.HalfAwayFromZero); err == nil {
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
	x.Verdict, x.Codes, _ = w.verdictOf(subject, idx)
	return x
}
