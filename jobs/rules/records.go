package rules

import (
	"slices"
	"strconv"

	"concilia/store/ledger"
)

const familyRecords = "records"

// recordRules judge one installment record by itself.
func recordRules() []Rule {
	return slices.Concat(numberRules(), memberRules())
}

// numberRules judge repeated records and the numbers of installments.
func numberRules() []Rule {
	return []Rule{
		{
			Code: "REC_DUPLICATE_ROW", Version: 1, Family: familyRecords, Subject: OnInstallment, Severity: ledger.Warning,
			Needs: []Need{Installments}, Tier: Always, Eligible: "every installment",
			Fires: "two rows of one pull are identical in every member; both are kept and count",
			Text: Sentence{
				En: "The service sent installment {installment} twice, identical in every member.",
				Pt: "O serviço enviou a parcela {installment} duas vezes, idêntica em todos os campos.",
			},
			EvaluateRow: evaluateDuplicateRow,
		},
		{
			Code: "REC_DUPLICATE_KEY", Version: 1, Family: familyRecords, Subject: OnInstallment, Severity: ledger.Error,
			Needs: []Need{Installments}, Tier: Always, Eligible: "every installment",
			Fires: "one pull holds two different rows under one key, and nothing tells two sales apart",
			Text: Sentence{
				En: "The service sent two different rows for installment {installment} of one sale: {expected} and {actual}.",
				Pt: "O serviço enviou duas linhas diferentes para a parcela {installment} da mesma venda: {expected} e {actual}.",
			},
			EvaluateRow: evaluateDuplicateKey,
		},
		{
			Code: "REC_INSTALLMENT_RANGE", Version: 1, Family: familyRecords, Subject: OnInstallment, Severity: ledger.Error,
			Needs: []Need{Installments}, Tier: Always, Eligible: "every installment",
			Fires: "the number or the count is below 1, or the number is above the count; 0 of 0 or 1 is 1 of 1",
			Text: Sentence{
				En: "Installment {number} of {count} cannot be.",
				Pt: "Parcela {number} de {count} não existe.",
			},
			EvaluateRow: func(_ *Env, r *Row, _ Tolerance) Outcome {
				k, n := r.Now.Number, r.Now.Count
				bad := (k < 1 || n < 1 || k > n) && (k != 0 || n > 1)
				if !bad {
					return Passed.Outcome()
				}
				return Outcome{Status: Fires, Numbers: []ledger.Number{NamedCount("number", k), NamedCount("count", n)}}
			},
		},
		{
			Code: "REC_INSTALLMENTS_OVER_LIMIT", Version: 1, Family: familyRecords, Subject: OnInstallment, Severity: ledger.Warning,
			Needs: []Need{Installments}, Tier: Always, Eligible: "every installment",
			Fires: "more than 12 installments, the service's first-release limit",
			Text: Sentence{
				En: "The sale has {count} installments; the service allows {limit}.",
				Pt: "A venda tem {count} parcelas; o serviço permite {limit}.",
			},
			EvaluateRow: func(_ *Env, r *Row, _ Tolerance) Outcome {
				if r.Now.Count <= maxInstallments {
					return Passed.Outcome()
				}
				return Outcome{Status: Fires, Numbers: []ledger.Number{NamedCount("count", r.Now.Count), NamedCount("limit", maxInstallments)}}
			},
		},
	}
}

// memberRules judge single members of a record.
func memberRules() []Rule {
	return []Rule{
		{
			Code: "REC_NEGATIVE_AMOUNT", Version: 1, Family: familyRecords, Subject: OnInstallment, Severity: ledger.Error,
			Needs: []Need{Installments}, Tier: Always, ByClass: true, Eligible: "live installments",
			Fires: "value, sale total, MDR, a fee or the anticipation is below zero",
			Text: Sentence{
				En: "{member} is R$ {amount}: below zero.",
				Pt: "{member} é negativo: R$ {amount}.",
			},
			EvaluateRow: evaluateNegativeAmount,
		},
		{
			Code: "REC_DATE_ORDER", Version: 1, Family: familyRecords, Subject: OnInstallment, Severity: ledger.Error,
			Needs: []Need{Installments}, Tier: Always, Eligible: "every installment",
			Fires: "the forecast or the effective date lies before the sale",
			Text: Sentence{
				En: "{member} is {date}, before the sale of {sale}.",
				Pt: "{member} é {date}, anterior à venda de {sale}.",
			},
			EvaluateRow: evaluateDateOrder,
		},
		{
			Code: "REC_CARD_NOT_MASKED", Version: 1, Family: familyRecords, Subject: OnInstallment, Severity: ledger.Error,
			Needs: []Need{Installments}, Tier: Always, Eligible: "every installment",
			Fires: "the service sent the card number with more in the clear than its first six and last four digits; it was " +
				"masked before anything was kept",
			Text: Sentence{
				En: "The service sent a card number in the clear; it is kept as {card}.",
				Pt: "O serviço enviou um número de cartão sem máscara; ele foi guardado como {card}.",
			},
			EvaluateRow: func(_ *Env, r *Row, _ Tolerance) Outcome {
				if !r.Now.CardClear {
					return Passed.Outcome()
				}
				return Outcome{Status: Fires, Numbers: []ledger.Number{NamedText("card", r.Now.Card)}}
			},
		},
	}
}

// maxInstallments is the limit of the service's first release (interface document, limits).
const maxInstallments = 12

// findDuplicates looks among the earlier rows of the number, in the same pull, for one of the same content and for one of
// another: nothing tells two sales apart.
func findDuplicates(r *Row) (same, other *Row) {
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

// evaluateDuplicateRow and evaluateDuplicateKey judge the later of two rows; one that repeats any of them is no further contradiction.
func evaluateDuplicateRow(_ *Env, r *Row, _ Tolerance) Outcome {
	if same, _ := findDuplicates(r); same == nil {
		return Passed.Outcome()
	}
	return Outcome{Status: Fires, Numbers: []ledger.Number{NamedCount("installment", r.Key.Number)}}
}

func evaluateDuplicateKey(_ *Env, r *Row, _ Tolerance) Outcome {
	same, other := findDuplicates(r)
	if same != nil || other == nil {
		return Passed.Outcome()
	}
	return Outcome{
		Status: Fires, Expected: ledger.Money(other.Gross), Actual: ledger.Money(r.Gross),
		Numbers: []ledger.Number{NamedCount("installment", r.Key.Number)},
	}
}

// evaluateNegativeAmount leaves reversals out: taking back is their business.
func evaluateNegativeAmount(_ *Env, r *Row, _ Tolerance) Outcome {
	if !r.Live() {
		return NotEligible.Outcome()
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
			return Outcome{Status: Fires, Actual: ledger.Money(m.v), Numbers: []ledger.Number{NamedText("member", m.name), NamedAmount("amount", m.v)}}
		}
	}
	return Passed.Outcome()
}

func evaluateDateOrder(_ *Env, r *Row, _ Tolerance) Outcome {
	for _, m := range [...]struct {
		name string
		d    ledger.Date
	}{{"receivedDateForeast", r.Now.Forecast}, {"receivedDateEffective", r.Now.Effective}} {
		if m.d != 0 && m.d < r.Key.Day {
			return Outcome{
				Status: Fires, Expected: ledger.Day(r.Key.Day), Actual: ledger.Day(m.d),
				Numbers: []ledger.Number{NamedText("member", m.name), NamedDate("date", m.d), NamedDate("sale", r.Key.Day)},
			}
		}
	}
	return Passed.Outcome()
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
