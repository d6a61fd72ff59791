package proof_test

import (
	"fmt"
	"time"

	"concilia/store/ledger"
)

// The clean world of the proofs: every kind of row there is, right to the cent under the documents below, on days
// without holidays. Its first morning is a Tuesday; what falls due on a day is paid on it and seen from the next morning.
const (
	proofBeneficiary = "12345678000195"
	proofOther       = "52998224725"
)

var proofMorning = ledger.NewDate(2026, time.March, 10)

const proofContract = `contracts:
  - account: 1001
    valid_from: 2024-01-01
    fee_basis: installment
    rates:
      - {brand: visa, product: credit, installments: 1-12, mdr: 2.49, transaction_fee: 0.10, antifraud_fee: 0.30, anticipation: 1.09}
      - {brand: visa, product: debit, installments: 1, mdr: 1.10}
    settlement: {credit: D+2, debit: D+1 bd}
    slip: {tariff: 2.50, credit: D+1 bd}
    splits: [{beneficiary: "12345678000195", pct: 10}]
`

const (
	proofRegister = "document,name,valid_from,valid_to\n12345678000195,A,,\n"
	proofOrders   = "account,order,ordered_on,pay_on,nsu,auth,installment\n1001,O-1,2026-03-05,2026-03-06,D,X,3\n"
)

// sold is a sale of so many installments of one value, each due as the contract says.
type sold struct {
	nsu, day, product string
	count             int
	gross             string
	status            string         // of every row; empty: paid once due
	early             map[int]string // installments paid before their time, when
}

// proofSales: A is paid but for its last installment, which falls due this morning; B is paid; C is open; D has an
// anticipated installment; E is a debit; F was cancelled before anything was paid.
var proofSales = []sold{
	{nsu: "A", day: "2026-03-04", product: "CREDIT", count: 3, gross: "100"},
	{nsu: "B", day: "2026-03-04", product: "CREDIT", count: 2, gross: "100"},
	{nsu: "C", day: "2026-03-09", product: "CREDIT", count: 2, gross: "100"},
	{nsu: "D", day: "2026-03-05", product: "CREDIT", count: 3, gross: "1000", early: map[int]string{3: "2026-03-06"}},
	{nsu: "E", day: "2026-03-05", product: "DEBIT", count: 1, gross: "50"},
	{nsu: "F", day: "2026-03-06", product: "CREDIT", count: 2, gross: "100", status: "Canceled"},
}

func proofDay(s string) ledger.Date {
	d, err := ledger.ParseDate(s)
	if err != nil {
		panic(err)
	}
	return d
}

func proofAmount(s string) ledger.Amount {
	a, err := ledger.ParseAmount(s)
	if err != nil {
		panic(err)
	}
	return a
}

// share is a percentage of an amount in cents.
func share(of ledger.Amount, pct string) ledger.Amount {
	r, err := ledger.ParseRate(pct)
	if err != nil {
		panic(err)
	}
	a, err := r.ShareOf(of, ledger.Percent, ledger.HalfAwayFromZero)
	if err != nil {
		panic(err)
	}
	return a
}

// workday is a day, or the Monday after it.
func workday(d ledger.Date) ledger.Date {
	for d.Weekday() == time.Saturday || d.Weekday() == time.Sunday {
		d++
	}
	return d
}

