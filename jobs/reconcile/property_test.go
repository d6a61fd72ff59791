package reconcile_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"concilia/jobs/calendar"
	"concilia/jobs/reconcile"
	"concilia/jobs/rules"
	"concilia/jobs/terms"
	"concilia/store/ledger"
)

// worldOf draws the readings a run may be under.
func worldOf(t *rapid.T) reconcile.Inputs {
	in := inputs("2025-01-07")
	splits := rapid.SampledFrom([]string{"", "    splits: [{beneficiary: \"12345678000195\", pct: 10}]\n"}).Draw(t, "splits")
	basis := rapid.SampledFrom([]string{"installment", "sale"}).Draw(t, "basis")
	fees := rapid.SampledFrom([]string{"transaction_fee: 0.10, antifraud_fee: 0.30, ", "antifraud_fee: 0.31, ", ""}).Draw(t, "fees")
	file := strings.NewReplacer("fee_basis: installment", "fee_basis: "+basis, "transaction_fee: 0.10, antifraud_fee: 0.30, ", fees).Replace(contractText) + splits
	in.Contracts = must(terms.ParseContracts("contract.yaml", []byte(file)))
	if rapid.IntRange(0, 5).Draw(t, "contract") == 0 {
		in.Contracts = terms.NoContracts()
	}
	in.Profile.NetOfSplits = rapid.Bool().Draw(t, "sigma")
	in.Profile.Anticipation.Formula = rapid.SampledFrom([]terms.AnticipationFormula{"simple", "compound", "flat"}).Draw(t, "formula")
	in.Profile.FeeSpread = rapid.SampledFrom([]terms.FeeSpread{"spread", "first"}).Draw(t, "spread")
	in.Profile.Split.Base = rapid.SampledFrom([]terms.SplitBase{"net", "gross"}).Draw(t, "base")
	return in
}

// amounts near the right one, and far from it.
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

func randomSale(t *rapid.T, n int) *ledger.Sale {
	count := rapid.IntRange(1, 4).Draw(t, "count")
	var all []ledger.InstallmentHistory
	for k := 1; k <= count; k++ {
		h := installment("2024-10-21", fmt.Sprintf("%06d", n), "A", k, func(i *ledger.Installment) {
			i.Count, i.Gross = count, ledger.Amount(rapid.IntRange(1, 5_000_000).Draw(t, "gross"))
			i.SaleTotal = ledger.Some(i.Gross * ledger.Amount(count))
			i.MDR = ledger.Some(must(i.MDRRate.V.Of(i.Gross, ledger.Percent, ledger.HalfAwayFromZero)))
			i.MDR, i.Fee, i.Antifraud = corrupt(t, "mdr", i.MDR), corrupt(t, "fee", i.Fee), corrupt(t, "antifraud", i.Antifraud)
			if rapid.IntRange(0, 4).Draw(t, "rate") == 0 {
				i.MDRRate = rapid.SampledFrom([]ledger.Opt[ledger.Rate]{{}, pct("0"), pct("2.99"), pct("2.494")}).Draw(t, "rate is")
			}
			i.Forecast = i.SoldAt.Date() + ledger.Date(30*k)
			i.Status = rapid.SampledFrom([]string{"Autorizada", "Autorizada", "Paga", "Cancelada", "Chargeback", "Bloqueada", "???"}).Draw(t, "status")
			i.CardName = rapid.SampledFrom([]string{"VISA", "VISA", "ELO", "???"}).Draw(t, "brand")
			net := i.Gross - i.MDR.V - i.Fee.V - i.Antifraud.V
			if rapid.Bool().Draw(t, "paid") {
				i.Effective = i.Forecast + ledger.Date(rapid.IntRange(-90, 5).Draw(t, "when"))
				i.ReceivedStat = rapid.SampledFrom([]string{"Pago", "", "Previsto", "??"}).Draw(t, "received status")
				i.ReceivedType = rapid.SampledFrom([]string{"", "Antecipado", "Normal", "??"}).Draw(t, "type")
				i.Anticipation = corrupt(t, "anticipation", some("1.23"))
				i.AnticipRate = rapid.SampledFrom([]ledger.Opt[ledger.Rate]{{}, pct("1.09"), pct("1.29")}).Draw(t, "anticipation rate")
				i.Received = corrupt(t, "received", ledger.Some(net-i.Anticipation.V))
			}
			if rapid.IntRange(0, 3).Draw(t, "no forecast") == 0 {
				i.Forecast = 0
			}
			for range rapid.IntRange(0, 2).Draw(t, "splits") {
				i.Splits = append(i.Splits, ledger.Split{
					Beneficiary: rapid.SampledFrom([]string{"12345678000195", "x"}).Draw(t, "who"), Type: "P", Pct: pct("10"),
					Base: corrupt(t, "base", ledger.Some(net)), Value: corrupt(t, "split", ledger.Some(net/10)),
				})
			}
		})
		if rapid.IntRange(0, 3).Draw(t, "history") == 0 {
			h = next(h, func(i *ledger.Installment) {
				i.Received = corrupt(t, "later", i.Received)
				i.Effective = rapid.SampledFrom([]ledger.Date{0, i.Effective}).Draw(t, "later date")
				i.Status = rapid.SampledFrom([]string{i.Status, "Cancelada"}).Draw(t, "later status")
			})
		}
		all = append(all, h)
	}
	s := saleOf(all...)
	s.Complete = rapid.IntRange(0, 4).Draw(t, "complete") != 0
	return s
}

