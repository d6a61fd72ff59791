package rules

import (
	"concilia/jobs/agreements"
	"concilia/store/ledger"
)

// contractFeeRules judge fees by what was agreed.
func contractFeeRules() []Rule {
	return []Rule{
		{
			Code: "MDR_RATE_MISMATCH", Version: 1, Family: familyFees, Subject: OnInstallment, Severity: ledger.Error,
			Default: Tolerance{Abs: ledger.Cent, Points: 5_000}, Needs: []Need{Installments, Contract}, Tier: Configured, ByClass: true,
			Line: ledger.LineMDR, Eligible: "live installments with a contract line",
			Fires: "the stated MDR rate is not the contract's, or none is stated and the MDR is not what the contract gives",
			Text: Sentence{
				En: "MDR of R$ {charged} ({rate} %) on R$ {gross}; the contract says {contract} %, R$ {agreed}.",
				Pt: "MDR de R$ {charged} ({rate} %) sobre R$ {gross}; o contrato prevê {contract} %, R$ {agreed}.",
			},
			row: mdrRate,
		},
		{
			Code: "MDR_CHARGED_ZERO", Version: 2, Family: familyFees, Subject: OnInstallment, Severity: ledger.Warning,
			Needs: []Need{Installments, Contract}, Tier: Configured, ByClass: true, Line: ledger.LineMDR,
			Eligible: "live installments whose contract line has an MDR", Fires: "the MDR is zero where the contract's is a cent or more, or its stated rate is zero",
			Text: Sentence{
				En: "No MDR on R$ {gross}; the contract says {contract} %, {expected}.",
				Pt: "Sem MDR sobre R$ {gross}; o contrato prevê {contract} %, {expected}.",
			},
			row: chargedZero,
		},
		{
			// The months are put together by the run; each installment only says where it belongs.
			Code: contractMissing, Version: 1, Family: familyFees, Subject: OnMonth, Severity: ledger.Warning,
			Grades: []ledger.Severity{ledger.Info}, Needs: []Need{Installments, Contract}, Tier: Configured, ByClass: true,
			Eligible: "months of live installments by brand, product and band, where a contract is configured",
			Fires:    "installments of the month have no contract line; information for a product the contract names nowhere",
			Text: Sentence{
				En: "No contract line for {brand} {product} {band} in {month}: {rows} installments, R$ {gross} gross.",
				Pt: "Nenhuma linha de contrato para {brand} {product} {band} em {month}: {rows} parcelas, bruto de R$ {gross}.",
			},
		},
		{
			Code: "FEE_UNEXPECTED", Version: 1, Family: familyFees, Subject: OnInstallment, Severity: ledger.Error,
			Needs: []Need{Installments, Contract}, Tier: Configured, ByClass: true, Line: ledger.LineFee,
			Eligible: "live installments with a contract line", Fires: "a transaction or antifraud fee the contract line does not have",
			Text: Sentence{
				En: "Fees of {actual} that the contract does not have (transaction R$ {transaction}, antifraud R$ {antifraud}).",
				Pt: "Tarifas de {actual} que o contrato não prevê (transação R$ {transaction}, antifraude R$ {antifraud}).",
			},
			row: feeUnexpected,
		},
		feeRule("TRN_FEE_MISMATCH", ledger.LineFee,
			Sentence{
				En: "Transaction fee of {actual}; the contract says {expected} per {basis}.",
				Pt: "Tarifa de transação de {actual}; o contrato prevê {expected} por {basis}.",
			},
			feeOf{
				agreed: func(l *agreements.RateLine) ledger.Opt[ledger.Amount] { return l.TransactionFee },
				own:    func(r *Row) ledger.Amount { return r.F },
				sale:   func(r *Row) ledger.Opt[ledger.Amount] { return r.Now.SaleFee },
			}),
		feeRule("ANTIFRAUD_FEE_MISMATCH", ledger.LineAntifraud,
			Sentence{
				En: "Antifraud fee of {actual}; the contract says {expected} per {basis}.",
				Pt: "Tarifa antifraude de {actual}; o contrato prevê {expected} por {basis}.",
			},
			feeOf{
				agreed: func(l *agreements.RateLine) ledger.Opt[ledger.Amount] { return l.AntifraudFee },
				own:    func(r *Row) ledger.Amount { return r.A },
				sale:   func(r *Row) ledger.Opt[ledger.Amount] { return r.Now.SaleAntifrd },
			}),
	}
}

const contractMissing = "MDR_CONTRACT_MISSING"

