package proof_test

import (
	"fmt"
	"strings"

	"concilia/store/ledger"
)

// What can be wrong with fees, the contract and the order of them on cards.
func feeMutants() []mutant {
	const second = "2026-03-06" // the day E was paid on
	return []mutant{
		{
			code: "MDR_RATE_MISMATCH", says: "half a point above the contract", want: "E 0.25 E.1",
			edit: on("E", 1, with(settled(second, "49.20", "4.92"), record{"discountMdrTax": num("1.60"), "discountMdrValue": num("0.80")})),
		},
		{
			code: "MDR_RATE_MISMATCH", says: "below the contract", want: "E -0.10 E.1",
			edit: on("E", 1, with(settled(second, "49.55", "4.96"), record{"discountMdrTax": num("0.90"), "discountMdrValue": num("0.45")})),
		},
		{
			code: "MDR_CHARGED_ZERO", says: "no MDR at all", want: "W -0.55 E.1", also: []string{"MDR_RATE_MISMATCH E 0.00 E.1 by MDR_CHARGED_ZERO"},
			edit: on("E", 1, with(settled(second, "50", "5"), record{"discountMdrTax": num("0"), "discountMdrValue": num("0")})),
		},
		{
			code: "MDR_AMOUNT_MISMATCH", says: "not what its own rate says", want: "E 0.30 E.1", also: []string{"MDR_TXN_TOTAL_MISMATCH W - E"},
			edit: on("E", 1, with(settled(second, "49.15", "4.92"), record{"discountMdrValue": num("0.85")})),
		},
		{
			code: "MDR_TXN_TOTAL_MISMATCH", says: "the installments add up to more than the sale's", want: "W - A", also: []string{"MDR_AMOUNT_MISMATCH E 0.11 A.1"},
			edit: on("A", 1, with(settled(second, "97.00", "9.70"), record{"discountMdrValue": num("2.60")})),
		},
		{
			code: "MDR_RATE_INCONSISTENT", says: "one rate off by less than the contract's tolerance", want: "W - A",
			edit: on("A", 1, record{"discountMdrTax": num("2.494")}),
		},
		{
			code: "MDR_CONTRACT_MISSING", says: "a brand nobody agreed on", want: "W - month:2026-03:elo:debit:1",
			edit: on("E", 1, record{"cardName": "ELO"}),
		},
		{
			code: "TRN_FEE_MISMATCH", says: "five cents more", want: "E 0.05 A.1",
			edit: both(on("A", 1, with(settled(second, "97.06", "9.71"), record{"discountTrnRateInstalmentValue": num("0.15")})),
				across("A", record{"discountTrnRateTransactionValue": num("0.35")})),
		},
		{
			code: "ANTIFRAUD_FEE_MISMATCH", says: "five cents less", want: "E -0.05 A.1",
			edit: both(on("A", 1, with(settled(second, "97.16", "9.72"), record{"discountAntifraudRateInstalmentValue": num("0.25")})),
				across("A", record{"discountAntifraudRateTransactionValue": num("0.85")})),
		},
		{
			code: "FEE_UNEXPECTED", says: "a fee on a debit, which has none", want: "E 0.10 E.1",
			edit: on("E", 1, with(settled(second, "49.35", "4.94"), record{
				"discountTrnRateInstalmentValue": num("0.10"), "discountTrnRateTransactionValue": num("0.10"),
			})),
		},
		{
			code: "FEE_EXCEEDS_GROSS", says: "an MDR above the value", want: "E - C.1",
			also: []string{"MDR_AMOUNT_MISMATCH E 98.51 C.1", "MDR_TXN_TOTAL_MISMATCH W - C", "SPLIT_EXCEEDS_NET E - C.1"},
			edit: on("C", 1, record{"discountMdrValue": num("101"), "splits": tenth("-1.40", "-0.14")}),
		},
		{
			code: "RATE_TABLE_DRIFT", says: "a cent more on each of thirty debits than the month before, within every tolerance",
			want: "W - month:2026-03:visa:debit:1", nights: 2,
			setup: func(l *lab) { l.Accounts[0].Since = proofDay("2026-02-26") },
			edit: both(debits(days("2026-02-26", "2026-03-05"), 30, func(d ledger.Date, _ int, r record) {
				if d >= proofDay("2026-03-01") {
					r["discountMdrValue"], r["receivedValue"], r["splits"] = num("0.45"), num("39.55"), tenth("39.55", "3.96")
				}
			}), from(2, pullAgain("2026-02-26", "2026-03-10"))),
		},
		{
			code: "TOLERANCE_BUDGET_EXCEEDED", says: "a cent on each of 510 debits, every one tolerated", want: "E - month:2026-03:MDR_AMOUNT_MISMATCH",
			edit: debits(days("2026-03-05"), 510, func(_ ledger.Date, _ int, r record) {
				r["discountMdrValue"], r["receivedValue"], r["splits"] = num("0.45"), num("39.55"), tenth("39.55", "3.96")
			}),
		},
		{
			code: "PROFILE_UNCALIBRATED", says: "forty receipts short by one and the same amount: not believed, and said so",
			want: "I - rule:RECEIVED_VALUE_MISMATCH", also: shadows(40),
			edit: debits(days("2026-03-05"), 40, func(_ ledger.Date, _ int, r record) { r["receivedValue"] = num("39.46") }),
		},
	}
}

