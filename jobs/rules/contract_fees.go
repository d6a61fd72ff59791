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
			EvaluateRow: evaluateMDRRate,
		},
		{
			Code: "MDR_CHARGED_ZERO", Version: 2, Family: familyFees, Subject: OnInstallment, Severity: ledger.Warning,
			Needs: []Need{Installments, Contract}, Tier: Configured, ByClass: true, Line: ledger.LineMDR,
			Eligible: "live installments whose contract line has an MDR", Fires: "the MDR is zero where the contract's is a cent or more, or its stated rate is zero",
			Text: Sentence{
				En: "No MDR on R$ {gross}; the contract says {contract} %, {expected}.",
				Pt: "Sem MDR sobre R$ {gross}; o contrato prevê {contract} %, {expected}.",
			},
			EvaluateRow: evaluateChargedZero,
		},
		{
			// The months are put together by the run; each installment only says where it belongs.
			Code: ContractMissing, Version: 1, Family: familyFees, Subject: OnMonth, Severity: ledger.Warning,
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
			EvaluateRow: evaluateUnexpectedFee,
		},
		feeRule("TRN_FEE_MISMATCH", ledger.LineFee,
			Sentence{
				En: "Transaction fee of {actual}; the contract says {expected} per {basis}.",
				Pt: "Tarifa de transação de {actual}; o contrato prevê {expected} por {basis}.",
			},
			feeMembers{
				agreed: func(l *agreements.RateLine) ledger.Opt[ledger.Amount] { return l.TransactionFee },
				own:    func(r *Row) ledger.Amount { return r.Fee },
				sale:   func(r *Row) ledger.Opt[ledger.Amount] { return r.Now.SaleFee },
			}),
		feeRule("ANTIFRAUD_FEE_MISMATCH", ledger.LineAntifraud,
			Sentence{
				En: "Antifraud fee of {actual}; the contract says {expected} per {basis}.",
				Pt: "Tarifa antifraude de {actual}; o contrato prevê {expected} por {basis}.",
			},
			feeMembers{
				agreed: func(l *agreements.RateLine) ledger.Opt[ledger.Amount] { return l.AntifraudFee },
				own:    func(r *Row) ledger.Amount { return r.Antifraud },
				sale:   func(r *Row) ledger.Opt[ledger.Amount] { return r.Now.SaleAntifrd },
			}),
	}
}

const ContractMissing = "MDR_CONTRACT_MISSING"

// evaluateMDRRate compares rates where one is stated; only then is the amount another rule's business.
func evaluateMDRRate(e *Env, r *Row, t Tolerance) Outcome {
	if !r.Live() {
		return NotEligible.Outcome()
	}
	if r.LineState != LineFound {
		return r.MissingLineStatus().Outcome()
	}
	numbers := func(m string) []ledger.Number {
		return []ledger.Number{NamedAmount("charged", r.MDR), NamedText("rate", m), NamedAmount("gross", r.Gross), NamedRate("contract", r.Line.MDR), NamedAmount("agreed", r.ExpectedMDR)}
	}
	if !r.Now.MDRRate.OK {
		return CompareAmounts(r.ExpectedMDR, r.MDR, r.Gross, t, Under).WithNumbers(func() []ledger.Number { return numbers("?") })
	}
	m := r.Now.MDRRate.V.Percent(e.Profile.Unit)
	diff := m - r.Line.MDR
	switch {
	case diff == 0:
		return Passed.Outcome()
	case diff.Abs() <= t.Points:
		return Within.Outcome()
	}
	o := Outcome{
		Status: Fires, Hint: Over, Expected: ledger.Text(r.Line.MDR.String()), Actual: ledger.Text(m.String()), Numbers: numbers(m.String()),
	}
	if diff < 0 {
		o.Hint = Under
	}
	return o
}

