package rules

import (
	"slices"

	"concilia/jobs/agreements"
	"concilia/store/ledger"
)

const familySales = "sales"

// saleRules judge how the installments of a sale fit together.
func saleRules() []Rule {
	return slices.Concat(assemblyRules(), shareRules(), allocationRules())
}

// assemblyRules judge whether a sale is all its installments, and no more.
func assemblyRules() []Rule {
	return []Rule{
		{
			Code: "TXN_INSTALLMENTS_MISSING", Version: 2, Family: familySales, Subject: OnSale, Severity: ledger.Error,
			Needs: []Need{Installments}, Tier: Always, Eligible: "complete sales", Fires: "a number of 1 to n has no installment",
			Text: Sentence{
				En: "Of a sale in {count:installment:installments}[{one?}, number {missing} was not sent][{several?}, numbers {missing} were not sent].",
				Pt: "Da venda em {count:parcela:parcelas}[{one?}, não veio a de número {missing}][{several?}, não vieram as de números {missing}].",
			},
			EvaluateSale: func(_ *Env, s *Sale, _ Tolerance) Outcome {
				return fireIfComplete(s, len(s.Missing) > 0, func() []ledger.Number {
					return []ledger.Number{NamedCount("count", s.Count), NamedText("missing", joinNumbers(s.Missing))}
				})
			},
		},
		{
			Code: "TXN_INSTALLMENTS_EXTRA", Version: 1, Family: familySales, Subject: OnSale, Severity: ledger.Error,
			Needs: []Need{Installments}, Tier: Always, Eligible: "complete sales", Fires: "a number repeats inside one sale",
			Text: Sentence{
				En: "These installment numbers came more than once in one sale: {extra}.",
				Pt: "Estes números de parcela vieram mais de uma vez na mesma venda: {extra}.",
			},
			EvaluateSale: func(_ *Env, s *Sale, _ Tolerance) Outcome {
				return fireIfComplete(s, len(s.Extra) > 0, func() []ledger.Number { return []ledger.Number{NamedText("extra", joinNumbers(s.Extra))} })
			},
		},
		{
			Code: "TXN_COUNT_CONFLICT", Version: 1, Family: familySales, Subject: OnSale, Severity: ledger.Error,
			Needs: []Need{Installments}, Tier: Always, Eligible: "every sale", Fires: "the count of installments differs among its rows",
			Text: Sentence{
				En: "One row says {first} installments, another {second}.",
				Pt: "Uma linha diz {first} parcelas, outra diz {second}.",
			},
			EvaluateSale: func(_ *Env, s *Sale, _ Tolerance) Outcome {
				return compareRows(s, func(a, b *Row) bool { return a.Now.Count != b.Now.Count },
					func(a, b *Row) Outcome {
						return Outcome{Numbers: []ledger.Number{NamedCount("first", a.Now.Count), NamedCount("second", b.Now.Count)}}
					})
			},
		},
		{
			Code: "TXN_TOTAL_CONFLICT", Version: 1, Family: familySales, Subject: OnSale, Severity: ledger.Error,
			Needs: []Need{Installments}, Tier: Always, Eligible: "every sale", Fires: "the sale's total differs among its rows",
			Text: Sentence{
				En: "One row says the sale is {expected}, another {actual}.",
				Pt: "Uma linha diz que a venda é de {expected}, outra diz {actual}.",
			},
			EvaluateSale: func(_ *Env, s *Sale, _ Tolerance) Outcome {
				for _, r := range s.Rows { // a row that states no total contradicts none
					if t := r.Now.SaleTotal; t.OK && t != s.Total {
						return Outcome{Status: Fires, Expected: ledger.Money(s.Total.V), Actual: ledger.Money(t.V)}
					}
				}
				return Passed.Outcome()
			},
		},
	}
}

