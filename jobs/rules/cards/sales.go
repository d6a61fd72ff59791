package cards

import (
	"slices"

	"concilia/jobs/agreements"
	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// saleRules judge how the installments of a sale fit together.
func SaleRules() []rules.Rule {
	return slices.Concat(assemblyRules(), shareRules(), allocationRules())
}

// assemblyRules judge whether a sale is all its installments, and no more.
func assemblyRules() []rules.Rule {
	return []rules.Rule{
		{
			Code: "TXN_INSTALLMENTS_MISSING", Version: 2, Family: rules.FamilySales, Subject: rules.OnSale, Severity: ledger.Error,
			Needs: []rules.Need{rules.Installments}, Tier: rules.Always, Eligible: "complete sales", Fires: "a number of 1 to n has no installment",
			Text: rules.Sentence{
				En: "Of a sale in {count:installment:installments}[{one?}, number {missing} was not sent][{several?}, numbers {missing} were not sent].",
				Pt: "Da venda em {count:parcela:parcelas}[{one?}, não veio a de número {missing}][{several?}, não vieram as de números {missing}].",
			},
			EvaluateSale: func(_ *rules.Env, s *rules.Sale, _ rules.Tolerance) rules.Outcome {
				return fireIfComplete(s, len(s.Missing) > 0, func() []ledger.Number {
					return []ledger.Number{rules.NamedCount("count", s.Count), rules.NamedText("missing", joinNumbers(s.Missing))}
				})
			},
		},
		{
			Code: "TXN_INSTALLMENTS_EXTRA", Version: 1, Family: rules.FamilySales, Subject: rules.OnSale, Severity: ledger.Error,
			Needs: []rules.Need{rules.Installments}, Tier: rules.Always, Eligible: "complete sales", Fires: "a number repeats inside one sale",
			Text: rules.Sentence{
				En: "These installment numbers came more than once in one sale: {extra}.",
				Pt: "Estes números de parcela vieram mais de uma vez na mesma venda: {extra}.",
			},
			EvaluateSale: func(_ *rules.Env, s *rules.Sale, _ rules.Tolerance) rules.Outcome {
				return fireIfComplete(s, len(s.Extra) > 0, func() []ledger.Number { return []ledger.Number{rules.NamedText("extra", joinNumbers(s.Extra))} })
			},
		},
		{
			Code: "TXN_COUNT_CONFLICT", Version: 1, Family: rules.FamilySales, Subject: rules.OnSale, Severity: ledger.Error,
			Needs: []rules.Need{rules.Installments}, Tier: rules.Always, Eligible: "every sale", Fires: "the count of installments differs among its rows",
			Text: rules.Sentence{
				En: "One row says {first} installments, another {second}.",
				Pt: "Uma linha diz {first} parcelas, outra diz {second}.",
			},
			EvaluateSale: func(_ *rules.Env, s *rules.Sale, _ rules.Tolerance) rules.Outcome {
				return compareRows(s, func(a, b *rules.Row) bool { return a.Now.Count != b.Now.Count },
					func(a, b *rules.Row) rules.Outcome {
						return rules.Outcome{Numbers: []ledger.Number{rules.NamedCount("first", a.Now.Count), rules.NamedCount("second", b.Now.Count)}}
					})
			},
		},
		{
			Code: "TXN_TOTAL_CONFLICT", Version: 1, Family: rules.FamilySales, Subject: rules.OnSale, Severity: ledger.Error,
			Needs: []rules.Need{rules.Installments}, Tier: rules.Always, Eligible: "every sale", Fires: "the sale's total differs among its rows",
			Text: rules.Sentence{
				En: "One row says the sale is {expected}, another {actual}.",
				Pt: "Uma linha diz que a venda é de {expected}, outra diz {actual}.",
			},
			EvaluateSale: func(_ *rules.Env, s *rules.Sale, _ rules.Tolerance) rules.Outcome {
				for _, r := range s.Rows { // a row that states no total contradicts none
					if t := r.Now.SaleTotal; t.OK && t != s.Total {
						return rules.Outcome{Status: rules.Fires, Expected: ledger.Money(s.Total.V), Actual: ledger.Money(t.V)}
					}
				}
				return rules.Passed.Outcome()
			},
		},
	}
}

// shareRules judge how a sale is parted among its installments.
func shareRules() []rules.Rule {
	return []rules.Rule{
		{
			Code: "TXN_TOTAL_MISMATCH", Version: 1, Family: rules.FamilySales, Subject: rules.OnSale, Severity: ledger.Error,
			Grades: []ledger.Severity{ledger.Info}, Default: rules.Tolerance{Abs: ledger.Cent},
			Needs: []rules.Need{rules.Installments}, Tier: rules.Always, Eligible: "complete sales whose numbers and totals are in order",
			Fires: "the installments do not add up to the total: beyond a cent an error, beyond 0.0001 an installment a note",
			Text: rules.Sentence{
				En: "The installments add up to {actual}, the sale is {expected}.",
				Pt: "As parcelas somam {actual}, a venda é de {expected}.",
			},
			EvaluateSale: evaluateTotal,
		},
		{
			Code: "TXN_INSTALLMENT_UNEVEN", Version: 1, Family: rules.FamilySales, Subject: rules.OnSale, Severity: ledger.Warning,
			Default: rules.Tolerance{Abs: ledger.Cent}, Needs: []rules.Need{rules.Installments}, Tier: rules.Always,
			Eligible: "complete sales", Fires: "the greatest and the least installment differ by more than a cent an installment",
			Text: rules.Sentence{
				En: "Installments run from R$ {least} to R$ {greatest}, more than R$ {allowed} apart.",
				Pt: "As parcelas vão de R$ {least} a R$ {greatest}, diferença maior que R$ {allowed}.",
			},
			EvaluateSale: evaluateUneven,
		},
		{
			Code: "TXN_ATTR_CONFLICT", Version: 2, Family: rules.FamilySales, Subject: rules.OnSale, Severity: ledger.Warning,
			Needs: []rules.Need{rules.Installments}, Tier: rules.Always, Eligible: "every sale",
			Fires: "brand, product, card, terminal, time, order reference or web payment id differ among its rows",
			Text: rules.Sentence{
				En: "The rows of the sale disagree on {member}.",
				Pt: "As linhas da venda divergem em {member}.",
			},
			EvaluateSale: evaluateAttributes,
		},
	}
}

// allocationRules judge what is told of the whole sale: its fees, and a second one like it.
func allocationRules() []rules.Rule {
	return []rules.Rule{
		{
			Code: "TXN_TRN_FEE_ALLOCATION_MISMATCH", Version: 1, Family: rules.FamilySales, Subject: rules.OnSale, Severity: ledger.Warning,
			Default: rules.Tolerance{Abs: ledger.Cent}, Needs: []rules.Need{rules.Installments}, Tier: rules.Always, ByClass: true,
			Eligible: "complete sales, all live", Fires: "the installments' transaction fees do not add up to the sale's",
			Text: rules.Sentence{
				En: "The installments bear {actual} of transaction fee, the sale {expected}.",
				Pt: "As parcelas somam {actual} de tarifa de transação, a venda tem {expected}.",
			},
			EvaluateSale: func(e *rules.Env, s *rules.Sale, t rules.Tolerance) rules.Outcome {
				return evaluateAllocation(e, s, t, func(r *rules.Row) ledger.Amount { return r.Fee },
					func(r *rules.Row) ledger.Opt[ledger.Amount] { return r.Now.SaleFee })
			},
		},
		{
			Code: "TXN_ANTIFRAUD_FEE_ALLOCATION_MISMATCH", Version: 1, Family: rules.FamilySales, Subject: rules.OnSale, Severity: ledger.Warning,
			Default: rules.Tolerance{Abs: ledger.Cent}, Needs: []rules.Need{rules.Installments}, Tier: rules.Always, ByClass: true,
			Eligible: "complete sales, all live", Fires: "the installments' antifraud fees do not add up to the sale's",
			Text: rules.Sentence{
				En: "The installments bear {actual} of antifraud fee, the sale {expected}.",
				Pt: "As parcelas somam {actual} de tarifa antifraude, a venda tem {expected}.",
			},
			EvaluateSale: func(e *rules.Env, s *rules.Sale, t rules.Tolerance) rules.Outcome {
				return evaluateAllocation(e, s, t, func(r *rules.Row) ledger.Amount { return r.Antifraud },
					func(r *rules.Row) ledger.Opt[ledger.Amount] { return r.Now.SaleAntifrd })
			},
		},
		{
			// Two sales at a time: Doubles judges it once a day's sales are all in.
			Code: DoubleCharge, Version: 1, Family: rules.FamilySales, Subject: rules.OnSale, Severity: ledger.Info,
			Needs: []rules.Need{rules.Installments}, Tier: rules.Always, ByClass: true, Eligible: "live sales",
			Fires: "same card, terminal and total within five minutes under another NSU",
			Text: rules.Sentence{
				En: "The same card paid R$ {amount} on the same terminal at {first} and {second}: NSU {nsu} and {other}.",
				Pt: "O mesmo cartão pagou R$ {amount} no mesmo terminal às {first} e {second}: NSU {nsu} e {other}.",
			},
		},
	}
}

// fireIfComplete keeps a rule from calling missing what nobody has looked for yet.
func fireIfComplete(s *rules.Sale, fires bool, numbers func() []ledger.Number) rules.Outcome {
	switch {
	case !s.Complete:
		return rules.NotEvaluable.Outcome()
	case !fires:
		return rules.Passed.Outcome()
	}
	return rules.Fires.Outcome().WithNumbers(numbers)
}

// compareRows compares every row with the first and tells of the first that differs.
func compareRows(s *rules.Sale, differ func(a, b *rules.Row) bool, say func(a, b *rules.Row) rules.Outcome) rules.Outcome {
	for _, r := range s.Rows[1:] {
		if differ(s.Rows[0], r) {
			o := say(s.Rows[0], r)
			o.Status = rules.Fires
			return o
		}
	}
	return rules.Passed.Outcome()
}

// evaluateTotal tells cents lost from the fourth decimal: the service cuts thirds at 0.0001, which is a note at most.
func evaluateTotal(_ *rules.Env, s *rules.Sale, t rules.Tolerance) rules.Outcome {
	switch {
	case !s.Complete:
		return rules.NotEvaluable.Outcome()
	case !s.IsWhole() || s.TotalConflict:
		return rules.NotEligible.Outcome()
	case !s.Total.OK:
		return rules.NotEvaluable.Outcome()
	}
	sum := s.SumRows(func(r *rules.Row) ledger.Amount { return r.Gross })
	o := rules.Outcome{Status: rules.Fires, Expected: ledger.Money(s.Total.V), Actual: ledger.Money(sum)}
	switch diff := (sum - s.Total.V).Abs(); {
	case diff > t.Abs:
		return o
	case diff > ledger.Amount(s.Count): // 0.0001 an installment
		o.Severity = ledger.Info
		return o
	case diff > 0:
		return rules.Within.Outcome()
	}
	return rules.Passed.Outcome()
}

// evaluateUneven allows the remainder cent of a sale wherever it lies.
func evaluateUneven(_ *rules.Env, s *rules.Sale, t rules.Tolerance) rules.Outcome {
	if !s.Complete {
		return rules.NotEvaluable.Outcome()
	}
	least, greatest := s.Rows[0].Gross, s.Rows[0].Gross
	for _, r := range s.Rows {
		least, greatest = min(least, r.Gross), max(greatest, r.Gross)
	}
	allowed := t.Abs * ledger.Amount(s.Count)
	if greatest > least && greatest-least <= allowed {
		return rules.Within.Outcome()
	}
	if greatest-least <= allowed {
		return rules.Passed.Outcome()
	}
	return rules.Outcome{Status: rules.Fires, Numbers: []ledger.Number{rules.NamedAmount("least", least), rules.NamedAmount("greatest", greatest), rules.NamedAmount("allowed", allowed)}}
}

// evaluateAttributes names the first member that differs, never its values: one is a card number.
func evaluateAttributes(_ *rules.Env, s *rules.Sale, _ rules.Tolerance) rules.Outcome {
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
				return rules.Outcome{Status: rules.Fires, Numbers: []ledger.Number{rules.NamedText("member", m.name)}}
			}
		}
	}
	return rules.Passed.Outcome()
}

// evaluateAllocation compares what the rows bear of a fee with the sale's. Where the reading puts all of it on the first row,
// that row alone must bear it too.
func evaluateAllocation(e *rules.Env, s *rules.Sale, t rules.Tolerance, of func(*rules.Row) ledger.Amount, whole func(*rules.Row) ledger.Opt[ledger.Amount]) rules.Outcome {
	switch {
	case !s.Live:
		return rules.NotEligible.Outcome()
	case !s.IsWhole(): // what a missing row bears is not known
		return rules.NotEvaluable.Outcome()
	}
	fee := whole(s.Rows[0])
	if !fee.OK {
		return rules.NotEvaluable.Outcome()
	}
	t.Abs *= ledger.Amount(s.Count)
	if e.Profile.FeeSpread == agreements.FeesOnFirst {
		if o := rules.CompareAmounts(fee.V, of(s.Rows[0]), fee.V, t, rules.Under); o.Status == rules.Fires {
			return o
		}
	}
	return rules.CompareAmounts(fee.V, s.SumRows(of), fee.V, t, rules.Under)
}
