package cards

import (
	"slices"
	"strconv"

	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// RecordRules evaluate one installment record by itself.
func RecordRules() []rules.Rule {
	return slices.Concat(numberRules(), memberRules())
}

// numberRules evaluate repeated records and the numbers of installments.
func numberRules() []rules.Rule {
	return []rules.Rule{
		{
			Code: "REC_DUPLICATE_ROW", Version: 1, Family: rules.FamilyRecords, Subject: rules.OnInstallment, Severity: ledger.Warning,
			Needs: []rules.Need{rules.Installments}, Tier: rules.Always,
			EvaluateRow: evaluateDuplicateRow,
		},
		{
			Code: "REC_DUPLICATE_KEY", Version: 1, Family: rules.FamilyRecords, Subject: rules.OnInstallment, Severity: ledger.Error,
			Needs: []rules.Need{rules.Installments}, Tier: rules.Always,
			EvaluateRow: evaluateDuplicateKey,
		},
		{
			Code: "REC_INSTALLMENT_RANGE", Version: 1, Family: rules.FamilyRecords, Subject: rules.OnInstallment, Severity: ledger.Error,
			Needs: []rules.Need{rules.Installments}, Tier: rules.Always,
			EvaluateRow: func(_ *rules.Env, r *rules.Row, _ rules.Tolerance) rules.Outcome {
				k, n := r.Now.Number, r.Now.Count
				bad := (k < 1 || n < 1 || k > n) && (k != 0 || n > 1)
				if !bad {
					return rules.Passed.Outcome()
				}
				return rules.Outcome{Status: rules.Fires, Numbers: []ledger.Number{rules.NamedCount("number", k), rules.NamedCount("count", n)}}
			},
		},
		{
			Code: "REC_INSTALLMENTS_OVER_LIMIT", Version: 1, Family: rules.FamilyRecords, Subject: rules.OnInstallment, Severity: ledger.Warning,
			Needs: []rules.Need{rules.Installments}, Tier: rules.Always,
			EvaluateRow: func(_ *rules.Env, r *rules.Row, _ rules.Tolerance) rules.Outcome {
				if r.Now.Count <= maxInstallments {
					return rules.Passed.Outcome()
				}
				return rules.Outcome{Status: rules.Fires, Numbers: []ledger.Number{rules.NamedCount("count", r.Now.Count), rules.NamedCount("limit", maxInstallments)}}
			},
		},
	}
}

// memberRules evaluate single members of a record.
func memberRules() []rules.Rule {
	return []rules.Rule{
		{
			Code: "REC_NEGATIVE_AMOUNT", Version: 1, Family: rules.FamilyRecords, Subject: rules.OnInstallment, Severity: ledger.Error,
			Needs: []rules.Need{rules.Installments}, Tier: rules.Always, ByClass: true,
			EvaluateRow: evaluateNegativeAmount,
		},
		{
			Code: "REC_DATE_ORDER", Version: 1, Family: rules.FamilyRecords, Subject: rules.OnInstallment, Severity: ledger.Error,
			Needs: []rules.Need{rules.Installments}, Tier: rules.Always,
			EvaluateRow: evaluateDateOrder,
		},
		{
			Code: "REC_CARD_NOT_MASKED", Version: 1, Family: rules.FamilyRecords, Subject: rules.OnInstallment, Severity: ledger.Error,
			Needs: []rules.Need{rules.Installments}, Tier: rules.Always,
			EvaluateRow: func(_ *rules.Env, r *rules.Row, _ rules.Tolerance) rules.Outcome {
				if !r.Now.CardClear {
					return rules.Passed.Outcome()
				}
				return rules.Outcome{Status: rules.Fires, Numbers: []ledger.Number{rules.NamedText("card", r.Now.Card)}}
			},
		},
	}
}

// maxInstallments is the limit of the service's first release (interface document, limits).
const maxInstallments = 12

// findDuplicates looks among the earlier rows of the number, in the same pull, for one of the same content and for one of
// another: nothing distinguishes two sales.
func findDuplicates(r *rules.Row) (same, other *rules.Row) {
	if r.Duplicate == nil {
		return nil, nil
	}
	content := r.Now.ContentHash()
	for t := r.Duplicate; t != nil; t = t.Duplicate {
		switch {
		case t.Now.LastPull != r.Now.LastPull:
		case t.Now.ContentHash() == content:
			same = t
		case other == nil:
			other = t
		}
	}
	return same, other
}

// evaluateDuplicateRow and evaluateDuplicateKey evaluate the later of two rows; one that repeats any of them is no further contradiction.
func evaluateDuplicateRow(_ *rules.Env, r *rules.Row, _ rules.Tolerance) rules.Outcome {
	if same, _ := findDuplicates(r); same == nil {
		return rules.Passed.Outcome()
	}
	return rules.Outcome{Status: rules.Fires, Numbers: []ledger.Number{rules.NamedCount("installment", r.Key.Number)}}
}

func evaluateDuplicateKey(_ *rules.Env, r *rules.Row, _ rules.Tolerance) rules.Outcome {
	same, other := findDuplicates(r)
	if same != nil || other == nil {
		return rules.Passed.Outcome()
	}
	return rules.Outcome{
		Status: rules.Fires, Expected: ledger.Money(other.Gross), Actual: ledger.Money(r.Gross),
		Numbers: []ledger.Number{rules.NamedCount("installment", r.Key.Number)},
	}
}

// evaluateNegativeAmount leaves reversals out: taking back is their business.
func evaluateNegativeAmount(_ *rules.Env, r *rules.Row, _ rules.Tolerance) rules.Outcome {
	if !r.Live() {
		return rules.NotEligible.Outcome()
	}
	for _, m := range [...]struct {
		name string
		v    ledger.Amount
	}{
		{"installmentValue", r.Gross},
		{"transactionTotalValue", r.Now.SaleTotal.Or(0)},
		{"discountMdrValue", r.MDR},
		{"discountTrnRateInstalmentValue", r.Fee},
		{"discountAntifraudRateInstalmentValue", r.Antifraud},
		{"discountAntecipationValue", r.Anticipation},
	} {
		if m.v < 0 {
			return rules.Outcome{Status: rules.Fires, Actual: ledger.Money(m.v), Numbers: []ledger.Number{rules.NamedText("member", m.name), rules.NamedAmount("amount", m.v)}}
		}
	}
	return rules.Passed.Outcome()
}

func evaluateDateOrder(_ *rules.Env, r *rules.Row, _ rules.Tolerance) rules.Outcome {
	for _, m := range [...]struct {
		name string
		d    ledger.Date
	}{{"receivedDateForeast", r.Now.Forecast}, {"receivedDateEffective", r.Now.Effective}} {
		if m.d != 0 && m.d < r.Key.Day {
			return rules.Outcome{
				Status: rules.Fires, Expected: ledger.Day(r.Key.Day), Actual: ledger.Day(m.d),
				Numbers: []ledger.Number{rules.NamedText("member", m.name), rules.NamedDate("date", m.d), rules.NamedDate("sale", r.Key.Day)},
			}
		}
	}
	return rules.Passed.Outcome()
}

// joinNumbers prints numbers as 1, 2, 5.
func joinNumbers(numbers []int) string {
	const most = 24
	var b []byte
	for i, n := range numbers {
		if i == most {
			return string(append(b, " …"...))
		}
		if i > 0 {
			b = append(b, ", "...)
		}
		b = strconv.AppendInt(b, int64(n), 10)
	}
	return string(b)
}