// evaluateChargedZero goes before the rate: an MDR of nothing is in our favour, and seldom stays so.
func evaluateChargedZero(_ *Env, r *Row, _ Tolerance) Outcome {
	if !r.Live() {
		return NotEligible.Outcome()
	}
	if r.LineState != LineFound {
		return r.MissingLineStatus().Outcome()
	}
	if r.Line.MDR <= 0 {
		return NotEligible.Outcome()
	}
	rateless := r.Now.MDRRate.OK && r.Now.MDRRate.V == 0
	// What the contract asks of a few cents may round to nothing, and then nothing is what is charged.
	if !rateless && (r.MDR != 0 || r.ExpectedMDR == 0) {
		return Passed.Outcome()
	}
	return Outcome{
		Status: Fires, Expected: ledger.Money(r.ExpectedMDR), Actual: ledger.Money(r.MDR),
		Numbers: []ledger.Number{NamedAmount("gross", r.Gross), NamedRate("contract", r.Line.MDR)},
	}
}

// UnexpectedFees reports which fees of a row are not in the contract line.
func (r *Row) UnexpectedFees() (transaction, antifraud bool) {
	if !r.Live() || r.LineState != LineFound {
		return false, false
	}
	return r.Fee != 0 && !r.Line.TransactionFee.OK, r.Antifraud != 0 && !r.Line.AntifraudFee.OK
}

// evaluateUnexpectedFee is one case for both fees of a row; each stands on its own line.
func evaluateUnexpectedFee(_ *Env, r *Row, _ Tolerance) Outcome {
	if !r.Live() {
		return NotEligible.Outcome()
	}
	if r.LineState != LineFound {
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
		return Passed.Outcome()
	}
	return Outcome{
		Status: Fires, Expected: ledger.Money(0), Actual: ledger.Money(transaction + antifraud),
		Numbers: []ledger.Number{NamedAmount("transaction", transaction), NamedAmount("antifraud", antifraud)},
	}
}

// feeMembers names the members of one of the two fees.
type feeMembers struct {
	agreed func(*agreements.RateLine) ledger.Opt[ledger.Amount]
	own    func(*Row) ledger.Amount
	sale   func(*Row) ledger.Opt[ledger.Amount]
}

// feeRule is the rule of a fee the contract has: on each installment, or on the whole sale where it is agreed so.
func feeRule(code string, line ledger.BridgeLine, says Sentence, fee feeMembers) Rule {
	return Rule{
		Code: code, Version: 1, Family: familyFees, Subject: OnInstallment, Severity: ledger.Error,
		Default: Tolerance{Abs: ledger.Cent}, Needs: []Need{Installments, Contract}, Tier: Configured, ByClass: true, Line: line,
		Eligible: "live installments whose contract line has the fee; complete sales where it is agreed per sale",
		Fires:    "the fee is not the contract's: of each installment, or of the sale as stated or added up", Text: says,
		EvaluateRow: func(_ *Env, r *Row, t Tolerance) Outcome {
			switch agreed := fee.agreed(&r.Line); {
			case !r.Live():
				return NotEligible.Outcome()
			case r.LineState != LineFound:
				return r.MissingLineStatus().Outcome()
			case !agreed.OK || r.Line.FeeBasis == agreements.PerSale:
				return NotEligible.Outcome()
			default:
				return CompareAmounts(agreed.V, fee.own(r), r.Gross, t, Under).WithNumbers(func() []ledger.Number { return []ledger.Number{NamedText("basis", "installment")} })
			}
		},
		EvaluateSale: func(_ *Env, s *Sale, t Tolerance) Outcome {
			r := s.Rows[0]
			agreed := fee.agreed(&r.Line)
			if !s.Live || r.LineState != LineFound || !agreed.OK || r.Line.FeeBasis != agreements.PerSale {
				return NotEligible.Outcome()
			}
			if !s.IsExact() || !s.HasOneLine() {
				return NotEvaluable.Outcome()
			}
			basis := NamedText("basis", "sale")
			if stated := fee.sale(r); stated.OK {
				if o := CompareAmounts(agreed.V, stated.V, s.Total.V, t, Under).WithNumbers(func() []ledger.Number { return []ledger.Number{basis} }); o.Status == Fires {
					return o
				}
			}
			return CompareAmounts(agreed.V, s.SumRows(fee.own), s.Total.V, t, Under).WithNumbers(func() []ledger.Number { return []ledger.Number{basis} })
		},
	}
}