func randomSlip(t *rapid.T, n int) *ledger.Slip {
	v := ledger.SlipView{
		Account: 1001, ID: fmt.Sprintf("%08d", n), Value: ledger.Amount(rapid.IntRange(1, 50_000).Draw(t, "value")) * ledger.Cent, Issued: day("2024-11-01"),
		Due:    day("2024-12-02") + ledger.Date(rapid.IntRange(0, 60).Draw(t, "due")),
		Status: ledger.Some(rapid.SampledFrom([]int64{1, 2, 3, 9, 99}).Draw(t, "bill")),
	}
	v.Integration = ledger.Some(rapid.SampledFrom([]int64{1, 2, 2, 9, 99}).Draw(t, "integration"))
	if rapid.Bool().Draw(t, "slip paid") {
		v.PaidOn = rapid.SampledFrom([]ledger.Date{0, v.Due - 3, v.Due, v.Due + 20}).Draw(t, "paid on")
		v.PaidValue = corrupt(t, "paid value", ledger.Some(v.Value))
		v.CreditedOn = rapid.SampledFrom([]ledger.Date{0, v.Due + 4}).Draw(t, "credited")
	}
	if rapid.IntRange(0, 5).Draw(t, "cancelled") == 0 {
		v.CancelledOn = day("2024-12-20")
	}
	lists := []ledger.Source{ledger.SlipsDue}
	if rapid.Bool().Draw(t, "shown") {
		lists = append(lists, ledger.SlipsCredit)
	}
	var views []ledger.SlipVersion
	for _, list := range lists {
		one := v
		one.List = list
		if list == ledger.SlipsCredit {
			one.Penalty, one.Interest = corrupt(t, "penalty", some("2")), corrupt(t, "interest", some("1"))
			one.PenaltyReceived, one.InterestReceived = corrupt(t, "penalty received", some("3.10")), corrupt(t, "interest received", some("0.40"))
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
	if rapid.IntRange(0, 5).Draw(t, "gap") == 0 {
		m.gaps = map[string]bool{"cards 2024-10-21": true, "slips.credit 2024-12-27": true}
	}
	return m
}

// Whatever the rows say: every row's brackets add up to N* − R, the bridge closes, and each line with owners is the
// impacts of the rules that own it.
func TestBridgeClosesWhateverTheRowsSay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m, in := draw(t), worldOf(t)
		r := run(t, m, in)
		if r.Counts[rules.BridgeResidual] != 0 {
			t.Fatalf("a residual: %v", m.findings)
		}
		for k, e := range m.cards {
			if sum(e.Brackets) != e.NetContract-e.Received {
				t.Fatalf("%s: brackets %v, N* %s, R %s", k.Subject(), e.Brackets, e.NetContract, e.Received)
			}
		}
		for id, e := range m.slipped {
			if sum(e.Brackets) != e.Face-e.Credited {
				t.Fatalf("%s: brackets %v, V* %s, credited %s", id, e.Brackets, e.Face, e.Credited)
			}
		}
		compareOwners(t, m, r, in.Profile.NetOfSplits)
		// A fee agreed for the sale may lie on its rows as the service likes: rounding is judged over the sale.
		rounding, limit := map[ledger.SaleKey]ledger.Amount{}, map[ledger.SaleKey]ledger.Amount{}
		for k, e := range m.cards {
			limit[k.SaleKey] += reais("0.10") + m.gross(k)/1000
			for _, b := range e.Brackets {
				if b.Line == ledger.LineRounding {
					rounding[k.SaleKey] += b.Amount
				}
			}
		}
		for k, a := range rounding {
			if a.Abs() > limit[k] {
				t.Fatalf("%s: rounding of %s\n%s", k.Subject(), a, m.page("all", r))
			}
		}
	})
}

