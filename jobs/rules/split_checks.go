package rules

import (
	"maps"
	"slices"

	"concilia/jobs/agreements"
	"concilia/store/ledger"
)

func hasLiveSplits(r *Row) bool { return r.Live() && len(r.Now.Splits) > 0 }

// SplitCount is the number of splits that the rules judge: those of the row, then the agreed ones it lacks.
func (r *Row) SplitCount() int { return len(r.Now.Splits) + len(r.MissingSplits) }

// SplitSubject is the subject of split n of SplitCount. A split that the row lacks has no type.
func (r *Row) SplitSubject(n int) string {
	splits := r.Now.Splits
	if n >= len(splits) {
		return ledger.SplitSubject(r.Key, r.MissingSplits[n-len(splits)].Beneficiary, "", 1)
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
		return -r.ExpectedSplits[n]
	}
	return r.Now.Splits[n].Value.Or(0) - r.ExpectedSplits[n]
}

// ownSplit is the split, where n is one of the row's own and the row is live.
func ownSplit(r *Row, n int) (ledger.Split, bool) {
	if !r.Live() || n >= len(r.Now.Splits) {
		return ledger.Split{}, false
	}
	return r.Now.Splits[n], true
}

// evaluateMissingSplit is asked of the row's own splits too: one that belongs to an agreed beneficiary is not missing.
func evaluateMissingSplit(e *Env, r *Row, n int, _ Tolerance) Outcome {
	if !r.Live() {
		return NotEligible.Outcome()
	}
	if i := n - len(r.Now.Splits); i >= 0 {
		return Outcome{
			Status: Fires, Hint: Under, Expected: ledger.Money(r.ExpectedSplits[n]), Actual: ledger.Money(0),
			Numbers: []ledger.Number{NamedRate("pct", r.MissingSplits[i].Pct)},
		}
	}
	agreed := AgreedSplits(r)
	if len(agreed) == 0 {
		return noAgreement(e).Outcome()
	}
	if _, ok := FindAgreedShare(agreed, r.Now.Splits[n].Beneficiary); !ok {
		return NotEligible.Outcome()
	}
	return Passed.Outcome()
}

// noAgreement is the status of a rule on agreed shares where none are.
func noAgreement(e *Env) Status {
	if !e.HasContract {
		return NoInput
	}
	return NotEligible
}

// evaluateAgreedShare reads a beneficiary nobody agreed to as an agreement of nothing.
func evaluateAgreedShare(e *Env, r *Row, n int, t Tolerance) Outcome {
	sp, ok := ownSplit(r, n)
	if !ok {
		return NotEligible.Outcome()
	}
	agreed := AgreedSplits(r)
	if len(agreed) == 0 {
		return noAgreement(e).Outcome()
	}
	if !sp.Pct.OK {
		return NotEvaluable.Outcome()
	}
	want, _ := FindAgreedShare(agreed, sp.Beneficiary)
	pct := sp.Pct.V.Percent(e.Profile.Unit)
	diff := pct - want
	switch {
	case diff == 0:
		return Passed.Outcome()
	case diff.Abs() <= t.Points:
		return Within.Outcome()
	}
	o := Outcome{
		Status: Fires, Hint: Over, Expected: ledger.Text(want.String()), Actual: ledger.Text(pct.String()),
		Numbers: []ledger.Number{NamedRate("pct", pct), NamedRate("contract", want), NamedAmount("charged", sp.Value.Or(0)), NamedAmount("agreed", r.ExpectedSplits[n])},
	}
	if diff < 0 {
		o.Hint = Under
	}
	return o
}

// evaluateSplitAmount holds the split to its own base; whether the base is right is the next rule's question.
func evaluateSplitAmount(e *Env, r *Row, n int, t Tolerance) Outcome {
	sp, ok := ownSplit(r, n)
	if !ok {
		return NotEligible.Outcome()
	}
	if !sp.Pct.OK || !sp.Base.OK {
		return NotEvaluable.Outcome()
	}
	expected, err := sp.Pct.V.ShareOf(sp.Base.V, e.Profile.Unit, ledger.HalfAwayFromZero)
	if err != nil {
		return NotEvaluable.Outcome()
	}
	if n == len(r.Now.Splits)-1 {
		t.Abs = max(t.Abs, ledger.Cent*ledger.Amount(len(r.Now.Splits)))
	}
	return CompareAmounts(expected, sp.Value.Or(0), expected, t, Under).WithNumbers(func() []ledger.Number {
		return []ledger.Number{NamedRate("pct", sp.Pct.V.Percent(e.Profile.Unit)), NamedAmount("base", sp.Base.V)}
	})
}

