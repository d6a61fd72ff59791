package reconcile_test

import (
	"fmt"
	"strings"
	"time"

	"pgregory.net/rapid"

	"concilia/jobs/agreements"
	"concilia/jobs/reconcile"
	"concilia/jobs/rules/catalogue"
	"concilia/store/ledger"
)

// pick draws one of a few values by name.
func pick[T any](t *rapid.T, name string, of ...T) T { return rapid.SampledFrom(of).Draw(t, name) }

// once says yes one time in n.
func once(t *rapid.T, n int, name string) bool { return rapid.IntRange(1, n).Draw(t, name) == n }

// worldOf draws the readings a run may be under, and the contract, if any.
func worldOf(t *rapid.T) reconcile.Inputs {
	in := inputs("2025-01-07")
	fees := pick(t, "fees", "transaction_fee: 0.10, antifraud_fee: 0.30, ", "antifraud_fee: 0.31, ", "")
	file := strings.NewReplacer(
		"fee_basis: installment", "fee_basis: "+pick(t, "basis", "installment", "sale"),
		"transaction_fee: 0.10, antifraud_fee: 0.30, ", fees,
		"brand: visa", "brand: "+pick(t, "line", "visa", `"*"`),
		"product: credit, installments: 2-6", pick(t, "band", "product: credit, installments: 2-6", `product: "*", installments: 1-4`),
		", anticipation: 1.09", pick(t, "agreed", ", anticipation: 1.09", ""),
		"credit: D+1 bd}", "credit: D+1 bd, discount: {pct: 5, until_days: 3}}",
	).Replace(contractText)
	file += pick(t, "splits", "", "    splits: [{beneficiary: \"12345678000195\", pct: 10}]\n",
		"    splits: [{beneficiary: \"12345678000195\", pct: 10}, {beneficiary: \"52998224725\", pct: 2.5}]\n")
	in.Contracts = must(agreements.ParseContracts("contract.yaml", []byte(file)))
	if once(t, 6, "no contract") {
		in.Contracts = agreements.NoContracts()
	}
	in.Profile.NetOfSplits = rapid.Bool().Draw(t, "sigma")
	in.Profile.Anticipation.Formula = pick[agreements.AnticipationFormula](t, "formula", "simple", "compound", "flat")
	in.Profile.Anticipation.Base = pick[agreements.AnticipationBase](t, "of", "net_of_mdr", "gross", "net_of_fees")
	in.Profile.FeeSpread = pick[agreements.FeeSpread](t, "spread", "spread", "first")
	in.Profile.MDRRounding = pick[agreements.MDRRounding](t, "rounding", "installment", "sale")
	in.Profile.Split.Base = pick[agreements.SplitBase](t, "base", "net", "gross")
	in.Profile.Split.Coverage = pick[agreements.SplitCoverage](t, "coverage", "partial", "whole")
	in.Profile.Slip.Penalty = pick[agreements.SlipPenalty](t, "penalty is", "percent", "fixed")
	in.Profile.Slip.Interest = pick[agreements.SlipInterest](t, "interest is", "monthly", "daily", "daily_fixed")
	if once(t, 4, "fraction") {
		in.Profile.Unit = ledger.Fraction // every rate of the rows is then a hundred times too high
	}
	return in
}

// corrupt draws amounts near the right one, and far from it.
func corrupt(t *rapid.T, name string, a ledger.Opt[ledger.Amount]) ledger.Opt[ledger.Amount] {
	switch rapid.IntRange(0, 9).Draw(t, name) {
	case 0:
		return ledger.Opt[ledger.Amount]{}
	case 1:
		return some("0")
	case 2:
		return ledger.Some(a.V + ledger.Amount(rapid.IntRange(-400, 400).Draw(t, name+" by")))
	case 3:
		return ledger.Some(-a.V)
	}
	return a
}

