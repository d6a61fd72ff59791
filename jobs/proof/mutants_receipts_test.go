package proof_test

import "strings"

// What can be wrong with what was received, when, and what is said of it.
func receiptMutants() []mutant {
	return []mutant{
		{
			code: "RECEIVED_VALUE_MISMATCH", says: "ten cents short", want: "E 0.10 A.1", edit: on("A", 1, record{"receivedValue": num("97.01")}),
		},
		{
			code: "RECEIVED_VALUE_MISMATCH", says: "twenty cents over", want: "E -0.20 A.1", edit: on("A", 1, record{"receivedValue": num("97.31")}),
		},
		{
			code: "RECEIVED_VALUE_MISMATCH", says: "two cents short, and that seen on the second morning only", want: "E 0.02 A.3", nights: 2,
			edit: from(2, on("A", 3, record{"receivedValue": num("97.09")})),
		},
		{code: "RECEIVED_OVERDUE", says: "due yesterday: waits for its grace", want: "E 0.00 A.2 pending", edit: on("A", 2, unpaid)},
		{code: "RECEIVED_OVERDUE", says: "due two days ago", want: "E 97.11 A.2", nights: 2, edit: on("A", 2, unpaid)},
		{
			code: "RECEIVED_LATE", says: "a business day after its forecast", want: "W - A.1", edit: on("A", 1, record{"receivedDateEffective": "2026-03-09"}),
		},
		{
			code: "RECEIVED_PARTIAL", says: "half of it, still within the grace", want: "W 47.11 A.2",
			also: []string{"RECEIVED_VALUE_MISMATCH E 0.00 A.2 by RECEIVED_PARTIAL", "RECEIVED_VALUE_WITHOUT_DATE E - A.2"},
			edit: on("A", 2, with(unpaid, record{"receivedValue": num("50")})),
		},
		{
			code: "RECEIVED_PARTIAL", says: "half of it, past the grace", want: "E 47.11 A.2", nights: 2,
			also: []string{"RECEIVED_VALUE_MISMATCH E 0.00 A.2 by RECEIVED_PARTIAL", "RECEIVED_VALUE_WITHOUT_DATE E - A.2"},
			edit: on("A", 2, with(unpaid, record{"receivedValue": num("50")})),
		},
		{
			code: "RECEIVED_DATE_WITHOUT_VALUE", says: "paid nothing", want: "E 97.11 A.1",
			also: []string{"RECEIVED_VALUE_MISMATCH E 0.00 A.1 by RECEIVED_DATE_WITHOUT_VALUE"}, edit: on("A", 1, record{"receivedValue": num("0")}),
		},
		{code: "RECEIVED_VALUE_WITHOUT_DATE", says: "paid, nobody knows when", want: "E - A.1", edit: on("A", 1, record{"receivedDateEffective": nil})},
		{code: "RECEIVED_IN_FUTURE", says: "paid on Friday, told on Tuesday", want: "E - C.2", edit: on("C", 2, settled("2026-03-13", "97.11", "9.71"))},
		{code: "RECEIVED_NON_BUSINESS_DAY", says: "paid on a Sunday", want: "W - D.1", edit: on("D", 1, record{"receivedDateEffective": "2026-03-08"})},
		{code: "RECEIVED_REVERSED", says: "taken back on the second morning", want: "E 97.11 A.1", nights: 2, edit: from(2, on("A", 1, unpaid))},
		{
			code: "RECEIVED_NEGATIVE", says: "minus five", want: "E 102.11 A.1", also: []string{"RECEIVED_VALUE_MISMATCH E 0.00 A.1 by RECEIVED_NEGATIVE"},
			edit: on("A", 1, record{"receivedValue": num("-5")}),
		},
		{code: "FORECAST_MISSING", says: "no forecast", want: "W - C.1", edit: on("C", 1, record{"receivedDateForeast": nil})},
		{code: "FORECAST_DATE_MISMATCH", says: "a business day after the contract's", want: "W - C.2", edit: on("C", 2, record{"receivedDateForeast": "2026-03-16"})},
		{code: "FORECAST_DATE_MISMATCH", says: "three business days after it", want: "E - C.2", edit: on("C", 2, record{"receivedDateForeast": "2026-03-18"})},
		{
			code: "FORECAST_MOVED", says: "a business day later since this morning", want: "W - C.2", also: []string{"FORECAST_DATE_MISMATCH W - C.2"}, nights: 2,
			edit: from(2, on("C", 2, record{"receivedDateForeast": "2026-03-16"})),
		},
		{
			code: "FORECAST_MOVED", says: "later, and later again", want: "E - C.2", also: []string{"FORECAST_DATE_MISMATCH E - C.2"}, nights: 3,
			edit: both(from(2, on("C", 2, record{"receivedDateForeast": "2026-03-16"})), from(3, on("C", 2, record{"receivedDateForeast": "2026-03-17"}))),
		},
		{code: "FORECAST_NON_BUSINESS_DAY", says: "forecast for a Saturday", want: "I - D.1", edit: on("D", 1, record{"receivedDateForeast": "2026-03-07"})},
		{code: "STATUS_FIELD_CONFLICT", says: "paid in full, and said to be pending", want: "E - A.1", edit: on("A", 1, record{"receivedStatus": "Pending"})},
		{
			code: "STATUS_REGRESSION", says: "cancelled on one morning, open on the next", want: "E - F.2", nights: 2,
			also: []string{"RECEIVED_OVERDUE E 0.00 F.2 pending"}, edit: from(2, on("F", 2, with(unpaid, record{"splits": tenth("97.11", "9.71")}))),
		},
		{code: "CANCELLED_STILL_FORECAST", says: "cancelled, and still to be paid", want: "W - F.2", edit: on("F", 2, record{"receivedStatus": "Pending"})},
		{
			code: "CANCELLED_BUT_RECEIVED", says: "cancelled, and paid", want: "E -97.11 F.1",
			edit: on("F", 1, record{"receivedValue": num("97.11"), "receivedDateEffective": "2026-03-09"}),
		},
		{
			code: "CANCELLED_BUT_RECEIVED", says: "paid on one morning, cancelled on the next", want: "E -97.11 A.1", nights: 2,
			edit: from(2, on("A", 1, record{"installmentStatus": "Canceled", "receivedStatus": ""})),
		},
		{
			code: "BLOCKED_AGEING", says: "blocked for more than ten business days", want: "W 97.11 C.2", nights: 2,
			edit: on("C", 2, with(unpaid, record{"installmentStatus": "Blocked"})), setup: func(l *lab) { l.jump = 16 },
		},
	}
}