// shareRules judge how a sale is parted among its installments.
func shareRules() []Rule {
	return []Rule{
		{
			Code: "TXN_TOTAL_MISMATCH", Version: 1, Family: familySales, Subject: OnSale, Severity: ledger.Error,
			Grades: []ledger.Severity{ledger.Info}, Default: Tolerance{Abs: ledger.Cent},
			Needs: []Need{Installments}, Tier: Always, Eligible: "complete sales whose numbers and totals are in order",
			Fires: "the installments do not add up to the total: beyond a cent an error, beyond 0.0001 an installment a note",
			Text: Sentence{
				En: "The installments add up to {actual}, the sale is {expected}.",
				Pt: "As parcelas somam {actual}, a venda é de {expected}.",
			},
			EvaluateSale: evaluateTotal,
		},
		{
			Code: "TXN_INSTALLMENT_UNEVEN", Version: 1, Family: familySales, Subject: OnSale, Severity: ledger.Warning,
			Default: Tolerance{Abs: ledger.Cent}, Needs: []Need{Installments}, Tier: Always,
			Eligible: "complete sales", Fires: "the greatest and the least installment differ by more than a cent an installment",
			Text: Sentence{
				En: "Installments run from R$ {least} to R$ {greatest}, more than R$ {allowed} apart.",
				Pt: "As parcelas vão de R$ {least} a R$ {greatest}, diferença maior que R$ {allowed}.",
			},
			EvaluateSale: evaluateUneven,
		},
		{
			Code: "TXN_ATTR_CONFLICT", Version: 2, Family: familySales, Subject: OnSale, Severity: ledger.Warning,
			Needs: []Need{Installments}, Tier: Always, Eligible: "every sale",
			Fires: "brand, product, card, terminal, time, order reference or web payment id differ among its rows",
			Text: Sentence{
				En: "The rows of the sale disagree on {member}.",
				Pt: "As linhas da venda divergem em {member}.",
			},
			EvaluateSale: evaluateAttributes,
		},
	}
}

// allocationRules judge what is told of the whole sale: its fees, and a second one like it.
func allocationRules() []Rule {
	return []Rule{
		{
			Code: "TXN_TRN_FEE_ALLOCATION_MISMATCH", Version: 1, Family: familySales, Subject: OnSale, Severity: ledger.Warning,
			Default: Tolerance{Abs: ledger.Cent}, Needs: []Need{Installments}, Tier: Always, ByClass: true,
			Eligible: "complete sales, all live", Fires: "the installments' transaction fees do not add up to the sale's",
			Text: Sentence{
				En: "The installments bear {actual} of transaction fee, the sale {expected}.",
				Pt: "As parcelas somam {actual} de tarifa de transação, a venda tem {expected}.",
			},
			EvaluateSale: func(e *Env, s *Sale, t Tolerance) Outcome {
				return evaluateAllocation(e, s, t, func(r *Row) ledger.Amount { return r.Fee },
					func(r *Row) ledger.Opt[ledger.Amount] { return r.Now.SaleFee })
			},
		},
		{
			Code: "TXN_ANTIFRAUD_FEE_ALLOCATION_MISMATCH", Version: 1, Family: familySales, Subject: OnSale, Severity: ledger.Warning,
			Default: Tolerance{Abs: ledger.Cent}, Needs: []Need{Installments}, Tier: Always, ByClass: true,
			Eligible: "complete sales, all live", Fires: "the installments' antifraud fees do not add up to the sale's",
			Text: Sentence{
				En: "The installments bear {actual} of antifraud fee, the sale {expected}.",
				Pt: "As parcelas somam {actual} de tarifa antifraude, a venda tem {expected}.",
			},
			EvaluateSale: func(e *Env, s *Sale, t Tolerance) Outcome {
				return evaluateAllocation(e, s, t, func(r *Row) ledger.Amount { return r.Antifraud },
					func(r *Row) ledger.Opt[ledger.Amount] { return r.Now.SaleAntifrd })
			},
		},
		{
			// Two sales at a time: Doubles judges it once a day's sales are all in.
			Code: DoubleCharge, Version: 1, Family: familySales, Subject: OnSale, Severity: ledger.Info,
			Needs: []Need{Installments}, Tier: Always, ByClass: true, Eligible: "live sales",
			Fires: "same card, terminal and total within five minutes under another NSU",
			Text: Sentence{
				En: "The same card paid R$ {amount} on the same terminal at {first} and {second}: NSU {nsu} and {other}.",
				Pt: "O mesmo cartão pagou R$ {amount} no mesmo terminal às {first} e {second}: NSU {nsu} e {other}.",
			},
		},
	}
}

// fireIfComplete keeps a rule from calling missing what nobody has looked for yet.
func fireIfComplete(s *Sale, fires bool, numbers func() []ledger.Number) Outcome {
	switch {
	case !s.Complete:
		return NotEvaluable.Outcome()
	case !fires:
		return Passed.Outcome()
	}
	return Fires.Outcome().WithNumbers(numbers)
}

