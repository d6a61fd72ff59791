package proof_test

import "concilia/store/ledger"

// What can be wrong with slips: with what was paid, with dates, and with what lists and numbers say.
func slipMutants() []mutant {
	unpaidList := record{"statusBill": num("2")}
	return []mutant{
		{code: "SLIP_PAID_INCOMPLETE", says: "paid, nobody knows how much", want: "E 150.00 ontime", edit: slip("ontime", record{"effectivePaymentValue": nil})},
		{
			code: "SLIP_PAYMENT_WITHOUT_STATUS", says: "paid, and said to be issued", want: "E - ontime", also: []string{"SLIP_PAYMENT_LIST_NOT_PAID E - ontime"},
			edit: slip("ontime", unpaidList),
		},
		{code: "SLIP_SHORT_PAID", says: "one real short, in time: a discount?", want: "W 1.00 ontime", edit: slip("ontime", record{"effectivePaymentValue": num("149")})},
		{code: "SLIP_SHORT_PAID", says: "a third short", want: "E 50.00 ontime", edit: slip("ontime", record{"effectivePaymentValue": num("100")})},
		{code: "SLIP_OVERPAID", says: "one real over", want: "W -1.00 ontime", edit: slip("ontime", record{"effectivePaymentValue": num("151")})},
		{code: "SLIP_PAYMENT_COMPOSITION_MISMATCH", says: "less than value and charges", want: "E 0.61 late", edit: slip("late", record{"effectivePaymentValue": num("326")})},
		{
			code: "SLIP_LATE_PENALTY_MISMATCH", says: "one real of penalty less", want: "E 1.00 late",
			edit: slip("late", record{"overduePenaltyReceived": num("5.40"), "effectivePaymentValue": num("325.61")}),
		},
		{
			code: "SLIP_LATE_INTEREST_MISMATCH", says: "ten cents of interest less", want: "E 0.10 late",
			edit: slip("late", record{"overdueInterestReceived": num("0.11"), "effectivePaymentValue": num("326.51")}),
		},
		{
			code: "SLIP_CHARGE_NOT_DUE", says: "a penalty, though it was paid in time", want: "W -3.00 ontime",
			edit: slip("ontime", record{"overduePenaltyReceived": num("3"), "effectivePaymentValue": num("153")}),
		},
		{code: "SLIP_PAID_NOT_ALLOWED", says: "late, where late is not allowed", want: "E - late", edit: slip("late", record{"overduePaymentAllow": false})},
		{
			code: "SLIP_CANCELLED_BUT_PAID", says: "cancelled, and paid", want: "E -150.00 ontime",
			edit: slip("ontime", record{"cancelDate": "2026-03-06", "cancellationReason": "x"}),
		},
		{
			code: "SLIP_CANCEL_INCOMPLETE", says: "cancelled without a reason", want: "I - ontime", also: []string{"SLIP_CANCELLED_BUT_PAID E -150.00 ontime"},
			edit: slip("ontime", record{"cancelDate": "2026-03-06"}),
		},
		{
			code: "SLIP_STATUS_REGRESSION", says: "paid on one morning, issued on the next", want: "E - ontime", nights: 2,
			also: []string{"SLIP_PAYMENT_LIST_NOT_PAID E - ontime", "SLIP_PAYMENT_WITHOUT_STATUS E - ontime"}, edit: from(2, slip("ontime", unpaidList)),
		},
		{code: "SLIP_CREDIT_OVERDUE", says: "should have been credited yesterday", want: "W 0.00 fresh pending", nights: 2, edit: slip("fresh", record{"effectiveCreditDate": nil})},
		{code: "SLIP_CREDIT_OVERDUE", says: "two business days late", want: "W 70.00 fresh", nights: 3, edit: slip("fresh", record{"effectiveCreditDate": nil})},
		{code: "SLIP_CREDIT_OVERDUE", says: "four business days late", want: "E 70.00 fresh", nights: 5, edit: slip("fresh", record{"effectiveCreditDate": nil})},
		{code: "SLIP_CREDIT_BEFORE_PAYMENT", says: "credited the day before", want: "E - ontime", edit: slip("ontime", record{"effectiveCreditDate": "2026-03-04"})},
		{code: "SLIP_CREDIT_NON_BUSINESS_DAY", says: "credited on a Sunday", want: "W - late", edit: slip("late", record{"effectiveCreditDate": "2026-03-08"})},
		{code: "SLIP_STATUS_LAG", says: "overdue, and not said to be", want: "I - overdue", edit: slip("overdue", unpaidList)},
		{
			code: "SLIP_INTEGRATION_STUCK", says: "six business days in process", want: "E 80.00 open",
			edit: slip("open", record{"statusBill": num("1"), "statusIntegration": num("1")}),
		},
		{
			code: "SLIP_INTEGRATION_STUCK", says: "two business days in process", want: "W 80.00 open",
			edit: slip("open", record{"statusBill": num("1"), "statusIntegration": num("1"), "issueDate": "2026-03-06"}),
		},
		{code: "SLIP_INTEGRATION_FAILED", says: "rejected", want: "E 80.00 open", edit: slip("open", record{"statusIntegration": num("9")})},
		{code: "SLIP_CODE_INVALID", says: "a wrong check digit", want: "E - open", edit: slip("open", record{"barCode": "00191" + barCode(factorOf("2026-03-12"), 8000)[5:]})},
		{code: "SLIP_CODE_AMOUNT_MISMATCH", says: "a code of one real more", want: "E - open", edit: slip("open", record{"barCode": barCode(factorOf("2026-03-12"), 8100)})},
		{code: "SLIP_CODE_AMOUNT_MISMATCH", says: "a code that leaves the amount open", want: "I - open", edit: slip("open", record{"barCode": barCode(factorOf("2026-03-12"), 0)})},
		{code: "SLIP_CODE_DUE_MISMATCH", says: "a code due on another day", want: "W - open", edit: slip("open", record{"barCode": barCode(factorOf("2026-03-13"), 8000)})},
		{code: "SLIP_DOCUMENT_INVALID", says: "a CPF with a wrong digit", want: "W - open", edit: slip("open", record{"payerDocument": "52998224726"})},
		{code: "SLIP_DOCUMENT_INVALID", says: "a CNPJ with letters", want: "I - open", edit: slip("open", record{"payerDocument": "12ABC34501DE35"})},
	}
}

