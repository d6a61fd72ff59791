package cards

import (
	"slices"

	"concilia/jobs/agreements"
	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// SaleRules evaluate how the installments of a sale fit together.
func SaleRules() []rules.Rule {
	return slices.Concat(assemblyRules(), shareRules(), allocationRules())
}

// assemblyRules evaluate whether a sale is all its installments, and no more.
func assemblyRules() []rules.Rule {
	return []rules.Rule{
		{
			Code: "TXN_INSTALLMENTS_MISSING", Version: 2, Family: rules.FamilySales, Subject: rules.OnSale, Severity: ledger.Error,
			Needs: []rules.Need{rules.Installments}, Tier: rules.Always, EvaluateSale: func(_ *rules.Env, s *rules.Sale, _ rules.Tolerance) rules.Outcome {
				return fireIfComplete(s, len(s.Missing) > 0, func() []ledger.Number {
					return []ledger.Number{rules.NamedCount("count", s.Count), rules.NamedText("missing", joinNumbers(s.Missing))}
				})
			},
		},
		{
			Code: "TXN_INSTALLMENTS_EXTRA", Version: 1, Family: rules.FamilySales, Subject: rules.OnSale, Severity: ledger.Error,
			Needs: []rules.Need{rules.Installments}, Tier: rules.Always, EvaluateSale: func(_ *rules.Env, s *rules.Sale, _ rules.Tolerance) rules.Outcome {
				return fireIfComplete(s, len(s.Extra) > 0, func() []ledger.Number { return []ledger.Number{rules.NamedText("extra", joinNumbers(s.Extra))} })
			},
		},
		{
			Code: "TXN_COUNT_CONFLICT", Version: 1, Family: rules.FamilySales, Subject: rules.OnSale, Severity: ledger.Error,
			Needs: []rules.Need{rules.Installments}, Tier: rules.Always, EvaluateSale: func(_ *rules.Env, s *rules.Sale, _ rules.Tolerance) rules.Outcome {
				return compareRows(s, func(a, b *rules.Row) bool { return a.Now.Count != b.Now.Count },
					func(a, b *rules.Row) rules.Outcome {
						return rules.Outcome{Numbers: []ledger.Number{rules.NamedCount("first", a.Now.Count), rules.NamedCount("second", b.Now.Count)}}
					})
			},
		},
		{
			Code: "TXN_TOTAL_CONFLICT", Version: 1, Family: rules.FamilySales, Subject: rules.OnSale, Severity: ledger.Error,
			Needs: []rules.Need{rules.Installments}, Tier: rules.Always, EvaluateSale: func(_ *rules.Env, s *rules.Sale, _ rules.Tolerance) rules.Outcome {
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

// shareRules evaluate how a sale is parted among its installments.
func shareRules() []rules.Rule {
	return []rules.Rule{
		{
			Code: "TXN_TOTAL_MISMATCH", Version: 1, Family: rules.FamilySales, Subject: rules.OnSale, Severity: ledger.Error,
			Grades: []ledger.Severity{ledger.Info}, Default: rules.Tolerance{Abs: ledger.Cent},
			Needs: []rules.Need{rules.Installments}, Tier: rules.Always,
			EvaluateSale: evaluateTotal,
		},
		{
			Code: "TXN_INSTALLMENT_UNEVEN", Version: 1, Family: rules.FamilySales, Subject: rules.OnSale, Severity: ledger.Warning,
			Default: rules.Tolerance{Abs: ledger.Cent}, Needs: []rules.Need{rules.Installments}, Tier: rules.Always,
			EvaluateSale: evaluateUneven,
		},
		{
			Code: "TXN_ATTR_CONFLICT", Version: 2, Family: rules.FamilySales, Subject: rules.OnSale, Severity: ledger.Warning,
			Needs: []rules.Need{rules.Installments}, Tier: rules.Always,
			EvaluateSale: evaluateAttributes,
		},
	}
}

// allocationRules evaluate a whole sale: its fees, and whether another sale repeats it.
func allocationRules() []rules.Rule {
	return []rules.Rule{
		{
			Code: "TXN_TRN_FEE_ALLOCATION_MISMATCH", Version: 1, Family: rules.FamilySales, Subject: rules.OnSale, Severity: ledger.Warning,
			Default: rules.Tolerance{Abs: ledger.Cent}, Needs: []rules.Need{rules.Installments}, Tier: rules.Always, ByClass: true,
			EvaluateSale: func(e *rules.Env, s *rules.Sale, t rules.Tolerance) rules.Outcome {
				return evaluateAllocation(e, s, t, func(r *rules.Row) ledger.Amount { return r.Fee },
					func(r *rules.Row) ledger.Opt[ledger.Amount] { return r.Now.SaleFee })
			},
		},
		{
			Code: "TXN_ANTIFRAUD_FEE_ALLOCATION_MISMATCH", Version: 1, Family: rules.FamilySales, Subject: rules.OnSale, Severity: ledger.Warning,
			Default: rules.Tolerance{Abs: ledger.Cent}, Needs: []rules.Need{rules.Installments}, Tier: rules.Always, ByClass: true,
			EvaluateSale: func(e *rules.Env, s *rules.Sale, t rules.Tolerance) rules.Outcome {
				return evaluateAllocation(e, s, t, func(r *rules.Row) ledger.Amount { return r.Antifraud },
					func(r *rules.Row) ledger.Opt[ledger.Amount] { return r.Now.SaleAntifraud })
			},
		},
		{
			// Two sales at a time: Doubles evaluates it once a day's sales are all in.
			Code: DoubleCharge, Version: 1, Family: rules.FamilySales, Subject: rules.OnSale, Severity: ledger.Info,
			Needs: []rules.Need{rules.Installments}, Tier: rules.Always, ByClass: true,
		},
	}
}

// fireIfComplete is not evaluable while rows of the sale may not have been pulled: they cannot be called missing yet.
func fireIfComplete(s *rules.Sale, fires bool, numbers func() []ledger.Number) rules.Outcome {
	switch {
	case !s.Complete:
		return rules.NotEvaluable.Outcome()
	case !fires:
		return rules.Passed.Outcome()
	}
	return rules.Fires.Outcome().WithNumbers(numbers)
}

// compareRows compares every row with the first, and fires with the first that differs.
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

// evaluateTotal distinguishes lost cents from what is lost in the fourth decimal: the service cuts thirds at 0.0001, which is a note at most.
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