// rows are the installments of a sale as of a morning.
func (s sold) rows(asOf ledger.Date) []record {
	day, gross := proofDay(s.day), proofAmount(s.gross)
	money := func(a ledger.Amount) any { return num(a.String()) }
	credit := s.product == "CREDIT"
	var all []record
	for k := 1; k <= s.count; k++ {
		mdrRate, fee, antifraud, due := "1.10", ledger.Amount(0), ledger.Amount(0), workday(day+1)
		if credit {
			mdrRate, fee, antifraud, due = "2.49", 10*ledger.Cent, 30*ledger.Cent, workday(day+ledger.Date(2*k))
		}
		mdr := share(gross, mdrRate)
		row := record{
			"transactionDate": fmt.Sprintf("%sT1%d:00:00", s.day, s.nsu[0]%10), "terminal": "T1", "cardNumber": fmt.Sprintf("411111******%04d", s.nsu[0]),
			"cardType": s.product, "cardName": "VISA", "codAuth": "X", "nsu": s.nsu, "installmentNumber": k, "installmentsCount": s.count,
			"installmentValue": money(gross), "transactionTotalValue": money(gross * ledger.Amount(s.count)), "installmentStatus": "Authorized",
			"discountMdrValue": money(mdr), "discountMdrTax": num(mdrRate),
			"discountTrnRateInstalmentValue": money(fee), "discountTrnRateTransactionValue": money(fee * ledger.Amount(s.count)),
			"discountAntifraudRateInstalmentValue": money(antifraud), "discountAntifraudRateTransactionValue": money(antifraud * ledger.Amount(s.count)),
			"discountAntecipationValue": num("0"), "discountAntecipationTax": num("0"), "receivedValue": num("0"), "receivedDateForeast": due.String(),
			"receivedDateEffective": nil, "receivedType": "Normal", "receivedStatus": "Pending", "transactionReference": "PED-" + s.nsu,
		}
		net := gross - mdr - fee - antifraud
		paid := due
		if early := s.early[k]; early != "" {
			paid = proofDay(early)
			cost, _ := (gross - mdr).MulDiv(109*int64(due-paid), 10_000*30, ledger.HalfAwayFromZero)
			net -= cost
			row["discountAntecipationValue"], row["discountAntecipationTax"], row["receivedType"] = money(cost), num("1.09"), "Antecipado"
		}
		switch {
		case s.status != "":
			row["installmentStatus"], row["receivedStatus"] = s.status, ""
		case paid < asOf:
			row["installmentStatus"], row["receivedStatus"] = "Paid", "Paid"
			row["receivedDateEffective"], row["receivedValue"] = paid.String(), money(net)
		}
		if s.status == "" {
			row["splits"] = []record{{
				"beneficiario": proofBeneficiary, "tipoSplit": "P", "pctSplit": num("10"), "valorBaseSplit": money(net), "valorSplit": money(share(net, "10")),
			}}
		}
		all = append(all, row)
	}
	return all
}

// proofSlips: in time and credited, late with its charges, open, overdue, and paid the day before the first morning.
func proofSlips(asOf ledger.Date) []*paper {
	slip := func(id, value, due, paid, wp string, more record) *paper {
		p := &paper{says: map[ledger.Source]record{}, hidden: map[ledger.Source]bool{}, record: record{
			"id": id, "value": num(value), "issueDate": "2026-03-02", "dueDate": due, "payerDocument": proofOther, "payerName": "Ana",
			"statusBill": num("2"), "statusIntegration": num("2"), "overduePaymentAllow": true, "overduePaymentPenalty": num("2"),
			"overduePaymentInterest": num("1"), "overduePenaltyReceived": num("0"), "overdueInterestReceived": num("0"), "referenceCode": "R-" + id,
		}}
		for member, v := range more {
			p.record[member] = v
		}
		if paid != "" && proofDay(paid) < asOf {
			p.record["statusBill"], p.record["effectivePaymentDate"], p.record["effectivePaymentValue"] = num("3"), paid, num(wp)
			if credited := workday(proofDay(paid) + 1); credited < asOf {
				p.record["effectiveCreditDate"] = credited.String()
			}
		} else if proofDay(due) < asOf {
			p.record["statusBill"] = num("9")
		}
		return p
	}
	return []*paper{
		slip("ontime", "150", "2026-03-05", "2026-03-05", "150", nil),
		slip("late", "320", "2026-03-04", "2026-03-06", "326.61", record{"overduePenaltyReceived": num("6.40"), "overdueInterestReceived": num("0.21")}),
		slip("open", "80", "2026-03-12", "", "", nil),
		slip("overdue", "90", "2026-03-06", "", "", nil),
		slip("fresh", "70", "2026-03-09", "2026-03-09", "70", nil),
	}
}

// lay puts the clean world of a morning on the counter.
func (c *counter) lay(asOf ledger.Date) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cards = nil
	for _, s := range proofSales {
		c.cards = append(c.cards, s.rows(asOf)...)
	}
	c.slips, c.answers, c.fails, c.prices, c.skew = proofSlips(asOf), nil, nil, nil, 0
}
