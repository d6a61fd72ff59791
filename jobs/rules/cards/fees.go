package cards

import (
	"concilia/jobs/agreements"
	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// FeeRules evaluate fees by their own arithmetic, without a contract.
func FeeRules() []rules.Rule {
	return []rules.Rule{
		{
			Code: "MDR_AMOUNT_MISMATCH", Version: 1, Family: rules.FamilyFees, Subject: rules.OnInstallment, Severity: ledger.Error,
			Default: rules.Tolerance{Abs: ledger.Cent}, Needs: []rules.Need{rules.Installments}, Tier: rules.Always, ByClass: true, Line: ledger.LineMDR,
			EvaluateRow: evaluateMDRAmount,
		},
		{
			Code: "MDR_TXN_TOTAL_MISMATCH", Version: 1, Family: rules.FamilyFees, Subject: rules.OnSale, Severity: ledger.Warning,
			Default: rules.Tolerance{Abs: ledger.Cent}, Needs: []rules.Need{rules.Installments}, Tier: rules.Always, ByClass: true,
			EvaluateSale: evaluateMDRTotal,
		},
		{
			Code: "MDR_RATE_INCONSISTENT", Version: 1, Family: rules.FamilyFees, Subject: rules.OnSale, Severity: ledger.Warning,
			Default: rules.Tolerance{Points: 100}, Needs: []rules.Need{rules.Installments}, Tier: rules.Always, ByClass: true,
			EvaluateSale: evaluateRateConsistency,
		},
		{
			Code: "FEE_EXCEEDS_GROSS", Version: 1, Family: rules.FamilyFees, Subject: rules.OnInstallment, Severity: ledger.Error,
			Needs: []rules.Need{rules.Installments}, Tier: rules.Always, ByClass: true,
			EvaluateRow: func(_ *rules.Env, r *rules.Row, _ rules.Tolerance) rules.Outcome {
				if !r.Live() {
					return rules.NotEligible.Outcome()
				}
				taken := r.MDR + r.Fee + r.Antifraud + r.Anticipation
				if taken <= r.Gross {
					return rules.Passed.Outcome()
				}
				return rules.Outcome{Status: rules.Fires, Expected: ledger.Money(r.Gross), Actual: ledger.Money(taken)}
			},
		},
	}
}

// evaluateMDRAmount passes what is right row by row, and what is right on the sale and spread over its rows.
func evaluateMDRAmount(e *rules.Env, r *rules.Row, t rules.Tolerance) rules.Outcome {
	if !r.Live() || !r.Now.MDRRate.OK {
		return rules.NotEligible.Outcome()
	}
	m, u := r.Now.MDRRate.V, e.Profile.Unit
	expected, err := m.ShareOf(r.Gross, u, ledger.HalfAwayFromZero)
	if err != nil {
		return rules.NotEvaluable.Outcome()
	}
	o := rules.CompareAmounts(expected, r.MDR, r.Gross, t, rules.Under).WithNumbers(func() []ledger.Number {
		return []ledger.Number{rules.NamedRate("rate", m.Percent(u)), rules.NamedAmount("gross", r.Gross)}
	})
	if o.Status != rules.Fires {
		return o
	}
	// An MDR rounded once on the sale and spread leaves cents on its rows.
	whole, actual, ok := r.Sale.ExpectedMDR(u)
	if ok && (actual-whole).Abs() <= ledger.Cent && (r.MDR-expected).Abs() <= ledger.Cent*ledger.Amount(r.Sale.Count) {
		return rules.Within.Outcome()
	}
	return o
}

// evaluateMDRTotal allows a cent a row where the MDR is rounded on each, and one in all where it is rounded on the sale.
func evaluateMDRTotal(e *rules.Env, s *rules.Sale, t rules.Tolerance) rules.Outcome {
	m, one := s.MDRRate()
	if !s.Live || !one {
		return rules.NotEligible.Outcome()
	}
	expected, actual, ok := s.ExpectedMDR(e.Profile.Unit)
	if !ok {
		return rules.NotEvaluable.Outcome()
	}
	if e.Profile.MDRRounding == agreements.MDRPerInstallment {
		t.Abs *= ledger.Amount(s.Count)
	}
	return rules.CompareAmounts(expected, actual, s.Total.V, t, rules.Under).WithNumbers(func() []ledger.Number {
		return []ledger.Number{rules.NamedRate("rate", m.Percent(e.Profile.Unit)), rules.NamedAmount("total", s.Total.V)}
	})
}

// evaluateRateConsistency leaves reversed rows out: their rate may have been blanked.
func evaluateRateConsistency(e *rules.Env, s *rules.Sale, t rules.Tolerance) rules.Outcome {
	var least, greatest ledger.Rate
	stated := 0
	for _, r := range s.Rows {
		if !r.Live() || !r.Now.MDRRate.OK {
			continue
		}
		m := r.Now.MDRRate.V.Percent(e.Profile.Unit)
		if stated == 0 {
			least, greatest = m, m
		}
		least, greatest = min(least, m), max(greatest, m)
		stated++
	}
	if stated == 0 {
		return rules.NotEligible.Outcome()
	}
	switch {
	case greatest == least:
		return rules.Passed.Outcome()
	case greatest-least <= t.Points:
		return rules.Within.Outcome()
	}
	return rules.Outcome{Status: rules.Fires, Numbers: []ledger.Number{rules.NamedRate("least", least), rules.NamedRate("greatest", greatest)}}
}
