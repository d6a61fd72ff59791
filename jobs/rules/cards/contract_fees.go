package cards

import (
	"concilia/jobs/agreements"
	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// ContractFeeRules evaluate fees by what was agreed.
func ContractFeeRules() []rules.Rule {
	return []rules.Rule{
		{
			Code: "MDR_RATE_MISMATCH", Version: 1, Family: rules.FamilyFees, Subject: rules.OnInstallment, Severity: ledger.Error,
			Default: rules.Tolerance{Abs: ledger.Cent, Points: 5_000}, Needs: []rules.Need{rules.Installments, rules.Contract}, Tier: rules.Configured, ByClass: true,
			Line:        ledger.LineMDR,
			EvaluateRow: evaluateMDRRate,
		},
		{
			Code: "MDR_CHARGED_ZERO", Version: 2, Family: rules.FamilyFees, Subject: rules.OnInstallment, Severity: ledger.Warning,
			Needs: []rules.Need{rules.Installments, rules.Contract}, Tier: rules.Configured, ByClass: true, Line: ledger.LineMDR,
			EvaluateRow: evaluateChargedZero,
		},
		{
			// The months are put together by the run; each installment only says where it belongs.
			Code: ContractMissing, Version: 1, Family: rules.FamilyFees, Subject: rules.OnMonth, Severity: ledger.Warning,
			Grades: []ledger.Severity{ledger.Info}, Needs: []rules.Need{rules.Installments, rules.Contract}, Tier: rules.Configured, ByClass: true,
		},
		{
			Code: "FEE_UNEXPECTED", Version: 1, Family: rules.FamilyFees, Subject: rules.OnInstallment, Severity: ledger.Error,
			Needs: []rules.Need{rules.Installments, rules.Contract}, Tier: rules.Configured, ByClass: true, Line: ledger.LineFee,
			EvaluateRow: evaluateUnexpectedFee,
		},
		feeRule("TRN_FEE_MISMATCH", ledger.LineFee,
			feeMembers{
				agreed: func(l *agreements.RateLine) ledger.Opt[ledger.Amount] { return l.TransactionFee },
				own:    func(r *rules.Row) ledger.Amount { return r.Fee },
				sale:   func(r *rules.Row) ledger.Opt[ledger.Amount] { return r.Now.SaleFee },
			}),
		feeRule("ANTIFRAUD_FEE_MISMATCH", ledger.LineAntifraud,
			feeMembers{
				agreed: func(l *agreements.RateLine) ledger.Opt[ledger.Amount] { return l.AntifraudFee },
				own:    func(r *rules.Row) ledger.Amount { return r.Antifraud },
				sale:   func(r *rules.Row) ledger.Opt[ledger.Amount] { return r.Now.SaleAntifraud },
			}),
	}
}

// ContractMissing is the code of installments whose account has no contract line for them.
const ContractMissing = "MDR_CONTRACT_MISSING"

// evaluateMDRRate compares rates where one is stated; only then is the amount another rule's business.
func evaluateMDRRate(e *rules.Env, r *rules.Row, t rules.Tolerance) rules.Outcome {
	if !r.Live() {
		return rules.NotEligible.Outcome()
	}
	if r.LineState != rules.LineFound {
		return r.MissingLineStatus().Outcome()
	}
	numbers := func(m string) []ledger.Number {
		return []ledger.Number{rules.NamedAmount("charged", r.MDR), rules.NamedText("rate", m), rules.NamedAmount("gross", r.Gross), rules.NamedRate("contract", r.Line.MDR), rules.NamedAmount("agreed", r.ExpectedMDR)}
	}
	if !r.Now.MDRRate.OK {
		return rules.CompareAmounts(r.ExpectedMDR, r.MDR, r.Gross, t, rules.Under).WithNumbers(func() []ledger.Number { return numbers("?") })
	}
	m := r.Now.MDRRate.V.Percent(e.Profile.Unit)
	return rules.CompareRates(r.Line.MDR, m, t).WithNumbers(func() []ledger.Number { return numbers(m.String()) })
}

// evaluateChargedZero goes before the rate: an MDR of nothing is in our favour, and seldom stays so.
func evaluateChargedZero(_ *rules.Env, r *rules.Row, _ rules.Tolerance) rules.Outcome {
	if !r.Live() {
		return rules.NotEligible.Outcome()
	}
	if r.LineState != rules.LineFound {
		return r.MissingLineStatus().Outcome()
	}
	if r.Line.MDR <= 0 {
		return rules.NotEligible.Outcome()
	}
	rateless := r.Now.MDRRate.OK && r.Now.MDRRate.V == 0
	// What the contract asks of a few cents may round to nothing, and then nothing is what is charged.
	if !rateless && (r.MDR != 0 || r.ExpectedMDR == 0) {
		return rules.Passed.Outcome()
	}
	return rules.Outcome{
		Status: rules.Fires, Expected: ledger.Money(r.ExpectedMDR), Actual: ledger.Money(r.MDR),
		Numbers: []ledger.Number{rules.NamedAmount("gross", r.Gross), rules.NamedRate("contract", r.Line.MDR)},
	}
}

// evaluateUnexpectedFee is one case for both fees of a row; each is on its own line of the bridge.
func evaluateUnexpectedFee(_ *rules.Env, r *rules.Row, _ rules.Tolerance) rules.Outcome {
	if !r.Live() {
		return rules.NotEligible.Outcome()
	}
	if r.LineState != rules.LineFound {
		return r.MissingLineStatus().Outcome()
	}
	f, a := r.UnexpectedFees()
	var transaction, antifraud ledger.Amount
	if f {
		transaction = r.Fee
	}
	if a {
		antifraud = r.Antifraud
	}
	if !f && !a {
		return rules.Passed.Outcome()
	}
	return rules.Outcome{
		Status: rules.Fires, Expected: ledger.Money(0), Actual: ledger.Money(transaction + antifraud),
		Numbers: []ledger.Number{rules.NamedAmount("transaction", transaction), rules.NamedAmount("antifraud", antifraud)},
	}
}

// feeMembers names the members of one of the two fees.
type feeMembers struct {
	agreed func(*agreements.RateLine) ledger.Opt[ledger.Amount]
	own    func(*rules.Row) ledger.Amount
	sale   func(*rules.Row) ledger.Opt[ledger.Amount]
}

// feeRule is the rule of a fee the contract has: on each installment, or on the whole sale where it is agreed so.
func feeRule(code string, line ledger.BridgeLine, fee feeMembers) rules.Rule {
	return rules.Rule{
		Code: code, Version: 1, Family: rules.FamilyFees, Subject: rules.OnInstallment, Severity: ledger.Error,
		Default: rules.Tolerance{Abs: ledger.Cent}, Needs: []rules.Need{rules.Installments, rules.Contract}, Tier: rules.Configured, ByClass: true, Line: line,
		EvaluateRow: func(_ *rules.Env, r *rules.Row, t rules.Tolerance) rules.Outcome {
			switch agreed := fee.agreed(&r.Line); {
			case !r.Live():
				return rules.NotEligible.Outcome()
			case r.LineState != rules.LineFound:
				return r.MissingLineStatus().Outcome()
			case !agreed.OK || r.Line.FeeBasis == agreements.PerSale:
				return rules.NotEligible.Outcome()
			default:
				return rules.CompareAmounts(agreed.V, fee.own(r), r.Gross, t, rules.Under).WithNumbers(func() []ledger.Number { return []ledger.Number{rules.NamedText("basis", "installment")} })
			}
		},
		EvaluateSale: func(_ *rules.Env, s *rules.Sale, t rules.Tolerance) rules.Outcome {
			r := s.Rows[0]
			agreed := fee.agreed(&r.Line)
			if !s.Live || r.LineState != rules.LineFound || !agreed.OK || r.Line.FeeBasis != agreements.PerSale {
				return rules.NotEligible.Outcome()
			}
			if !s.IsExact() || !s.HasOneLine() {
				return rules.NotEvaluable.Outcome()
			}
			basis := rules.NamedText("basis", "sale")
			if stated := fee.sale(r); stated.OK {
				if o := rules.CompareAmounts(agreed.V, stated.V, s.Total.V, t, rules.Under).WithNumbers(func() []ledger.Number { return []ledger.Number{basis} }); o.Status == rules.Fires {
					return o
				}
			}
			return rules.CompareAmounts(agreed.V, s.SumRows(fee.own), s.Total.V, t, rules.Under).WithNumbers(func() []ledger.Number { return []ledger.Number{basis} })
		},
	}
}

// CheckContractLine is the status of an installment for MDR_CONTRACT_MISSING: not eligible, unmapped, passed or fires.
func CheckContractLine(e *rules.Env, r *rules.Row) rules.Status {
	switch {
	case e.Contracts.IsEmpty():
		return rules.NoInput
	case r.Unmapped:
		return rules.Unmapped
	case !r.Live():
		return rules.NotEligible
	case r.LineState == rules.LineUnmapped:
		return rules.Unmapped
	case r.LineState == rules.LineFound:
		return rules.Passed
	}
	return rules.Fires
}

// UncoveredOutcome is the finding that so many installments of a group have no contract line.
func UncoveredOutcome(e *rules.Env, g rules.MonthGroup, rows int, gross ledger.Amount) rules.Outcome {
	o := rules.Outcome{Status: rules.Fires, Severity: ledger.Warning, Numbers: []ledger.Number{
		rules.NamedText("brand", g.Brand), rules.NamedText("product", string(g.Product)), rules.NamedText("band", g.Band), rules.NamedText("month", rules.Month(g.Month)),
		rules.NamedCount("rows", rows), rules.NamedAmount("gross", gross),
	}}
	if !e.Contracts.CoversProduct(e.Account, g.Product) {
		o.Severity = ledger.Info
	}
	return o
}
