package rules

import (
	"maps"
	"slices"

	"concilia/jobs/agreements"
	"concilia/store/ledger"
)

func splitRow(r *Row) bool { return r.Live() && len(r.Now.Splits) > 0 }

// SplitCount is the number of splits that the rules judge: those of the row, then the agreed ones it lacks.
func (r *Row) SplitCount() int { return len(r.Now.Splits) + len(r.Lacking) }

// SplitSubject is the subject of split n of SplitCount. A split that the row lacks has no type.
func (r *Row) SplitSubject(n int) string {
	splits := r.Now.Splits
	if n >= len(splits) {
		return ledger.SplitSubject(r.Key, r.Lacking[n-len(splits)].Beneficiary, "", 1)
	}
	ordinal := 1
	for i := range n {
		if splits[i].Beneficiary == splits[n].Beneficiary && splits[i].Type == splits[n].Type {
			ordinal++
		}
	}
	return ledger.SplitSubject(r.Key, splits[n].Beneficiary, splits[n].Type, ordinal)
}

// SplitBracket is the excess of split n over its expected value; a row that was taken back has no expected value.
func (r *Row) SplitBracket(n int) ledger.Amount {
	if !r.Live() {
		return 0
	}
	if n >= len(r.Now.Splits) {
		return -r.SplitStar[n]
	}
	return r.Now.Splits[n].Value.Or(0) - r.SplitStar[n]
}

// ownSplit is the split, where n is one of the row's own and the row is live.
func ownSplit(r *Row, n int) (ledger.Split, bool) {
	if !r.Live() || n >= len(r.Now.Splits) {
		return ledger.Split{}, false
	}
	return r.Now.Splits[n], true
}

// splitMissing is asked of the row's own splits too: one that belongs to an agreed beneficiary is not missing.
func splitMissing(e *Env, r *Row, n int, _ Tolerance) Outcome {
	if !r.Live() {
		return only(NotEligible)
	}
	if i := n - len(r.Now.Splits); i >= 0 {
		return Outcome{
			Status: Fires, Hint: under, Expected: ledger.Money(r.SplitStar[n]), Actual: ledger.Money(0),
			Numbers: []ledger.Number{rate("pct", r.Lacking[i].Pct)},
		}
	}
	agreed := agreedSplits(r)
	if len(agreed) == 0 {
		return only(noAgreement(e))
	}
	if _, ok := agreedFor(agreed, r.Now.Splits[n].Beneficiary); !ok {
		return only(NotEligible)
	}
	return only(Passed)
}

// noAgreement is the status of a rule on agreed shares where none are.
func noAgreement(e *Env) Status {
	if !e.contracted {
		return NoInput
	}
	return NotEligible
}

// splitContract reads a beneficiary nobody agreed to as an agreement of nothing.
func splitContract(e *Env, r *Row, n int, t Tolerance) Outcome {
	sp, ok := ownSplit(r, n)
	if !ok {
		return only(NotEligible)
	}
	agreed := agreedSplits(r)
	if len(agreed) == 0 {
		return only(noAgreement(e))
	}
	if !sp.Pct.OK {
		return only(NotEvaluable)
	}
	want, _ := agreedFor(agreed, sp.Beneficiary)
	pct := sp.Pct.V.Percent(e.Profile.Unit)
	diff := pct - want
	switch {
	case diff == 0:
		return only(Passed)
	case diff.Abs() <= t.Points:
		return only(Within)
	}
	o := Outcome{
		Status: Fires, Hint: over, Expected: ledger.Text(want.String()), Actual: ledger.Text(pct.String()),
		Numbers: []ledger.Number{rate("pct", pct), rate("contract", want), money("charged", sp.Value.Or(0)), money("agreed", r.SplitStar[n])},
	}
	if diff < 0 {
		o.Hint = under
	}
	return o
}

// splitAmount holds the split to its own base; whether the base is right is the next rule's question.
func splitAmount(e *Env, r *Row, n int, t Tolerance) Outcome {
	sp, ok := ownSplit(r, n)
	if !ok {
		return only(NotEligible)
	}
	if !sp.Pct.OK || !sp.Base.OK {
		return only(NotEvaluable)
	}
	expected, err := sp.Pct.V.ShareOf(sp.Base.V, e.Profile.Unit, ledger.HalfAwayFromZero)
	if err != nil {
		return only(NotEvaluable)
	}
	if n == len(r.Now.Splits)-1 {
		t.Abs = max(t.Abs, ledger.Cent*ledger.Amount(len(r.Now.Splits)))
	}
	return differ(expected, sp.Value.Or(0), expected, t, under).tell(func() []ledger.Number {
		return []ledger.Number{rate("pct", sp.Pct.V.Percent(e.Profile.Unit)), money("base", sp.Base.V)}
	})
}