func slipListMutants() []mutant {
	return []mutant{
		{
			code: "SLIP_DUPLICATE_ID", says: "one list shows it twice, of two values", want: "E - open",
			edit: answering(ledger.SlipsDue, "2026-03-12", func(l *lab, rows []record) []record {
				return append([]record{with(l.slip("open").view(ledger.SlipsDue), record{"value": num("81")})}, rows...)
			}),
		},
		{
			code: "SLIP_OUT_OF_WINDOW", says: "shown with another day's", want: "W - open",
			edit: answering(ledger.SlipsDue, "2026-03-05", func(l *lab, rows []record) []record {
				return append(rows, l.slip("open").view(ledger.SlipsDue))
			}),
		},
		{
			code: "SLIP_PAYMENT_LIST_NOT_PAID", says: "the list of paid slips says issued", want: "E - ontime",
			also: []string{"SLIP_DETAIL_CONFLICT E - ontime", "SLIP_LIST_FIELD_CONFLICT E - ontime", "SLIP_PAYMENT_WITHOUT_STATUS E - ontime"},
			edit: listed("ontime", ledger.SlipsPayment, record{"statusBill": num("2")}),
		},
		{
			code: "SLIP_LIST_FIELD_CONFLICT", says: "another payer in the list by due date", want: "E - ontime", also: []string{"SLIP_DETAIL_CONFLICT E - ontime"},
			edit: listed("ontime", ledger.SlipsDue, record{"payerName": "Bia"}),
		},
		{
			code: "SLIP_LIST_FIELD_CONFLICT", says: "another value in the list by due date, which answered last", want: "E - ontime",
			also: []string{"SLIP_DETAIL_CONFLICT E - ontime", "SLIP_SHORT_PAID W 1.00 ontime"},
			edit: listed("ontime", ledger.SlipsDue, record{"value": num("151")}),
		},
		{
			code: "SLIP_DETAIL_CONFLICT", says: "asked for, because one list lacks it, the detail names another value", want: "E - ontime",
			also: []string{"SLIP_MISSING_IN_DUE_LIST E - ontime"},
			edit: both(hide("ontime", ledger.SlipsDue), listed("ontime", ledger.SlipDetail, record{"payerName": "Bia"})),
		},
		{
			code: "SLIP_DETAIL_UNAVAILABLE", says: "asked for, because one list lacks it, the detail does not succeed", want: "W - ontime",
			also: []string{"SLIP_MISSING_IN_DUE_LIST E - ontime"},
			edit: both(hide("ontime", ledger.SlipsDue), answering(ledger.SlipDetail, "", func(*lab, []record) []record {
				return []record{{"success": false, "message": "not now"}}
			})),
		},
		{code: "SLIP_MISSING_IN_DUE_LIST", says: "the list by due date lacks it", want: "E - ontime", edit: hide("ontime", ledger.SlipsDue)},
		{code: "SLIP_MISSING_IN_PAYMENT_LIST", says: "the list by payment date lacks it", want: "E - ontime", edit: hide("ontime", ledger.SlipsPayment)},
		{code: "SLIP_MISSING_IN_CREDIT_LIST", says: "the list by credit date lacks it", want: "E - ontime", edit: hide("ontime", ledger.SlipsCredit)},
	}
}