// evaluateBeneficiary shows no beneficiary: it may be a person's document.
func evaluateBeneficiary(e *Env, r *Row, n int, _ Tolerance) Outcome {
	sp, ok := ownSplit(r, n)
	switch {
	case !ok:
		return NotEligible.Outcome()
	case e.Register == nil:
		return NoInput.Outcome()
	}
	return FireIf(!e.Register.Contains(sp.Beneficiary, r.Key.Day), Outcome{Actual: ledger.Money(sp.Value.Or(0))}).WithNumbers(func() []ledger.Number {
		return []ledger.Number{NamedDate("sale", r.Key.Day)}
	})
}

func evaluateSplitBase(e *Env, r *Row, n int, t Tolerance) Outcome {
	sp, ok := ownSplit(r, n)
	if !ok {
		return NotEligible.Outcome()
	}
	if !sp.Base.OK {
		return NotEvaluable.Outcome()
	}
	base := SplitBase(e, r)
	return CompareAmounts(base, sp.Base.V, base, t, Under)
}

func evaluateSplitBases(_ *Env, r *Row, _ Tolerance) Outcome {
	if !hasLiveSplits(r) {
		return NotEligible.Outcome()
	}
	first := r.Now.Splits[0].Base
	for _, sp := range r.Now.Splits[1:] {
		if sp.Base != first {
			return Outcome{Status: Fires, Expected: ledger.Money(first.Or(0)), Actual: ledger.Money(sp.Base.Or(0))}
		}
	}
	return Passed.Outcome()
}

// evaluateShareSum can't be more than all; less is wrong only where splits share out everything.
func evaluateShareSum(e *Env, r *Row, t Tolerance) Outcome {
	if !hasLiveSplits(r) {
		return NotEligible.Outcome()
	}
	var sum ledger.Rate
	for _, sp := range r.Now.Splits {
		if !sp.Pct.OK {
			return NotEvaluable.Outcome()
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
		return Passed.Outcome()
	}
	return o.WithNumbers(func() []ledger.Number { return []ledger.Number{NamedRate("pct", sum)} })
}

func evaluateDuplicateBeneficiary(_ *Env, r *Row, _ Tolerance) Outcome {
	if !hasLiveSplits(r) {
		return NotEligible.Outcome()
	}
	if len(r.Now.Splits) == 1 {
		return Passed.Outcome()
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
		return Passed.Outcome()
	}
	return Outcome{Status: Fires, Numbers: []ledger.Number{NamedCount("count", most)}}
}

// evaluateSplitsUneven compares each installment's shares with those of the first, beneficiary by beneficiary in order.
func evaluateSplitsUneven(e *Env, s *Sale, t Tolerance) Outcome {
	switch {
	case !s.Live || s.SumRows(func(r *Row) ledger.Amount { return ledger.Amount(len(r.Now.Splits)) }) == 0:
		return NotEligible.Outcome()
	case !s.IsWhole():
		return NotEvaluable.Outcome()
	}
	first := s.Rows[0]
	want, ok := sharesOf(e, first)
	for _, r := range s.Rows[1:] {
		have, stated := sharesOf(e, r)
		if !ok || !stated {
			return NotEvaluable.Outcome()
		}
		if maps.Equal(want, have) {
			continue
		}
		everyone := maps.Clone(want)
		maps.Copy(everyone, have)
		for _, who := range slices.Sorted(maps.Keys(everyone)) {
			if (have[who] - want[who]).Abs() > t.Points {
				return Outcome{Status: Fires, Numbers: []ledger.Number{
					NamedRate("first", want[who]), NamedRate("second", have[who]),
					NamedCount("one", first.Key.Number), NamedCount("other", r.Key.Number),
				}}
			}
		}
	}
	return Passed.Outcome()
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