func splitMutants() []mutant {
	of := func(all ...[5]string) func(*lab) { return on("E", 1, record{"splits": shares(all...)}) }
	one := [5]string{proofBeneficiary, "P", "10", "49.45", "4.95"}
	// whole makes a world of which every cent is split.
	whole := func(l *lab) {
		l.Inputs.Profile.Split.Coverage = "whole"
		l.contract(strings.Replace(proofContract, "pct: 10", "pct: 100", 1))
	}
	all := func(l *lab) {
		for _, r := range l.cards {
			if s, ok := r["splits"].([]record); ok {
				s[0]["pctSplit"], s[0]["valorSplit"] = num("100"), s[0]["valorBaseSplit"]
			}
		}
	}
	return []mutant{
		{code: "SPLIT_MISSING", says: "none", want: "E -4.95 E.1::1", edit: of()},
		{
			code: "SPLIT_CONTRACT_PCT_MISMATCH", says: "twelve percent, correctly worked out", want: "E 0.98 E.1:P:1",
			edit: of([5]string{proofBeneficiary, "P", "12", "49.45", "5.93"}),
		},
		{code: "SPLIT_AMOUNT_MISMATCH", says: "five cents more than its percentage", want: "E 0.05 E.1:P:1", edit: of([5]string{proofBeneficiary, "P", "10", "49.45", "5.00"})},
		{code: "SPLIT_BASE_MISMATCH", says: "of the value instead of the net", want: "E 0.05 E.1:P:1", edit: of([5]string{proofBeneficiary, "P", "10", "50", "5.00"})},
		{
			code: "SPLIT_BENEFICIARY_UNKNOWN", says: "a beneficiary nobody knows", want: "W - E.1:other:P:1", also: []string{"SPLIT_CONTRACT_PCT_MISMATCH E 0.99 E.1:other:P:1"},
			edit: of(one, [5]string{proofOther, "P", "2", "49.45", "0.99"}),
		},
		{
			code: "SPLIT_BASE_INCONSISTENT", says: "two splits of two bases, half a cent apart", want: "W - E.1",
			edit: of(one, [5]string{proofBeneficiary, "Q", "10", "49.455", "4.95"}),
		},
		{
			code: "SPLIT_SUM_MISMATCH", says: "everything should be split, and is not", want: "E - E.1", also: []string{"SPLIT_AMOUNT_MISMATCH E -0.45 E.1:P:1"},
			setup: whole, edit: both(all, of([5]string{proofBeneficiary, "P", "100", "49.45", "49"})),
		},
		{
			code: "SPLIT_PCT_SUM", says: "more than a hundred percent", want: "E - E.1", also: []string{"SPLIT_CONTRACT_PCT_MISMATCH E 42.03 E.1:Q:1", "SPLIT_EXCEEDS_NET E - E.1"},
			edit: of(one, [5]string{proofBeneficiary, "Q", "95", "49.45", "46.98"}),
		},
		{
			code: "SPLIT_PCT_SUM", says: "everything should be split, and the percentages are less", want: "W - E.1",
			also:  []string{"SPLIT_CONTRACT_PCT_MISMATCH E -0.49 E.1:P:1", "SPLIT_SUM_MISMATCH E - E.1"},
			setup: whole, edit: both(all, of([5]string{proofBeneficiary, "P", "99", "49.45", "48.96"})),
		},
		{
			code: "SPLIT_EXCEEDS_NET", says: "more than there is", want: "E - E.1", also: []string{"SPLIT_AMOUNT_MISMATCH E 55.05 E.1:P:1"},
			edit: of([5]string{proofBeneficiary, "P", "10", "49.45", "60"}),
		},
		{code: "SPLIT_DUPLICATE_BENEFICIARY", says: "one beneficiary twice", want: "W - E.1", edit: of(one, one)},
		{
			code: "SPLIT_UNEVEN_ACROSS_INSTALLMENTS", says: "another percentage on one installment", want: "W - A", also: []string{"SPLIT_CONTRACT_PCT_MISMATCH E 1.94 A.1:P:1"},
			edit: on("A", 1, record{"splits": shares([5]string{proofBeneficiary, "P", "12", "97.11", "11.65"})}),
		},
		{
			code: "SPLIT_CHANGED_AFTER_RECEIPT", says: "another kind of split since this morning", want: "E - E.1", nights: 2,
			edit: from(2, of([5]string{proofBeneficiary, "R", "10", "49.45", "4.95"})),
		},
	}
}