// randomRow is an installment of which every member may be wrong, missing or contrary.
func randomRow(t *rapid.T, n, k, count int) ledger.InstallmentHistory {
	h := installment("2024-10-21", fmt.Sprintf("%06d", n), "A", k, func(i *ledger.Installment) {
		i.Count, i.Gross = count, ledger.Amount(rapid.IntRange(1, 5_000_000).Draw(t, "gross"))
		i.SaleTotal = ledger.Some(i.Gross * ledger.Amount(count))
		i.MDR = ledger.Some(must(i.MDRRate.V.ShareOf(i.Gross, ledger.Percent, ledger.HalfAwayFromZero)))
		i.MDR, i.Fee, i.Antifraud = corrupt(t, "mdr", i.MDR), corrupt(t, "fee", i.Fee), corrupt(t, "antifraud", i.Antifraud)
		if once(t, 5, "rate") {
			i.MDRRate = pick(t, "rate is", ledger.Opt[ledger.Rate]{}, pct("0"), pct("2.99"), pct("2.494"), pct("0.0249"))
		}
		i.Forecast = i.SoldAt.Date() + ledger.Date(30*k)
		i.Status = pick(t, "status", "Autorizada", "Autorizada", "Paga", "Cancelada", "Chargeback", "Bloqueada", "???")
		i.CardName = pick(t, "brand", "VISA", "VISA", "ELO", "???", "")
		i.CardType = pick(t, "product", "CREDIT", "CREDIT", "CREDIT", "DEBIT", "???")
		net := i.Gross - i.MDR.V - i.Fee.V - i.Antifraud.V
		if rapid.Bool().Draw(t, "paid") {
			settle(t, i, net)
		}
		switch rapid.IntRange(0, 7).Draw(t, "forecast") {
		case 0, 1:
			i.Forecast = 0
		case 2:
			i.Forecast = pick(t, "beyond", day("2100-12-31"), day("2101-01-03"), day("1980-01-01"))
		}
		for range rapid.IntRange(0, 2).Draw(t, "splits") {
			i.Splits = append(i.Splits, ledger.Split{
				Beneficiary: pick(t, "who", "12345678000195", "52998224725", "x"), Type: pick(t, "as", "P", "S"),
				Pct:  pick(t, "share", pct("10"), pct("10"), pct("10.00005"), pct("12"), ledger.Opt[ledger.Rate]{}),
				Base: corrupt(t, "base", ledger.Some(net)), Value: corrupt(t, "split", ledger.Some((net / 10).Rounded(ledger.HalfAwayFromZero))),
			})
		}
	})
	for range rapid.IntRange(0, 2).Draw(t, "versions") {
		h = next(h, func(i *ledger.Installment) { turn(t, i) })
	}
	return h
}

// settle pays a row, early or late, whole or not.
func settle(t *rapid.T, i *ledger.Installment, net ledger.Amount) {
	i.Effective = i.Forecast + ledger.Date(rapid.IntRange(-90, 5).Draw(t, "when"))
	i.ReceivedStatus = pick(t, "received status", "Pago", "", "Previsto", "??")
	i.ReceivedType = pick(t, "type", "", "Antecipado", "Normal", "??")
	i.Anticipation = corrupt(t, "anticipation", some("1.23"))
	i.AnticipationRate = pick(t, "anticipation rate", ledger.Opt[ledger.Rate]{}, pct("1.09"), pct("1.29"), pct("1.0999"), pct("0"))
	i.Received = corrupt(t, "received", ledger.Some(net-i.Anticipation.V))
	if once(t, 6, "part") {
		i.Received = ledger.Some(i.Received.V / 2)
	}
}

// turn is what a later answer says of a row: taken back, gone, paid after all, or another number.
func turn(t *rapid.T, i *ledger.Installment) {
	switch rapid.IntRange(0, 6).Draw(t, "turn") {
	case 0:
		i.Status = pick(t, "taken back as", "Cancelada", "Chargeback")
		i.Received = pick(t, "taken back", i.Received, some("0"), ledger.Some(-i.Received.V), ledger.Some(-i.Received.V-ledger.Real), ledger.Opt[ledger.Amount]{})
	case 1:
		i.Received, i.Effective = corrupt(t, "later", i.Received), pick(t, "later date", 0, i.Effective)
	case 2:
		i.Status = pick(t, "later status", "Bloqueada", "Autorizada", "???")
	case 3:
		settle(t, i, i.Gross-i.MDR.V-i.Fee.V-i.Antifraud.V)
	case 4:
		i.Splits = i.Splits[:rapid.IntRange(0, len(i.Splits)).Draw(t, "splits left")]
	case 5:
		i.Forecast = i.Effective
	case 6:
		i.MDR, i.Fee = corrupt(t, "later mdr", i.MDR), corrupt(t, "later fee", i.Fee)
	}
}

func randomSale(t *rapid.T, n int) *ledger.Sale {
	count := rapid.IntRange(1, 4).Draw(t, "count")
	var all []ledger.InstallmentHistory
	for k := 1; k <= count; k++ {
		if once(t, 12, "missing") && count > 1 && len(all) > 0 {
			continue
		}
		all = append(all, randomRow(t, n, k, count))
	}
	if once(t, 12, "beyond the count") {
		all = append(all, randomRow(t, n, count+1, count))
	}
	s := saleOf(all...)
	s.Complete = !once(t, 5, "incomplete")
	return s
}

