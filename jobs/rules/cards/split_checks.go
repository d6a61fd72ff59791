package cards

import (
	"maps"
	"slices"

	"concilia/jobs/agreements"
	"concilia/jobs/rules"
	"concilia/store/ledger"
)

func hasLiveSplits(r *rules.Row) bool { return r.Live() && len(r.Now.Splits) > 0 }

// ownSplit is the split, where n is one of the row's own and the row is live.
func ownSplit(r *rules.Row, n int) (ledger.Split, bool) {
	if !r.Live() || n >= len(r.Now.Splits) {
		return ledger.Split{}, false
	}
	return r.Now.Splits[n], true
}

// evaluateMissingSplit is asked of the row's own splits too: one that belongs to an agreed beneficiary is not missing.
func evaluateMissingSplit(e *rules.Env, r *rules.Row, n int, _ rules.Tolerance) rules.Outcome {
	if !r.Live() {
		return rules.NotEligible.Outcome()
	}
	if i := n - len(r.Now.Splits); i >= 0 {
		return rules.Outcome{
			Status: rules.Fires, Hint: rules.Under, Expected: ledger.Money(r.ExpectedSplits[n]), Actual: ledger.Money(0),
			Numbers: []ledger.Number{rules.NamedRate("pct", r.MissingSplits[i].Pct)},
		}
	}
	agreed := rules.AgreedSplits(r)
	if len(agreed) == 0 {
		return noAgreement(e).Outcome()
	}
	if _, ok := rules.FindAgreedShare(agreed, r.Now.Splits[n].Beneficiary); !ok {
		return rules.NotEligible.Outcome()
	}
	return rules.Passed.Outcome()
}

// noAgreement is the status of a rule on agreed shares where none are.
func noAgreement(e *rules.Env) rules.Status {
	if !e.HasContract {
		return rules.NoInput
	}
	return rules.NotEligible
}

// evaluateAgreedShare expects a share of 0 for a beneficiary that the contract does not name.
func evaluateAgreedShare(e *rules.Env, r *rules.Row, n int, t rules.Tolerance) rules.Outcome {
	sp, ok := ownSplit(r, n)
	if !ok {
		return rules.NotEligible.Outcome()
	}
	agreed := rules.AgreedSplits(r)
	if len(agreed) == 0 {
		return noAgreement(e).Outcome()
	}
	if !sp.Pct.OK {
		return rules.NotEvaluable.Outcome()
	}
	want, _ := rules.FindAgreedShare(agreed, sp.Beneficiary)
	pct := sp.Pct.V.Percent(e.Profile.Unit)
	return rules.CompareRates(want, pct, t).WithNumbers(func() []ledger.Number {
		return []ledger.Number{rules.NamedRate("pct", pct), rules.NamedRate("contract", want), rules.NamedAmount("charged", sp.Value.Or(0)), rules.NamedAmount("agreed", r.ExpectedSplits[n])}
	})
}

// evaluateSplitAmount holds the split to its own base; whether the base is right is the next rule's question.
func evaluateSplitAmount(e *rules.Env, r *rules.Row, n int, t rules.Tolerance) rules.Outcome {
	sp, ok := ownSplit(r, n)
	if !ok {
		return rules.NotEligible.Outcome()
	}
	if !sp.Pct.OK || !sp.Base.OK {
		return rules.NotEvaluable.Outcome()
	}
	expected, err := sp.Pct.V.ShareOf(sp.Base.V, e.Profile.Unit, ledger.HalfAwayFromZero)
	if err != nil {
		return rules.NotEvaluable.Outcome()
	}
	if n == len(r.Now.Splits)-1 {
		t.Abs = max(t.Abs, ledger.Cent*ledger.Amount(len(r.Now.Splits)))
	}
	return rules.CompareAmounts(expected, sp.Value.Or(0), expected, t, rules.Under).WithNumbers(func() []ledger.Number {
		return []ledger.Number{rules.NamedRate("pct", sp.Pct.V.Percent(e.Profile.Unit)), rules.NamedAmount("base", sp.Base.V)}
	})
}

// evaluateBeneficiary shows no beneficiary: it may be a person's document.
func evaluateBeneficiary(e *rules.Env, r *rules.Row, n int, _ rules.Tolerance) rules.Outcome {
	sp, ok := ownSplit(r, n)
	switch {
	case !ok:
		return rules.NotEligible.Outcome()
	case e.Register == nil:
		return rules.NoInput.Outcome()
	}
	return rules.FireIf(!e.Register.Contains(sp.Beneficiary, r.Key.Day), rules.Outcome{Actual: ledger.Money(sp.Value.Or(0))}).WithNumbers(func() []ledger.Number {
		return []ledger.Number{rules.NamedDate("sale", r.Key.Day)}
	})
}