func anticipationMutants() []mutant {
	const standing = "account,order,ordered_on,pay_on,nsu,auth,installment\n1001,ALL,2026-01-01,,,,\n"
	const others = "account,order,ordered_on,pay_on,nsu,auth,installment\n1001,O-1,2026-03-05,2026-03-06,D,X,2\n"
	return []mutant{
		{
			code: "ANTICIPATION_NOT_ORDERED", says: "the order named another installment", want: "E 1.77 D.3",
			setup: func(l *lab) { l.orders(others) },
		},
		{
			code: "ANTICIPATION_WITHOUT_EARLY_DATE", says: "a cost, and no day gained", want: "E 1.00 D.2",
			also:  []string{"ANTICIPATION_AMOUNT_MISMATCH E 0.00 D.2 by ANTICIPATION_WITHOUT_EARLY_DATE"},
			setup: func(l *lab) { l.orders(standing) },
			edit: on("D", 2, with(settled("2026-03-09", "973.70", "97.37"), record{
				"discountAntecipationValue": num("1"), "discountAntecipationTax": num("1.09"),
			})),
		},
		{
			code: "ANTICIPATION_RATE_MISMATCH", says: "another rate a month", want: "E 0.33 D.3",
			edit: on("D", 3, with(settled("2026-03-06", "972.60", "97.26"), record{
				"discountAntecipationValue": num("2.10"), "discountAntecipationTax": num("1.29"),
			})),
		},
		{
			code: "ANTICIPATION_AMOUNT_MISMATCH", says: "not what its rate and days come to", want: "E 0.23 D.3",
			edit: on("D", 3, with(settled("2026-03-06", "972.70", "97.27"), record{"discountAntecipationValue": num("2")})),
		},
		{
			code: "EARLY_PAYMENT_WITHOUT_COST", says: "paid three business days early for nothing", want: "I - A.3",
			edit: on("A", 3, settled("2026-03-05", "97.11", "9.71")),
		},
		{
			code: "ANTICIPATION_ORDER_UNFILLED", says: "asked for by Friday, and on Tuesday still not paid", want: "W - order:O-2",
			setup: func(l *lab) {
				l.orders(proofOrders + "1001,O-2,2026-03-05,2026-03-06,A,X,1\n1001,O-2,2026-03-05,2026-03-06,A,X,3\n")
			},
		},
		{
			code: "ANTICIPATION_ORDER_UNFILLED", says: "asked for by Thursday, and paid on Monday when it was due", want: "W - order:O-3",
			setup: func(l *lab) { l.orders(proofOrders + "1001,O-3,2026-03-04,2026-03-05,B,X,2\n") },
		},
	}
}

// simulatorMutants are lived on the seventh day, on which the simulator is asked.
func simulatorMutants() []mutant {
	const weekly = 7
	day := proofMorning
	for int(day)%weekly != 0 {
		day++
	}
	asked := func(more func(*lab)) func(*lab) {
		return func(l *lab) {
			l.first = day
			if more != nil {
				more(l)
			}
		}
	}
	return []mutant{
		{
			code: "SIMULATOR_DRIFT", says: "six installments cost a real more of a thousand than the contract says", want: "W - option:visa:6",
			setup: asked(nil), edit: priced(func(n int, gross ledger.Amount) ledger.Amount {
				if n != 6 {
					return gross
				}
				return gross + ledger.Real
			}),
		},
		{
			code: "SIMULATOR_DRIFT", says: "without a contract, a point less than thirty installments cost", want: "W - option:visa:2",
			setup: asked(func(l *lab) { l.contract("contracts: []\n") }),
			edit: both(func(l *lab) {
				for n := range 15 {
					s := sold{nsu: fmt.Sprintf("S%02d", n), day: "2026-03-09", product: "CREDIT", count: 2, gross: "100"}
					for _, row := range s.rows(l.asOf) {
						row["transactionDate"], row["cardNumber"] = fmt.Sprintf("%sT12:%02d:00", s.day, n), fmt.Sprintf("411111******7%03d", n)
						l.cards = append(l.cards, row)
					}
				}
			}, priced(func(int, ledger.Amount) ledger.Amount { return 1015 * ledger.Real })),
		},
	}
}

// priced changes what the simulator charges.
func priced(change func(installments int, gross ledger.Amount) ledger.Amount) func(*lab) {
	return func(l *lab) { l.prices = change }
}