func (m *memory) gross(k ledger.InstallmentKey) ledger.Amount {
	for _, s := range m.sales {
		for _, h := range s.Rows {
			if h.Current().Key() == k {
				return h.Current().Gross
			}
		}
	}
	return 0
}

func sum(all []ledger.Bracket) ledger.Amount {
	var s ledger.Amount
	for _, b := range all {
		s += b.Amount
	}
	return s
}

// compareOwners holds lines against impacts. A rule that owns two lines is judged over both.
func compareOwners(t *rapid.T, m *memory, r reconcile.Result, netOfSplits bool) {
	t.Helper()
	together := func(l ledger.Line) ledger.Line {
		switch l {
		case ledger.LineAntifraud:
			return ledger.LineFee
		case ledger.LineReversed:
			return ledger.LineReceived
		}
		return l
	}
	lines, impacts := map[ledger.Line]ledger.Amount{}, map[ledger.Line]ledger.Amount{}
	for _, l := range r.Lines {
		lines[together(l.Line)] += l.Amount
	}
	for _, f := range m.findings {
		if rule, _ := rules.Find(f.Code); rule.HasImpact() {
			impacts[together(rule.Line)] += f.Impact.V
			if f.ExplainedBy != "" && f.Impact.V != 0 {
				t.Fatalf("%s is explained and has an impact of %s", f.Code, f.Impact.V)
			}
		}
	}
	if !netOfSplits {
		lines[ledger.LineSplit] = r.SplitsOutside
	}
	for _, o := range append(rules.CardOwners(), rules.SlipOwners()...) {
		if l := together(o.Line); lines[l] != impacts[l] {
			t.Fatalf("line %s is %s, its findings %s", l, lines[l], impacts[l])
		}
	}
}

func run(t *rapid.T, m *memory, in reconcile.Inputs) reconcile.Result {
	t.Helper()
	m.findings = map[string]ledger.Finding{}
	m.cards, m.slipped = map[ledger.InstallmentKey]*ledger.Expectation{}, map[string]*ledger.SlipExpectation{}
	m.bridge, m.events = nil, nil
	m.tallies, m.rounding, m.seen = map[string]ledger.Tally{}, map[string]ledger.Amount{}, in.AsOf
	r, err := reconcile.Account(t.Context(), in, &ledger.Run{ID: "r", AsOf: in.AsOf}, 1001, m, m)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The order in which rows of a sale, and slips, come does not change a byte of what is said.
func TestOrderDoesNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m, in := draw(t), worldOf(t)
		first := m.page("x", run(t, m, in))
		for _, s := range m.sales {
			slices.Reverse(s.Rows)
		}
		slices.Reverse(m.slips)
		if second := m.page("x", run(t, m, in)); first != second {
			t.Fatalf("before:\n%s\nafter:\n%s", first, second)
		}
	})
}

// A second night over the same facts opens, resolves and tells nothing.
func TestSameFactsNoEvents(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m, in := draw(t), worldOf(t)
		first := run(t, m, in)
		kept := m.findings
		m2 := *m
		m2.events = nil
		m2.findings = kept
		second, err := reconcile.Account(t.Context(), in, &ledger.Run{ID: "r2", AsOf: in.AsOf}, 1001, &m2, &m2)
		if err != nil {
			t.Fatal(err)
		}
		if len(m2.events) != 0 || second.Verdict != first.Verdict || len(second.NewCases) != 0 {
			t.Fatalf("%d events, verdict %s after %s", len(m2.events), second.Verdict, first.Verdict)
		}
	})
}

func BenchmarkAccount(b *testing.B) {
	cal := must(calendar.New(calendar.Options{}))
	in := inputs("2025-01-07")
	in.Calendar = func(ledger.Account) *calendar.Calendar { return cal }
	m := &memory{}
	for n := range 1000 {
		var all []ledger.InstallmentHistory
		for k := 1; k <= 3; k++ {
			all = append(all, installment("2024-10-21", fmt.Sprintf("%06d", n), "A", k, func(i *ledger.Installment) {
				i.Forecast = i.SoldAt.Date() + ledger.Date(30*k)
				i.Card = fmt.Sprintf("411111******%04d", n)
				if i.Forecast <= day("2025-01-06") {
					i.Effective, i.Received, i.ReceivedStat = i.Forecast, some("97.11"), "Pago"
				}
			}))
		}
		m.sales = append(m.sales, saleOf(all...))
	}
	b.ReportAllocs()
	for b.Loop() {
		m.findings = map[string]ledger.Finding{}
		m.reconciled(b, in)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/3000, "ns/row")
}