func evaluateSplitBase(e *rules.Env, r *rules.Row, n int, t rules.Tolerance) rules.Outcome {
	sp, ok := ownSplit(r, n)
	if !ok {
		return rules.NotEligible.Outcome()
	}
	if !sp.Base.OK {
		return rules.NotEvaluable.Outcome()
	}
	base := rules.SplitBase(e, r)
	return rules.CompareAmounts(base, sp.Base.V, base, t, rules.Under)
}

func evaluateSplitBases(_ *rules.Env, r *rules.Row, _ rules.Tolerance) rules.Outcome {
	if !hasLiveSplits(r) {
		return rules.NotEligible.Outcome()
	}
	first := r.Now.Splits[0].Base
	for _, sp := range r.Now.Splits[1:] {
		if sp.Base != first {
			return rules.Outcome{Status: rules.Fires, Expected: ledger.Money(first.Or(0)), Actual: ledger.Money(sp.Base.Or(0))}
		}
	}
	return rules.Passed.Outcome()
}

// evaluateShareSum can't be more than all; less is wrong only where splits share out everything.
func evaluateShareSum(e *rules.Env, r *rules.Row, t rules.Tolerance) rules.Outcome {
	if !hasLiveSplits(r) {
		return rules.NotEligible.Outcome()
	}
	var sum ledger.Rate
	for _, sp := range r.Now.Splits {
		if !sp.Pct.OK {
			return rules.NotEvaluable.Outcome()
		}
		sum += sp.Pct.V.Percent(e.Profile.Unit)
	}
	const hundred = 100 * ledger.RateScale
	o := rules.Outcome{Status: rules.Fires, Severity: ledger.Error}
	switch {
	case sum > hundred+t.Points:
	case e.Profile.Split.Coverage == agreements.SplitWhole && sum < hundred-t.Points:
		o.Severity = ledger.Warning
	default:
		return rules.Passed.Outcome()
	}
	return o.WithNumbers(func() []ledger.Number { return []ledger.Number{rules.NamedRate("pct", sum)} })
}

func evaluateDuplicateBeneficiary(_ *rules.Env, r *rules.Row, _ rules.Tolerance) rules.Outcome {
	if !hasLiveSplits(r) {
		return rules.NotEligible.Outcome()
	}
	if len(r.Now.Splits) == 1 {
		return rules.Passed.Outcome()
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
		return rules.Passed.Outcome()
	}
	return rules.Outcome{Status: rules.Fires, Numbers: []ledger.Number{rules.NamedCount("count", most)}}
}

// evaluateSplitsUneven compares each installment's shares with those of the first, beneficiary by beneficiary in order.
func evaluateSplitsUneven(e *rules.Env, s *rules.Sale, t rules.Tolerance) rules.Outcome {
	switch {
	case !s.Live || s.SumRows(func(r *rules.Row) ledger.Amount { return ledger.Amount(len(r.Now.Splits)) }) == 0:
		return rules.NotEligible.Outcome()
	case !s.IsWhole():
		return rules.NotEvaluable.Outcome()
	}
	first := s.Rows[0]
	want, ok := sharesOf(e, first)
	for _, r := range s.Rows[1:] {
		have, stated := sharesOf(e, r)
		if !ok || !stated {
			return rules.NotEvaluable.Outcome()
		}
		if maps.Equal(want, have) {
			continue
		}
		everyone := maps.Clone(want)
		maps.Copy(everyone, have)
		for _, who := range slices.Sorted(maps.Keys(everyone)) {
			if (have[who] - want[who]).Abs() > t.Points {
				return rules.Outcome{Status: rules.Fires, Numbers: []ledger.Number{
					rules.NamedRate("first", want[who]), rules.NamedRate("second", have[who]),
					rules.NamedCount("one", first.Key.Number), rules.NamedCount("other", r.Key.Number),
				}}
			}
		}
	}
	return rules.Passed.Outcome()
}

// sharesOf is the percentage of each beneficiary of a row, of whatever type; false when a split states none.
func sharesOf(e *rules.Env, r *rules.Row) (map[string]ledger.Rate, bool) {
	shares := make(map[string]ledger.Rate, len(r.Now.Splits))
	for _, sp := range r.Now.Splits {
		if !sp.Pct.OK {
			return nil, false
		}
		shares[sp.Beneficiary] += sp.Pct.V.Percent(e.Profile.Unit)
	}
	return shares, true
}