func recordMutants() []mutant {
	thirteen := sold{nsu: "G", day: "2026-03-09", product: "CREDIT", count: 13, gross: "100"}
	uneven := func(k int, gross, mdr, net, split string) func(*lab) {
		paid := "2026-03-06"
		if k == 2 {
			paid = "2026-03-09"
		}
		return on("B", k, with(settled(paid, net, split), record{"installmentValue": num(gross), "discountMdrValue": num(mdr)}))
	}
	return []mutant{
		{
			code: "REC_DUPLICATE_ROW", says: "one row twice", want: "W - C.1~2", also: []string{"TXN_INSTALLMENTS_EXTRA E - C"},
			edit: again("C", 1, nil),
		},
		{
			code: "REC_DUPLICATE_KEY", says: "two rows under one key", want: "E - C.1~2", also: []string{"TXN_INSTALLMENTS_EXTRA E - C"},
			edit: again("C", 1, record{"receivedType": "Pago"}),
		},
		{
			code: "REC_INSTALLMENT_RANGE", says: "the third of two", want: "E - C.3",
			also: []string{"FORECAST_DATE_MISMATCH W - C.3", "TXN_INSTALLMENTS_MISSING E - C"},
			edit: on("C", 2, record{"installmentNumber": 3}),
		},
		{
			code: "REC_INSTALLMENTS_OVER_LIMIT", says: "a sale of thirteen", want: "W - card:2026-03-09:G:X:1",
			also:  numbered("REC_INSTALLMENTS_OVER_LIMIT W - card:2026-03-09:G:X:#", 2, 13),
			setup: func(l *lab) { l.contract(strings.Replace(proofContract, "1-12", "1-13", 1)) }, edit: sell(thirteen, nil),
		},
		{
			code: "REC_NEGATIVE_AMOUNT", says: "a fee below zero", want: "E - C.1", also: []string{"ANTIFRAUD_FEE_MISMATCH E -0.60 C.1"},
			edit: both(on("C", 1, record{"discountAntifraudRateInstalmentValue": num("-0.30"), "splits": tenth("97.71", "9.77")}),
				across("C", record{"discountAntifraudRateTransactionValue": num("0")})),
		},
		{
			code: "REC_DATE_ORDER", says: "paid before it was sold", want: "E - E.1", also: []string{"EARLY_PAYMENT_WITHOUT_COST I - E.1"},
			edit: on("E", 1, record{"receivedDateEffective": "2026-03-04"}),
		},
		{
			code: "REC_CARD_NOT_MASKED", says: "a card number in the clear", want: "E - E.1",
			edit: on("E", 1, record{"cardNumber": "4111111111111111"}),
		},
		{
			code: "TXN_INSTALLMENTS_MISSING", says: "the second of three is not there", want: "E - A",
			edit: func(l *lab) { l.lose("A", 2) },
		},
		{
			code: "TXN_INSTALLMENTS_EXTRA", says: "the second of two once more, of another order", want: "E - C",
			also: []string{"REC_DUPLICATE_KEY E - C.2~2", "TXN_ATTR_CONFLICT W - C"},
			edit: again("C", 2, record{"transactionReference": "PED-Z"}),
		},
		{
			code: "TXN_COUNT_CONFLICT", says: "one says of four", want: "E - A", also: []string{"TXN_INSTALLMENTS_MISSING E - A"},
			edit: on("A", 1, record{"installmentsCount": 4}),
		},
		{
			code: "TXN_TOTAL_CONFLICT", says: "one says another total", want: "E - A",
			edit: on("A", 1, record{"transactionTotalValue": num("310")}),
		},
		{
			code: "TXN_TOTAL_MISMATCH", says: "ten more than the installments", want: "E - A", also: []string{"MDR_TXN_TOTAL_MISMATCH W - A"},
			edit: across("A", record{"transactionTotalValue": num("310")}),
		},
		{
			code: "TXN_TOTAL_MISMATCH", says: "half a cent more", want: "I - A",
			edit: across("A", record{"transactionTotalValue": num("300.005")}),
		},
		{
			code: "TXN_INSTALLMENT_UNEVEN", says: "99 and 101", want: "W - B",
			edit: both(uneven(1, "99", "2.47", "96.13", "9.61"), uneven(2, "101", "2.51", "98.09", "9.81")),
		},
		{
			code: "TXN_ATTR_CONFLICT", says: "one at another terminal", want: "W - A", edit: on("A", 1, record{"terminal": "T2"}),
		},
		{
			code: "TXN_TRN_FEE_ALLOCATION_MISMATCH", says: "the sale's fee is not its installments'", want: "W - A",
			edit: across("A", record{"discountTrnRateTransactionValue": num("0.40")}),
		},
		{
			code: "TXN_ANTIFRAUD_FEE_ALLOCATION_MISMATCH", says: "the sale's fee is not its installments'", want: "W - A",
			edit: across("A", record{"discountAntifraudRateTransactionValue": num("1")}),
		},
		{
			code: "TXN_POSSIBLE_DOUBLE_CHARGE", says: "the same card, terminal and total two minutes later", want: "I - sale:2026-03-05:G:X",
			edit: sell(sold{nsu: "G", day: "2026-03-05", product: "DEBIT", count: 1, gross: "50"}, func(r record) {
				r["transactionDate"], r["cardNumber"] = "2026-03-05T19:02:00", "411111******0069"
			}),
		},
	}
}
