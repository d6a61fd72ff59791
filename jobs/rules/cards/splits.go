package cards

import (
	"slices"

	"concilia/jobs/agreements"
	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// splitRules judge the shares of beneficiaries. Their impact stands in the bridge only where splits are taken out
// of the receipt, else beside it.
func SplitRules() []rules.Rule {
	return slices.Concat(shareOfOneRules(), sharesTogetherRules(), sharesAgainstRules())
}

// shareOfOneRules judge one split by itself.
func shareOfOneRules() []rules.Rule {
	return []rules.Rule{
		{
			Code: "SPLIT_MISSING", Version: 1, Family: rules.FamilySplits, Subject: rules.OnSplit, Severity: ledger.Error,
			Needs: []rules.Need{rules.Splits, rules.Contract}, Tier: rules.Configured, ByClass: true, Line: ledger.LineSplit,
			Eligible: "agreed beneficiaries of live installments", Fires: "the installment has no split for an agreed beneficiary",
			Text: rules.Sentence{
				En: "The agreed {pct} % of a beneficiary, {expected}, is not split.",
				Pt: "Os {pct} % acordados de um beneficiário, {expected}, não foram repassados.",
			},
			EvaluateSplit: evaluateMissingSplit,
		},
		{
			Code: "SPLIT_CONTRACT_PCT_MISMATCH", Version: 1, Family: rules.FamilySplits, Subject: rules.OnSplit, Severity: ledger.Error,
			Default: rules.Tolerance{Points: 100}, Needs: []rules.Need{rules.Splits, rules.Contract}, Tier: rules.Configured, ByClass: true, Line: ledger.LineSplit,
			Eligible: "splits of live installments, where shares are agreed", Fires: "the percentage is not the agreed one; 0 for a beneficiary nobody agreed to",
			Text: rules.Sentence{
				En: "Split of {pct} %; the agreement says {contract} %: R$ {charged} instead of R$ {agreed}.",
				Pt: "Split de {pct} %; o acordo diz {contract} %: R$ {charged} em vez de R$ {agreed}.",
			},
			EvaluateSplit: evaluateAgreedShare,
		},
		{
			Code: "SPLIT_AMOUNT_MISMATCH", Version: 1, Family: rules.FamilySplits, Subject: rules.OnSplit, Severity: ledger.Error,
			Default: rules.Tolerance{Abs: ledger.Cent}, Needs: []rules.Need{rules.Splits}, Tier: rules.Always, ByClass: true, Line: ledger.LineSplit,
			Eligible: "splits of live installments", Fires: "the value is not the percentage of the stated base; the last beneficiary may bear the remainder",
			Text: rules.Sentence{
				En: "Split of {actual}; {pct} % of R$ {base} is {expected}.",
				Pt: "Split de {actual}; {pct} % de R$ {base} são {expected}.",
			},
			EvaluateSplit: evaluateSplitAmount,
		},
		{
			Code: "SPLIT_BASE_MISMATCH", Version: 1, Family: rules.FamilySplits, Subject: rules.OnSplit, Severity: ledger.Error,
			Default: rules.Tolerance{Abs: ledger.Cent}, Needs: []rules.Need{rules.Splits, rules.Installments}, Tier: rules.Always, ByClass: true, Line: ledger.LineSplit,
			Eligible: "splits of live installments", Fires: "the stated base is not the one splits are parts of",
			Text: rules.Sentence{
				En: "Split on a base of {actual}; it should be {expected}.",
				Pt: "Split sobre a base de {actual}; deveria ser {expected}.",
			},
			EvaluateSplit: evaluateSplitBase,
		},
		{
			Code: "SPLIT_BENEFICIARY_UNKNOWN", Version: 1, Family: rules.FamilySplits, Subject: rules.OnSplit, Severity: ledger.Warning,
			Needs: []rules.Need{rules.Splits, rules.Register}, Tier: rules.Configured, ByClass: true, Eligible: "splits of live installments, where a register is configured",
			Fires: "the beneficiary does not stand in the register on the sale date",
			Text: rules.Sentence{
				En: "A split of {actual} goes to a beneficiary that is not in the register on {sale}.",
				Pt: "Um split de {actual} vai a um beneficiário que não consta no cadastro em {sale}.",
			},
			EvaluateSplit: evaluateBeneficiary,
		},
	}
}

// sharesTogetherRules judge the splits of an installment together, and those of a sale.
func sharesTogetherRules() []rules.Rule {
	return []rules.Rule{
		{
			Code: "SPLIT_BASE_INCONSISTENT", Version: 1, Family: rules.FamilySplits, Subject: rules.OnInstallment, Severity: ledger.Warning,
			Needs: []rules.Need{rules.Splits}, Tier: rules.Always, ByClass: true, Eligible: "live installments with splits", Fires: "splits of one installment state different bases",
			Text: rules.Sentence{
				En: "Splits of one installment stand on {expected} and on {actual}.",
				Pt: "Splits da mesma parcela partem de {expected} e de {actual}.",
			},
			EvaluateRow: evaluateSplitBases,
		},
		{
			Code: "SPLIT_SUM_MISMATCH", Version: 1, Family: rules.FamilySplits, Subject: rules.OnInstallment, Severity: ledger.Error,
			Default: rules.Tolerance{Abs: ledger.Cent}, Needs: []rules.Need{rules.Splits}, Tier: rules.Always, ByClass: true,
			Eligible: "live installments with splits, where splits share out all of the base", Fires: "the splits do not add up to their base",
			Text: rules.Sentence{
				En: "Splits add up to {actual}; their base is {expected}.",
				Pt: "Os splits somam {actual}; a base é {expected}.",
			},
			EvaluateRow: func(e *rules.Env, r *rules.Row, t rules.Tolerance) rules.Outcome {
				if !hasLiveSplits(r) || e.Profile.Split.Coverage != agreements.SplitWhole {
					return rules.NotEligible.Outcome()
				}
				t.Abs *= ledger.Amount(len(r.Now.Splits))
				base := rules.SplitBase(e, r)
				return rules.CompareAmounts(base, r.SplitTotal, base, t, rules.Under)
			},
		},
		{
			Code: "SPLIT_PCT_SUM", Version: 1, Family: rules.FamilySplits, Subject: rules.OnInstallment, Severity: ledger.Error,
			Grades: []ledger.Severity{ledger.Warning}, Default: rules.Tolerance{Points: 100}, Needs: []rules.Need{rules.Splits}, Tier: rules.Always, ByClass: true,
			Eligible: "live installments with splits", Fires: "percentages above 100 together; a warning when they should be 100 and are less",
			Text: rules.Sentence{
				En: "Splits add up to {pct} %.",
				Pt: "Os splits somam {pct} %.",
			},
			EvaluateRow: evaluateShareSum,
		},
	}
}

// sharesAgainstRules judge the splits of an installment against its net, one another, and the other installments of the sale.
func sharesAgainstRules() []rules.Rule {
	return []rules.Rule{
		{
			Code: "SPLIT_EXCEEDS_NET", Version: 1, Family: rules.FamilySplits, Subject: rules.OnInstallment, Severity: ledger.Error,
			Default: rules.Tolerance{Abs: ledger.Cent}, Needs: []rules.Need{rules.Splits, rules.Installments}, Tier: rules.Always, ByClass: true,
			Eligible: "live installments with splits", Fires: "more is split than the net before splits",
			Text: rules.Sentence{
				En: "{actual} is split of a net of {expected}.",
				Pt: "{actual} repassados de um líquido de {expected}.",
			},
			EvaluateRow: func(_ *rules.Env, r *rules.Row, t rules.Tolerance) rules.Outcome {
				if !hasLiveSplits(r) {
					return rules.NotEligible.Outcome()
				}
				if r.SplitTotal <= r.BeforeSplits+t.Abs {
					return rules.Passed.Outcome()
				}
				return rules.Outcome{Status: rules.Fires, Expected: ledger.Money(r.BeforeSplits), Actual: ledger.Money(r.SplitTotal)}
			},
		},
		{
			Code: "SPLIT_DUPLICATE_BENEFICIARY", Version: 1, Family: rules.FamilySplits, Subject: rules.OnInstallment, Severity: ledger.Warning,
			Needs: []rules.Need{rules.Splits}, Tier: rules.Always, ByClass: true, Eligible: "live installments with splits", Fires: "one beneficiary has two splits of one type",
			Text: rules.Sentence{
				En: "One beneficiary has {count} splits of the same type.",
				Pt: "Um beneficiário tem {count} splits do mesmo tipo.",
			},
			EvaluateRow: evaluateDuplicateBeneficiary,
		},
		{
			Code: "SPLIT_UNEVEN_ACROSS_INSTALLMENTS", Version: 1, Family: rules.FamilySplits, Subject: rules.OnSale, Severity: ledger.Warning,
			Default: rules.Tolerance{Points: 100}, Needs: []rules.Need{rules.Splits}, Tier: rules.Always, ByClass: true, Eligible: "complete live sales with splits",
			Fires: "a beneficiary's percentage differs among the installments",
			Text: rules.Sentence{
				En: "A beneficiary has {first} % of installment {one} and {second} % of installment {other}.",
				Pt: "Um beneficiário tem {first} % da parcela {one} e {second} % da parcela {other}.",
			},
			EvaluateSale: evaluateSplitsUneven,
		},
	}
}