// splitUnknown shows no beneficiary: it may be a person's document.
func splitUnknown(e *Env, r *Row, n int, _ Tolerance) Outcome {
	sp, ok := ownSplit(r, n)
	switch {
	case !ok:
		return only(NotEligible)
	case e.Register == nil:
		return only(NoInput)
	}
	return when(!e.Register.Contains(sp.Beneficiary, r.Key.Day), Outcome{Actual: ledger.Money(sp.Value.Or(0))}).tell(func() []ledger.Number {
		return []ledger.Number{date("sale", r.Key.Day)}
	})
}

func splitOnBase(e *Env, r *Row, n int, t Tolerance) Outcome {
	sp, ok := ownSplit(r, n)
	if !ok {
		return only(NotEligible)
	}
	if !sp.Base.OK {
		return only(NotEvaluable)
	}
	base := splitBase(e, r)
	return differ(base, sp.Base.V, base, t, under)
}

func splitBases(_ *Env, r *Row, _ Tolerance) Outcome {
	if !splitRow(r) {
		return only(NotEligible)
	}
	first := r.Now.Splits[0].Base
	for _, sp := range r.Now.Splits[1:] {
		if sp.Base != first {
			return Outcome{Status: Fires, Expected: ledger.Money(first.Or(0)), Actual: ledger.Money(sp.Base.Or(0))}
		}
	}
	return only(Passed)
}

// splitPctSum can't be more than all; less is wrong only where splits share out everything.
func splitPctSum(e *Env, r *Row, t Tolerance) Outcome {
	if !splitRow(r) {
		return only(NotEligible)
	}
	var sum ledger.Rate
	for _, sp := range r.Now.Splits {
		if !sp.Pct.OK {
			return only(NotEvaluable)
		}
		sum += sp.Pct.V.Percent(e.Profile.Unit)
	}
	const hundred = 100 * ledger.RateScale
	o := Outcome{Status: Fires, Severity: ledger.Error}
	switch {
	case sum > hundred+t.Points:
	case e.Profile.Split.Coverage == agreements.SplitWhole && sum < hundred-t.Points:
		o.Severity = ledger.Warning
	default:
		return only(Passed)
	}
	return o.tell(func() []ledger.Number { return []ledger.Number{rate("pct", sum)} })
}

func splitTwice(_ *Env, r *Row, _ Tolerance) Outcome {
	if !splitRow(r) {
		return only(NotEligible)
	}
	if len(r.Now.Splits) == 1 {
		return only(Passed)
	}
	seen := map[string]int{}
	for _, sp := range r.Now.Splits {
		seen[sp.Beneficiary+"\x00"+sp.Type]++
	}
	most := 0
	for _, n := range seen {
		most = max(most, n)
	}
	if most <= 1 {
		return only(Passed)
	}
	return Outcome{Status: Fires, Numbers: []ledger.Number{count("count", most)}}
}

// splitsUneven compares each installment's shares with those of the first, beneficiary by beneficiary in order.
func splitsUneven(e *Env, s *Sale, t Tolerance) Outcome {
	switch {
	case !s.Live || s.sum(func(r *Row) ledger.Amount { return ledger.Amount(len(r.Now.Splits)) }) == 0:
		return only(NotEligible)
	case !s.Whole():
		return only(NotEvaluable)
	}
	first := s.Rows[0]
	want, ok := sharesOf(e, first)
	for _, r := range s.Rows[1:] {
		have, stated := sharesOf(e, r)
		if !ok || !stated {
			return only(NotEvaluable)
		}
		if maps.Equal(want, have) {
			continue
		}
		everyone := maps.Clone(want)
		maps.Copy(everyone, have)
		for _, who := range slices.Sorted(maps.Keys(everyone)) {
			if (have[who] - want[who]).Abs() > t.Points {
				return Outcome{Status: Fires, Numbers: []ledger.Number{
					rate("first", want[who]), rate("second", have[who]),
					count("one", first.Key.Number), count("other", r.Key.Number),
				}}
			}
		}
	}
	return only(Passed)
}

// sharesOf is the percentage of each beneficiary of a row, of whatever type; false when a split states none.
func sharesOf(e *Env, r *Row) (map[string]ledger.Rate, bool) {
	shares := make(map[string]ledger.Rate, len(r.Now.Splits))
	for _, sp := range r.Now.Splits {
		if !sp.Pct.OK {
			return nil, false
		}
		shares[sp.Beneficiary] += sp.Pct.V.Percent(e.Profile.Unit)
	}
	return shares, true
}
