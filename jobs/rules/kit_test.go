package rules_test

import (
	"testing"
	"time"

	"concilia/jobs/agreements"
	"concilia/jobs/calendar"
	"concilia/jobs/rules"
	"concilia/jobs/rules/catalogue"
	"concilia/store/ledger"
	"concilia/store/ledger/ledgertest"
)

// The short names of values in these tests.
var (
	day   = ledgertest.Date
	reais = ledgertest.Reais
)

const contractText = `contracts:
  - account: 1001
    valid_from: 2024-01-01
    rates:
      - {brand: visa, product: credit, installments: 2-6, mdr: 2.49, transaction_fee: 0.10, antifraud_fee: 0.30, anticipation: 1.09}
    settlement: {credit: D+30}
    slip: {tariff: 2.50, credit: D+1 bd, discount: {pct: 5, until_days: 3}}
    splits: [{beneficiary: "12345678000195", pct: 10}]
    cdi_year_pct: 14.9
`

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func some(s string) ledger.Opt[ledger.Amount] { return ledger.Some(reais(s)) }

func pct(s string) ledger.Opt[ledger.Rate] { return ledger.Some(must(ledger.ParseRate(s))) }

// world is what a test changes of the documents and dates.
type world struct {
	asOf     string
	contract string
	change   func(*rules.Options)
}

func (w world) env(t testing.TB) *rules.Env {
	t.Helper()
	if w.asOf == "" {
		w.asOf = "2024-11-01"
	}
	contracts := agreements.NoContracts()
	if w.contract == "" {
		w.contract = contractText
	}
	if w.contract != "none" {
		contracts = must(agreements.ParseContracts("contract.yaml", []byte(w.contract)))
	}
	o := rules.Options{
		Account: 1001, Run: "now", AsOf: day(w.asOf), Contracts: contracts, Mapping: agreements.DefaultMapping(), Profile: agreements.DefaultProfile(),
		Calendar: must(calendar.New(calendar.Options{})), SeenOn: func(ledger.Source, ledger.Date) ledger.Date { return day(w.asOf) },
		PullsOf: func(ledger.Source, ledger.Date) int { return 2 },
	}
	if w.change != nil {
		w.change(&o)
	}
	return must(rules.NewEnv(catalogue.All(), o))
}

// rows is a clean sale of 2024-10-21: 300.00 in three, nothing paid yet, 10 % split to the agreed beneficiary.
func rows() []ledger.InstallmentHistory {
	var all []ledger.InstallmentHistory
	for k, df := range []string{"2024-11-21", "2024-12-20", "2025-01-20"} {
		i := ledger.Installment{
			Account: 1001, SoldAt: must(ledger.ParseLocalTime("2024-10-21T10:00:00", time.UTC)), Terminal: "T1", Card: "411111******1111",
			CardType: "CREDIT", CardName: "VISA", Auth: "A1", NSU: "77", Number: k + 1, Count: 3, Gross: reais("100"), SaleTotal: some("300"),
			Status: "Autorizada", MDR: some("2.49"), MDRRate: pct("2.49"), Fee: some("0.10"), SaleFee: some("0.30"), Antifraud: some("0.30"),
			SaleAntifraud: some("0.90"), Anticipation: some("0"), AnticipationRate: pct("0"), Forecast: day(df), Occurrence: 1,
			Splits: []ledger.Split{{Beneficiary: "12345678000195", Type: "P", Pct: pct("10"), Base: some("97.11"), Value: some("9.71")}},
		}
		all = append(all, ledger.InstallmentHistory{{Installment: i, Version: 1, LastPull: "p1", PulledOn: day("2024-10-22")}})
	}
	return all
}

// paid settles a row on its forecast date, or on another.
func paid(h ledger.InstallmentHistory, on, value string) {
	i := h.Current()
	i.Effective, i.Received, i.ReceivedStatus, i.PulledOn = i.Forecast, some(value), "Pago", day("2026-01-01")
	if on != "" {
		i.Effective = day(on)
	}
}

// then adds a version.
func then(h ledger.InstallmentHistory, change func(*ledger.InstallmentVersion)) ledger.InstallmentHistory {
	v := *h.Current()
	v.Version++
	change(&v)
	return append(h[:len(h):len(h)], v)
}

// saleOutcomes evaluates a sale by one rule, whatever the rule evaluates: the first outcome that is not "not eligible",
// the gravest of its subjects first.
func saleOutcomes(e *rules.Env, code string, s *rules.Sale) rules.Outcome {
	i := e.Index(code)
	best := e.EvaluateSale(i, s)
	better := func(o rules.Outcome) {
		if o.Status > best.Status {
			best = o
		}
	}
	for _, r := range s.Rows {
		better(e.EvaluateRow(i, r))
		for n := range r.SplitCount() {
			better(e.EvaluateSplit(i, r, n))
		}
	}
	return best
}

// slip is a clean one: 100.00 due Friday 2024-11-08, paid that day, credited on the Monday, shown by three lists.
func slip(change func(*ledger.SlipView)) *ledger.Slip {
	v := ledger.SlipView{
		Account: 1001, ID: "3fa85f64-5717-4562-b3fc-2c963f66afa6", Value: reais("100"), Issued: day("2024-10-10"), Due: day("2024-11-08"),
		PayerDocument: "52998224725", PayerName: "Ana", PaidOn: day("2024-11-08"), PaidValue: some("100"), CreditedOn: day("2024-11-11"),
		Status: ledger.Some[int64](ledger.BillPaid),
	}
	return views(v, change, ledger.SlipsDue, ledger.SlipsPayment, ledger.SlipsCredit)
}

// unpaid is the slip before anybody paid it, as the list by due date shows it.
func unpaid(change func(*ledger.SlipView)) *ledger.Slip {
	v := slip(func(*ledger.SlipView) {}).SlipView
	v.PaidOn, v.PaidValue, v.CreditedOn = 0, ledger.Opt[ledger.Amount]{}, 0
	v.Status, v.Integration = ledger.Some[int64](ledger.BillIssued), ledger.Some[int64](ledger.IntegrationIssued)
	return views(v, change, ledger.SlipsDue)
}

func views(v ledger.SlipView, change func(*ledger.SlipView), lists ...ledger.Source) *ledger.Slip {
	var all []ledger.SlipVersion
	for _, list := range lists {
		one := v
		one.List = list
		if list == ledger.SlipsCredit {
			one.LateAllowed = ledger.Some(true)
			one.Penalty, one.Interest = some("2"), some("1")
			one.PenaltyReceived, one.InterestReceived = some("0"), some("0")
		}
		change(&one)
		all = append(all, ledger.SlipVersion{SlipView: one, Version: 1, LastRun: "now", SeenAt: time.Unix(1, 0), FirstSeen: day("2024-10-10")})
	}
	s := ledger.SlipOf(all, nil)
	return &s
}