func randomSlip(t *rapid.T, n int) *ledger.Slip {
	v := ledger.SlipView{
		Account: 1001, ID: fmt.Sprintf("%08d", n), Value: ledger.Amount(rapid.IntRange(1, 50_000).Draw(t, "value")) * ledger.Cent, Issued: day("2024-11-01"),
		Due:    day("2024-12-02") + ledger.Date(rapid.IntRange(0, 60).Draw(t, "due")),
		Status: ledger.Some(pick[int64](t, "bill", 1, 2, 3, 9, 99)),
	}
	if once(t, 12, "no due date") {
		v.Due = pick(t, "due instead", 0, day("2101-02-01"))
	}
	v.Integration = pick(t, "integration", ledger.Some[int64](1), ledger.Some[int64](2), ledger.Some[int64](2), ledger.Some[int64](9),
		ledger.Some[int64](99), ledger.Opt[int64]{})
	if rapid.Bool().Draw(t, "slip paid") {
		v.PaidOn = pick(t, "paid on", 0, v.Due-3, v.Due, v.Due+20, day("1980-01-01"))
		v.PaidValue = corrupt(t, "paid value", ledger.Some(v.Value))
		if once(t, 4, "discounted") {
			v.PaidValue = ledger.Some(v.Value - must((5*ledger.Rate(ledger.RateScale)).ShareOf(v.Value, ledger.Percent, ledger.HalfAwayFromZero)))
		}
		v.CreditedOn = pick(t, "credited", 0, v.Due+4)
	}
	if once(t, 6, "cancelled") {
		v.CancelledOn = day("2024-12-20")
	}
	lists := []ledger.Source{ledger.SlipsDue}
	if rapid.Bool().Draw(t, "shown") {
		lists = append(lists, ledger.SlipsCredit)
	}
	return viewsOf(v, lists, func(one *ledger.SlipView) {
		one.Penalty, one.Interest = corrupt(t, "penalty", some("2")), corrupt(t, "interest", some("1"))
		one.PenaltyReceived, one.InterestReceived = corrupt(t, "penalty received", some("3.10")), corrupt(t, "interest received", some("0.40"))
	})
}

// viewsOf is a slip as lists show it; shown fills in what only the list by credit date has.
func viewsOf(v ledger.SlipView, lists []ledger.Source, shown func(*ledger.SlipView)) *ledger.Slip {
	var views []ledger.SlipVersion
	for _, list := range lists {
		one := v
		one.List = list
		if list == ledger.SlipsCredit {
			shown(&one)
		}
		views = append(views, ledger.SlipVersion{SlipView: one, Version: 1, SeenAt: time.Unix(1, 0), FirstSeen: day("2024-11-01")})
	}
	s := ledger.SlipOf(views, nil)
	return &s
}

func draw(t *rapid.T) *memory {
	m := &memory{}
	for n := range rapid.IntRange(1, 4).Draw(t, "sales") {
		m.sales = append(m.sales, randomSale(t, n))
	}
	for n := range rapid.IntRange(0, 5).Draw(t, "slips") {
		m.slips = append(m.slips, randomSlip(t, n))
	}
	if once(t, 6, "gap") {
		m.gaps = map[string]bool{"cards 2024-10-21": true, "slips.credit 2024-12-27": true}
	}
	return m
}

// lineOf folds lines that one rule owns together, since a case has one impact.
func lineOf(l ledger.BridgeLine) ledger.BridgeLine {
	switch l {
	case ledger.LineAntifraud:
		return ledger.LineFee
	case ledger.LineReversed:
		return ledger.LineReceived
	}
	return l
}

// compareOwners holds lines against the impacts of the cases that the night evaluated.
func compareOwners(t *rapid.T, m *memory, r reconcile.Result, in reconcile.Inputs) {
	t.Helper()
	lines, impacts := map[ledger.BridgeLine]ledger.Amount{}, map[ledger.BridgeLine]ledger.Amount{}
	for _, l := range r.Lines {
		lines[lineOf(l.Line)] += l.Amount
	}
	for _, f := range m.findings {
		if f.LastRun != runOf(in) {
			continue
		}
		if rule, _ := catalogue.Find(f.Code); rule.HasImpact() {
			impacts[lineOf(rule.Line)] += f.Impact.V
			if f.Impact.V != 0 && (f.ExplainedBy != "" || f.State == ledger.Resolved || f.State == ledger.Pending) {
				t.Fatalf("%s of %s is %s, explained by %q, and has an impact of %s", f.Code, f.Subject, f.State, f.ExplainedBy, f.Impact.V)
			}
		}
	}
	if !in.Profile.NetOfSplits {
		delete(impacts, ledger.LineSplit) // outside the bridge
	}
	for _, o := range append(catalogue.CardOwners(), catalogue.SlipOwners()...) {
		l := lineOf(o.Line)
		if l == ledger.LineBlocked && (impacts[l] == 0 || lines[l] != 0) {
			continue // a part of the line: what has been blocked for long
		}
		if lines[l] != impacts[l] {
			t.Fatalf("line %s is %s, its findings %s\n%s", l, lines[l], impacts[l], m.page("all", r))
		}
	}
}
