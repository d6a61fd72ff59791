package cards

import (
	"slices"

	"concilia/jobs/agreements"
	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// SplitRules evaluate the shares of beneficiaries. Their impact is in the bridge only where splits are taken out
// of the receipt, else of what is paid in addition to it.
func SplitRules() []rules.Rule {
	return slices.Concat(shareOfOneRules(), sharesTogetherRules(), sharesAgainstRules())
}

// shareOfOneRules evaluate one split by itself.
func shareOfOneRules() []rules.Rule {
	return []rules.Rule{
		{
			Code: "SPLIT_MISSING", Version: 1, Family: rules.FamilySplits, Subject: rules.OnSplit, Severity: ledger.Error,
			Needs: []rules.Need{rules.Splits, rules.Contract}, Tier: rules.Configured, ByClass: true, Line: ledger.LineSplit,
			EvaluateSplit: evaluateMissingSplit,
		},
		{
			Code: "SPLIT_CONTRACT_PCT_MISMATCH", Version: 1, Family: rules.FamilySplits, Subject: rules.OnSplit, Severity: ledger.Error,
			Default: rules.Tolerance{Points: 100}, Needs: []rules.Need{rules.Splits, rules.Contract}, Tier: rules.Configured, ByClass: true, Line: ledger.LineSplit,
			EvaluateSplit: evaluateAgreedShare,
		},
		{
			Code: "SPLIT_AMOUNT_MISMATCH", Version: 1, Family: rules.FamilySplits, Subject: rules.OnSplit, Severity: ledger.Error,
			Default: rules.Tolerance{Abs: ledger.Cent}, Needs: []rules.Need{rules.Splits}, Tier: rules.Always, ByClass: true, Line: ledger.LineSplit,
			EvaluateSplit: evaluateSplitAmount,
		},
		{
			Code: "SPLIT_BASE_MISMATCH", Version: 1, Family: rules.FamilySplits, Subject: rules.OnSplit, Severity: ledger.Error,
			Default: rules.Tolerance{Abs: ledger.Cent}, Needs: []rules.Need{rules.Splits, rules.Installments}, Tier: rules.Always, ByClass: true, Line: ledger.LineSplit,
			EvaluateSplit: evaluateSplitBase,
		},
		{
			Code: "SPLIT_BENEFICIARY_UNKNOWN", Version: 1, Family: rules.FamilySplits, Subject: rules.OnSplit, Severity: ledger.Warning,
			Needs: []rules.Need{rules.Splits, rules.Register}, Tier: rules.Configured, ByClass: true,
			EvaluateSplit: evaluateBeneficiary,
		},
	}
}

// sharesTogetherRules evaluate the splits of an installment together, and those of a sale.
func sharesTogetherRules() []rules.Rule {
	return []rules.Rule{
		{
			Code: "SPLIT_BASE_INCONSISTENT", Version: 1, Family: rules.FamilySplits, Subject: rules.OnInstallment, Severity: ledger.Warning,
			Needs: []rules.Need{rules.Splits}, Tier: rules.Always, ByClass: true, EvaluateRow: evaluateSplitBases,
		},
		{
			Code: "SPLIT_SUM_MISMATCH", Version: 1, Family: rules.FamilySplits, Subject: rules.OnInstallment, Severity: ledger.Error,
			Default: rules.Tolerance{Abs: ledger.Cent}, Needs: []rules.Need{rules.Splits}, Tier: rules.Always, ByClass: true,
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
			EvaluateRow: evaluateShareSum,
		},
	}
}

// sharesAgainstRules evaluate the splits of an installment against its net, one another, and the other installments of the sale.
func sharesAgainstRules() []rules.Rule {
	return []rules.Rule{
		{
			Code: "SPLIT_EXCEEDS_NET", Version: 1, Family: rules.FamilySplits, Subject: rules.OnInstallment, Severity: ledger.Error,
			Default: rules.Tolerance{Abs: ledger.Cent}, Needs: []rules.Need{rules.Splits, rules.Installments}, Tier: rules.Always, ByClass: true,
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
			Needs: []rules.Need{rules.Splits}, Tier: rules.Always, ByClass: true, EvaluateRow: evaluateDuplicateBeneficiary,
		},
		{
			Code: "SPLIT_UNEVEN_ACROSS_INSTALLMENTS", Version: 1, Family: rules.FamilySplits, Subject: rules.OnSale, Severity: ledger.Warning,
			Default: rules.Tolerance{Points: 100}, Needs: []rules.Need{rules.Splits}, Tier: rules.Always, ByClass: true,
			EvaluateSale: evaluateSplitsUneven,
		},
	}
}