// compareRows compares every row with the first and tells of the first that differs.
func compareRows(s *Sale, differ func(a, b *Row) bool, say func(a, b *Row) Outcome) Outcome {
	for _, r := range s.Rows[1:] {
		if differ(s.Rows[0], r) {
			o := say(s.Rows[0], r)
			o.Status = Fires
			return o
		}
	}
	return Passed.Outcome()
}

// evaluateTotal tells cents lost from the fourth decimal: the service cuts thirds at 0.0001, which is a note at most.
func evaluateTotal(_ *Env, s *Sale, t Tolerance) Outcome {
	switch {
	case !s.Complete:
		return NotEvaluable.Outcome()
	case !s.IsWhole() || s.TotalConflict:
		return NotEligible.Outcome()
	case !s.Total.OK:
		return NotEvaluable.Outcome()
	}
	sum := s.SumRows(func(r *Row) ledger.Amount { return r.Gross })
	o := Outcome{Status: Fires, Expected: ledger.Money(s.Total.V), Actual: ledger.Money(sum)}
	switch diff := (sum - s.Total.V).Abs(); {
	case diff > t.Abs:
		return o
	case diff > ledger.Amount(s.Count): // 0.0001 an installment
		o.Severity = ledger.Info
		return o
	case diff > 0:
		return Within.Outcome()
	}
	return Passed.Outcome()
}

// evaluateUneven allows the remainder cent of a sale wherever it lies.
func evaluateUneven(_ *Env, s *Sale, t Tolerance) Outcome {
	if !s.Complete {
		return NotEvaluable.Outcome()
	}
	least, greatest := s.Rows[0].Gross, s.Rows[0].Gross
	for _, r := range s.Rows {
		least, greatest = min(least, r.Gross), max(greatest, r.Gross)
	}
	allowed := t.Abs * ledger.Amount(s.Count)
	if greatest > least && greatest-least <= allowed {
		return Within.Outcome()
	}
	if greatest-least <= allowed {
		return Passed.Outcome()
	}
	return Outcome{Status: Fires, Numbers: []ledger.Number{NamedAmount("least", least), NamedAmount("greatest", greatest), NamedAmount("allowed", allowed)}}
}

// evaluateAttributes names the first member that differs, never its values: one is a card number.
func evaluateAttributes(_ *Env, s *Sale, _ Tolerance) Outcome {
	first := s.Rows[0]
	a := first.Now
	for _, r := range s.Rows[1:] {
		b := r.Now
		for _, m := range [...]struct {
			name string
			same bool
		}{
			{"cardName", first.Brand == r.Brand}, // spelling alone is no conflict
			{"cardType", first.Product == r.Product},
			{"cardNumber", a.Card == b.Card},
			{"terminal", a.Terminal == b.Terminal},
			{"transactionDate", a.SoldAt == b.SoldAt},
			{"transactionReference", a.Reference == b.Reference},
			{"transactionPaymentIdWeb", a.WebPaymentID == b.WebPaymentID},
		} {
			if !m.same {
				return Outcome{Status: Fires, Numbers: []ledger.Number{NamedText("member", m.name)}}
			}
		}
	}
	return Passed.Outcome()
}

// evaluateAllocation compares what the rows bear of a fee with the sale's. Where the reading puts all of it on the first row,
// that row alone must bear it too.
func evaluateAllocation(e *Env, s *Sale, t Tolerance, of func(*Row) ledger.Amount, whole func(*Row) ledger.Opt[ledger.Amount]) Outcome {
	switch {
	case !s.Live:
		return NotEligible.Outcome()
	case !s.IsWhole(): // what a missing row bears is not known
		return NotEvaluable.Outcome()
	}
	fee := whole(s.Rows[0])
	if !fee.OK {
		return NotEvaluable.Outcome()
	}
	t.Abs *= ledger.Amount(s.Count)
	if e.Profile.FeeSpread == agreements.FeesOnFirst {
		if o := CompareAmounts(fee.V, of(s.Rows[0]), fee.V, t, Under); o.Status == Fires {
			return o
		}
	}
	return CompareAmounts(fee.V, s.SumRows(of), fee.V, t, Under)
}
