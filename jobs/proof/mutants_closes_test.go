package proof_test

import (
	"concilia/export/report"
	"concilia/store/ledger"
)

// What can change in a month after a person closed it: March is closed between two mornings of April, and its days are
// asked for again.
func closeMutants() []mutant {
	const code = "SRC_CHANGED_AFTER_CLOSE"
	asked := func(l *lab) {
		p := ledger.Period{From: l.Accounts[0].Since, To: march.To}
		if _, err := l.PullRange(l.t.Context(), p, append(ledger.SlipLists(), ledger.Cards)); err != nil {
			l.t.Fatal(err)
		}
	}
	after := func(basis report.Basis, edit func(*lab)) func(*lab) {
		return from(2, both(func(l *lab) { l.closes(basis) }, edit, asked))
	}
	// All slips of the world were issued on March 2.
	whole := func(l *lab) {
		l.inApril()
		l.Accounts[0].Since = march.From
	}
	return []mutant{
		{
			code: code, says: "by operation: a sale that comes in late", want: "W - card:2026-03-06:G:X:1", nights: 2, setup: (*lab).inApril,
			edit: after(report.ByOperation, sell(sold{nsu: "G", day: "2026-03-06", product: "DEBIT", count: 1, gross: "50"}, nil)),
		},
		{
			code: code, says: "by operation: a cent of MDR more", want: "W - E.1", nights: 2, setup: (*lab).inApril,
			also: []string{"SRC_RESTATED E - E.1"},
			edit: after(report.ByOperation, on("E", 1, record{"discountMdrValue": num("0.56")})),
		},
		{
			code: code, says: "by operation: a sale that is cancelled", want: "W - E.1", nights: 2, setup: (*lab).inApril,
			also: []string{"CANCELLED_BUT_RECEIVED E -49.45 E.1"},
			edit: after(report.ByOperation, on("E", 1, record{"installmentStatus": "Canceled"})),
		},
		{
			code: code, says: "by operation: a debit that is not there any more", want: "W - E.1", nights: 2, setup: (*lab).inApril,
			also: []string{"SRC_VANISHED E - E.1"},
			edit: after(report.ByOperation, func(l *lab) { l.lose("E", 1) }),
		},
		{
			code: code, says: "by operation: a slip of another value", want: "W - open", nights: 2, setup: whole,
			also: []string{"SRC_RESTATED W - open"},
			edit: after(report.ByOperation, slip("open", record{"value": num("81")})),
		},
		{
			code: code, says: "by credit: a receipt that went back", want: "W - E.1", nights: 2, setup: (*lab).inApril,
			also: []string{"RECEIVED_REVERSED E 49.45 E.1"},
			edit: after(report.ByCredit, on("E", 1, unpaid)),
		},
		{
			code: code, says: "by credit: a receipt of another day", want: "W - E.1", nights: 2, setup: (*lab).inApril,
			also: []string{"RECEIVED_LATE W - E.1", "SRC_RESTATED E - E.1"},
			edit: after(report.ByCredit, on("E", 1, record{"receivedDateEffective": "2026-03-10"})),
		},
		{
			code: code, says: "by credit: a slip that was credited another day", want: "W - fresh", nights: 2, setup: (*lab).inApril,
			edit: after(report.ByCredit, slip("fresh", record{"effectiveCreditDate": "2026-03-11"})),
		},
	}
}
