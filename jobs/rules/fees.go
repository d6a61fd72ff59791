package rules

import (
	"concilia/jobs/agreements"
	"concilia/store/ledger"
)

const familyFees = "fees"

// feeRules judge fees by their own arithmetic, without a contract.
func feeRules() []Rule {
	return []Rule{
		{
			Code: "MDR_AMOUNT_MISMATCH", Version: 1, Family: familyFees, Subject: OnInstallment, Severity: ledger.Error,
			Default: Tolerance{Abs: ledger.Cent}, Needs: []Need{Installments}, Tier: Always, ByClass: true, Line: ledger.LineMDR,
			Eligible: "live installments that state an MDR rate",
			Fires:    "the MDR is not the stated rate of the value; passes too when the sale's MDR is right as a whole and this row is within a cent an installment",
			Text: Sentence{
				En: "MDR is {actual}; {rate} % of R$ {gross} is {expected}.",
				Pt: "MDR de {actual}; {rate} % de R$ {gross} são {expected}.",
			},
			row: mdrAmount,
		},
		{
			Code: "MDR_TXN_TOTAL_MISMATCH", Version: 1, Family: familyFees, Subject: OnSale, Severity: ledger.Warning,
			Default: Tolerance{Abs: ledger.Cent}, Needs: []Need{Installments}, Tier: Always, ByClass: true,
			Eligible: "complete live sales with one MDR rate",
			Fires:    "the MDR of the installments does not add up to the stated rate of the total",
			Text: Sentence{
				En: "The MDR of the sale adds up to {actual}; {rate} % of R$ {total} is {expected}.",
				Pt: "O MDR da venda soma {actual}; {rate} % de R$ {total} são {expected}.",
			},
			sale: mdrTotal,
		},
		{
			Code: "MDR_RATE_INCONSISTENT", Version: 1, Family: familyFees, Subject: OnSale, Severity: ledger.Warning,
			Default: Tolerance{Points: 100}, Needs: []Need{Installments}, Tier: Always, ByClass: true, Eligible: "sales, their live installments",
			Fires: "the MDR rate differs among the installments of one sale",
			Text: Sentence{
				En: "The MDR rate runs from {least} % to {greatest} % within one sale.",
				Pt: "A taxa de MDR vai de {least} % a {greatest} % na mesma venda.",
			},
			sale: rateInconsistent,
		},
		{
			Code: "FEE_EXCEEDS_GROSS", Version: 1, Family: familyFees, Subject: OnInstallment, Severity: ledger.Error,
			Needs: []Need{Installments}, Tier: Always, ByClass: true, Eligible: "live installments",
			Fires: "MDR, fees and anticipation together are more than the value",
			Text: Sentence{
				En: "Deductions of {actual} exceed the value of {expected}.",
				Pt: "Descontos de {actual} superam o valor de {expected}.",
			},
			row: func(_ *Env, r *Row, _ Tolerance) Outcome {
				if !r.Live() {
					return only(NotEligible)
				}
				taken := r.M + r.F + r.A + r.C
				if taken <= r.G {
					return only(Passed)
				}
				return Outcome{Status: Fires, Expected: ledger.Money(r.G), Actual: ledger.Money(taken)}
			},
		},
	}
}

// mdrAmount passes what is right row by row, and what is right on the sale and spread over its rows.
func mdrAmount(e *Env, r *Row, t Tolerance) Outcome {
	if !r.Live() || !r.Now.MDRRate.OK {
		return only(NotEligible)
	}
	m, u := r.Now.MDRRate.V, e.Profile.Unit
	expected, err := m.ShareOf(r.G, u, ledger.HalfAwayFromZero)
	if err != nil {
		return only(NotEvaluable)
	}
	o := differ(expected, r.M, r.G, t, under).tell(func() []ledger.Number { return []ledger.Number{rate("rate", m.Percent(u)), money("gross", r.G)} })
	if o.Status != Fires {
		return o
	}
	// An MDR rounded once on the sale and spread leaves cents on its rows.
	whole, actual, ok := r.Sale.mdr(u)
	if ok && (actual-whole).Abs() <= ledger.Cent && (r.M-expected).Abs() <= ledger.Cent*ledger.Amount(r.Sale.N) {
		return only(Within)
	}
	return o
}

// mdrTotal allows a cent a row where the MDR is rounded on each, and one in all where it is rounded on the sale.
func mdrTotal(e *Env, s *Sale, t Tolerance) Outcome {
	m, one := s.rate()
	if !s.Live || !one {
		return only(NotEligible)
	}
	expected, actual, ok := s.mdr(e.Profile.Unit)
	if !ok {
		return only(NotEvaluable)
	}
	if e.Profile.MDRRounding == agreements.MDRPerInstallment {
		t.Abs *= ledger.Amount(s.N)
	}
	return differ(expected, actual, s.Total.V, t, under).tell(func() []ledger.Number {
		return []ledger.Number{rate("rate", m.Percent(e.Profile.Unit)), money("total", s.Total.V)}
	})
}

// rateInconsistent leaves reversed rows out: their rate may have been blanked.
func rateInconsistent(e *Env, s *Sale, t Tolerance) Outcome {
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
		return only(NotEligible)
	}
	switch {
	case greatest == least:
		return only(Passed)
	case greatest-least <= t.Points:
		return only(Within)
	}
	return Outcome{Status: Fires, Numbers: []ledger.Number{rate("least", least), rate("greatest", greatest)}}
}