// mdrRate compares rates where one is stated; only then is the amount another rule's business.
func mdrRate(e *Env, r *Row, t Tolerance) Outcome {
	if !r.Live() {
		return only(NotEligible)
	}
	if r.LineState != LineFound {
		return only(r.contractOr())
	}
	numbers := func(m string) []ledger.Number {
		return []ledger.Number{money("charged", r.M), text("rate", m), money("gross", r.G), rate("contract", r.Line.MDR), money("agreed", r.MStar)}
	}
	if !r.Now.MDRRate.OK {
		return differ(r.MStar, r.M, r.G, t, under).tell(func() []ledger.Number { return numbers("?") })
	}
	m := r.Now.MDRRate.V.Percent(e.Profile.Unit)
	diff := m - r.Line.MDR
	switch {
	case diff == 0:
		return only(Passed)
	case diff.Abs() <= t.Points:
		return only(Within)
	}
	o := Outcome{
		Status: Fires, Hint: over, Expected: ledger.Text(r.Line.MDR.String()), Actual: ledger.Text(m.String()), Numbers: numbers(m.String()),
	}
	if diff < 0 {
		o.Hint = under
	}
	return o
}

// chargedZero goes before the rate: an MDR of nothing is in our favour, and seldom stays so.
func chargedZero(_ *Env, r *Row, _ Tolerance) Outcome {
	if !r.Live() {
		return only(NotEligible)
	}
	if r.LineState != LineFound {
		return only(r.contractOr())
	}
	if r.Line.MDR <= 0 {
		return only(NotEligible)
	}
	rateless := r.Now.MDRRate.OK && r.Now.MDRRate.V == 0
	// What the contract asks of a few cents may round to nothing, and then nothing is what is charged.
	if !rateless && (r.M != 0 || r.MStar == 0) {
		return only(Passed)
	}
	return Outcome{
		Status: Fires, Expected: ledger.Money(r.MStar), Actual: ledger.Money(r.M),
		Numbers: []ledger.Number{money("gross", r.G), rate("contract", r.Line.MDR)},
	}
}

// UnexpectedFees reports which fees of a row are not in the contract line.
func (r *Row) UnexpectedFees() (transaction, antifraud bool) {
	if !r.Live() || r.LineState != LineFound {
		return false, false
	}
	return r.F != 0 && !r.Line.TransactionFee.OK, r.A != 0 && !r.Line.AntifraudFee.OK
}

// feeUnexpected is one case for both fees of a row; each stands on its own line.
func feeUnexpected(_ *Env, r *Row, _ Tolerance) Outcome {
	if !r.Live() {
		return only(NotEligible)
	}
	if r.LineState != LineFound {
		return only(r.contractOr())
	}
	f, a := r.UnexpectedFees()
	var transaction, antifraud ledger.Amount
	if f {
		transaction = r.F
	}
	if a {
		antifraud = r.A
	}
	if !f && !a {
		return only(Passed)
	}
	return Outcome{
		Status: Fires, Expected: ledger.Money(0), Actual: ledger.Money(transaction + antifraud),
		Numbers: []ledger.Number{money("transaction", transaction), money("antifraud", antifraud)},
	}
}

// feeOf names the members of one of the two fees.
type feeOf struct {
	agreed func(*agreements.RateLine) ledger.Opt[ledger.Amount]
	own    func(*Row) ledger.Amount
	sale   func(*Row) ledger.Opt[ledger.Amount]
}

// feeRule is the rule of a fee the contract has: on each installment, or on the whole sale where it is agreed so.
func feeRule(code string, line ledger.BridgeLine, says Sentence, fee feeOf) Rule {
	return Rule{
		Code: code, Version: 1, Family: familyFees, Subject: OnInstallment, Severity: ledger.Error,
		Default: Tolerance{Abs: ledger.Cent}, Needs: []Need{Installments, Contract}, Tier: Configured, ByClass: true, Line: line,
		Eligible: "live installments whose contract line has the fee; complete sales where it is agreed per sale",
		Fires:    "the fee is not the contract's: of each installment, or of the sale as stated or added up", Text: says,
		row: func(_ *Env, r *Row, t Tolerance) Outcome {
			switch agreed := fee.agreed(&r.Line); {
			case !r.Live():
				return only(NotEligible)
			case r.LineState != LineFound:
				return only(r.contractOr())
			case !agreed.OK || r.Line.FeeBasis == agreements.PerSale:
				return only(NotEligible)
			default:
				return differ(agreed.V, fee.own(r), r.G, t, under).tell(func() []ledger.Number { return []ledger.Number{text("basis", "installment")} })
			}
		},
		sale: func(_ *Env, s *Sale, t Tolerance) Outcome {
			r := s.Rows[0]
			agreed := fee.agreed(&r.Line)
			if !s.Live || r.LineState != LineFound || !agreed.OK || r.Line.FeeBasis != agreements.PerSale {
				return only(NotEligible)
			}
			if !s.exact() || !s.oneLine() {
				return only(NotEvaluable)
			}
			basis := text("basis", "sale")
			if stated := fee.sale(r); stated.OK {
				if o := differ(agreed.V, stated.V, s.Total.V, t, under).tell(func() []ledger.Number { return []ledger.Number{basis} }); o.Status == Fires {
					return o
				}
			}
			return differ(agreed.V, s.sum(fee.own), s.Total.V, t, under).tell(func() []ledger.Number { return []ledger.Number{basis} })
		},
	}
}
