package reconcile_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"concilia/jobs/agreements"
	"concilia/jobs/reconcile"
	"concilia/jobs/rules"
	"concilia/jobs/rules/catalogue"
	"concilia/jobs/rules/runs"
	"concilia/store/ledger"
)

// short is a sale of one received ten cents, or more, short.
func short(received string) *ledger.Sale {
	return saleOf(installment("2024-10-21", "000123", "A1B2C3", 1, func(i *ledger.Installment) {
		i.Count, i.SaleTotal, i.SaleFee, i.SaleAntifraud = 1, some("100"), some("0.10"), some("0.30")
		i.Forecast, i.Effective, i.ReceivedStatus, i.Received = day("2024-11-21"), day("2024-11-21"), "Pago", some(received)
	}))
}

const shortSubject = "card:1001:2024-10-21:000123:A1B2C3:1"

func caseOf(m *memory, subject, code string) ledger.Finding {
	return m.findings[ledger.CaseID(1001, subject, code)]
}

func TestLifeOfACase(t *testing.T) {
	t.Parallel()
	m := &memory{}
	const code = "RECEIVED_VALUE_MISMATCH"
	for _, step := range []struct {
		says, asOf, received string
		before               ledger.State // what a person made of it since
		want                 ledger.State
		event                bool
		opened               string
		verdict              ledger.Verdict
	}{
		{"first seen", "2024-12-01", "97.01", "", ledger.Opened, true, "2024-12-01", ledger.Breaks},
		{"nothing changed", "2024-12-02", "97.01", "", ledger.Opened, false, "2024-12-01", ledger.Breaks},
		{"other numbers", "2024-12-03", "97.00", "", ledger.Opened, true, "2024-12-01", ledger.Breaks},
		{"taken up by a person", "2024-12-04", "97.00", ledger.Acknowledged, ledger.Acknowledged, false, "2024-12-01", ledger.ReconciledWithWarnings},
		{"the data agree", "2024-12-05", "97.11", "", ledger.Resolved, true, "2024-12-01", ledger.ReconciledWithWarnings},
		{"they still do", "2024-12-06", "97.11", "", ledger.Resolved, false, "2024-12-01", ledger.ReconciledWithWarnings},
		{"true again", "2024-12-07", "97.00", "", ledger.Reopened, true, "2024-12-07", ledger.Breaks},
		{"closed, and the same", "2024-12-08", "97.00", ledger.Closed, ledger.Closed, false, "2024-12-07", ledger.ReconciledWithWarnings},
		{"closed, and other numbers", "2024-12-09", "96.00", "", ledger.Reopened, true, "2024-12-09", ledger.Breaks},
		{"closed, and passed", "2024-12-10", "97.11", ledger.Closed, ledger.Resolved, true, "2024-12-09", ledger.ReconciledWithWarnings},
		{"and fires once more", "2024-12-11", "96.00", "", ledger.Reopened, true, "2024-12-11", ledger.Breaks},
	} {
		if step.before != "" {
			f := caseOf(m, shortSubject, code)
			f.State = step.before
			m.findings[f.Case] = f
		}
		m.sales = []*ledger.Sale{short(step.received)}
		r := m.reconciled(t, inputs(step.asOf))
		f := caseOf(m, shortSubject, code)
		event := false
		for _, e := range m.events {
			event = event || e.Case == f.Case
		}
		if f.State != step.want || event != step.event || f.OpenedOn != day(step.opened) || f.FirstSeen != day("2024-12-01") {
			t.Errorf("%s: %s, event %v, opened %s, first seen %s", step.says, f.State, event, f.OpenedOn, f.FirstSeen)
		}
		if again := slices.Contains(m.again, f.Case); again != (!event && f.State != ledger.Resolved) {
			t.Errorf("%s: seen as it stood %v", step.says, again)
		}
		// The sale of one has no contract line: a warning of its own, every night.
		if r.Verdict != step.verdict {
			t.Errorf("%s: verdict %s, want %s", step.says, r.Verdict, step.verdict)
		}
		if counts := step.want.CountsInVerdict(); (r.Counts[code] == 1) != counts {
			t.Errorf("%s: counted %d times", step.says, r.Counts[code])
		}
		if n := r.NewCases[code]; (n == 1) != (step.says == "first seen") {
			t.Errorf("%s: %d new cases", step.says, n)
		}
	}
}

func TestSecondRunWritesNoEvent(t *testing.T) {
	t.Parallel()
	m := &memory{sales: []*ledger.Sale{short("90")}}
	m.reconciled(t, inputs("2024-12-01"))
	if len(m.events) == 0 {
		t.Fatal("the first run found nothing")
	}
	m.reconciled(t, inputs("2024-12-01"))
	if len(m.events) != 0 {
		t.Errorf("the second run wrote %d events", len(m.events))
	}
}

// A rule that could not look leaves its case as it is.
func TestUnevaluatedCaseStays(t *testing.T) {
	t.Parallel()
	m := &memory{}
	open := func() []*ledger.Sale {
		return []*ledger.Sale{saleOf(installment("2024-10-21", "1", "A", 1, func(i *ledger.Installment) {
			i.Count, i.SaleTotal, i.Forecast = 1, some("100"), day("2024-11-21")
		}))}
	}
	m.sales = open()
	m.reconciled(t, inputs("2024-12-01"))
	const subject = "card:1001:2024-10-21:1:A:1"
	if f := caseOf(m, subject, "RECEIVED_OVERDUE"); f.State != ledger.Opened || f.Impact.V != reais("97.11") {
		t.Fatalf("%s, impact %v", f.State, f.Impact)
	}
	m.gaps = map[string]bool{"cards 2024-10-21": true}
	m.sales = open()
	r := m.reconciled(t, inputs("2024-12-02"))
	if f := caseOf(m, subject, "RECEIVED_OVERDUE"); f.State != ledger.Opened || f.LastRun != "run-2024-12-01" {
		t.Errorf("%s, last run %s", f.State, f.LastRun)
	}
	if r.NotAttributed != reais("97.11") || r.Counts["RECEIVED_OVERDUE"] != 1 {
		t.Errorf("not attributed %s, counts %v", r.NotAttributed, r.Counts)
	}
	if tally := m.tallies["RECEIVED_OVERDUE"]; tally.Window != 1 || tally.Evaluated != 0 {
		t.Errorf("%+v", tally)
	}
}

func TestUnmappedStatus(t *testing.T) {
	t.Parallel()
	m := &memory{}
	sale := func() *ledger.Sale {
		s := short("97.01")
		s.Rows[0][0].Status = "Em análise"
		return s
	}
	m.sales = []*ledger.Sale{sale()}
	r := m.reconciled(t, inputs("2024-12-01"))
	const subject = "value:1001:installmentStatus:Em análise"
	if f := caseOf(m, subject, runs.EnumUnmapped); f.State != ledger.Opened || !strings.Contains((catalogue.Voice{Language: "pt-BR"}).Explain(f), "Em análise") {
		t.Errorf("%+v", f)
	}
	if r.NotAttributed != reais("0.10") || r.Counts["RECEIVED_VALUE_MISMATCH"] != 0 {
		t.Errorf("not attributed %s, counts %v", r.NotAttributed, r.Counts)
	}
	if tally := m.tallies["RECEIVED_VALUE_MISMATCH"]; tally.Unmapped != 1 || tally.Eligible != 1 {
		t.Errorf("%+v", tally)
	}
	in := inputs("2024-12-02")
	in.Mapping = must(agreements.ParseMapping("mapping.yaml", []byte("status: {open: [Em análise]}")))
	m.sales = []*ledger.Sale{sale()}
	r = m.reconciled(t, in)
	if f := caseOf(m, subject, runs.EnumUnmapped); f.State != ledger.Resolved {
		t.Errorf("mapped, and still %s", f.State)
	}
	if r.NotAttributed != 0 || r.Counts["RECEIVED_VALUE_MISMATCH"] != 1 {
		t.Errorf("not attributed %s, counts %v", r.NotAttributed, r.Counts)
	}
}

func TestMonthWithoutContractLine(t *testing.T) {
	t.Parallel()
	m := &memory{sales: []*ledger.Sale{short("97.11")}}
	m.reconciled(t, inputs("2024-12-01"))
	f := caseOf(m, "month:1001:2024-10:visa:credit:1", "MDR_CONTRACT_MISSING")
	if f.State != ledger.Opened || f.Severity != ledger.Warning || len(f.Numbers) != 6 {
		t.Errorf("%+v", f)
	}
	in := inputs("2024-12-02")
	in.Contracts = must(agreements.ParseContracts("contract.yaml", []byte(strings.ReplaceAll(contractText, "2-6", "1-6"))))
	m.sales = []*ledger.Sale{short("97.11")}
	m.reconciled(t, in)
	if f := caseOf(m, f.Subject, f.Code); f.State != ledger.Resolved {
		t.Errorf("covered, and still %s", f.State)
	}
}

func TestCoverageAndQuarantine(t *testing.T) {
	t.Parallel()
	m := &memory{gaps: map[string]bool{"slips.credit 2024-11-29": true}, quarantined: []ledger.Quarantined{{
		Account: 1001, Source: ledger.Cards, Day: day("2024-11-28"), Hash: "0f3a5c7e9b1d2f40ffff", Reason: "nsu: missing",
	}}}
	in := inputs("2024-12-01")
	in.Since = day("2024-11-25")
	r := m.reconciled(t, in)
	if r.Verdict != ledger.Incomplete || len(r.Critical["slips"]) != 1 || len(r.Critical["cards"]) != 0 {
		t.Errorf("%s %v", r.Verdict, r.Critical)
	}
	if f := caseOf(m, "day:1001:slips.credit:2024-11-29", runs.CoverageGap); f.State != ledger.Opened || f.Severity != ledger.Critical {
		t.Errorf("%+v", f)
	}
	if f := caseOf(m, "row:1001:cards:0f3a5c7e9b1d2f40", runs.SchemaInvalid); f.State != ledger.Opened || f.Severity != ledger.Error {
		t.Errorf("%+v", f)
	}
	if tally := m.tallies[runs.CoverageGap]; tally.Eligible != 4*6 || tally.Fired != 1 {
		t.Errorf("%+v", tally)
	}
	m.gaps, m.quarantined = nil, nil
	in.AsOf = day("2024-12-02")
	if r = m.reconciled(t, in); r.Verdict != ledger.Reconciled {
		t.Errorf("pulled and read, and still %s: %v", r.Verdict, r.Counts)
	}
}

// A ledger that says something else than the lines is a critical finding of the month.
func TestResidual(t *testing.T) {
	t.Parallel()
	m := &memory{sales: []*ledger.Sale{short("97.01")}, skew: 1}
	r := m.reconciled(t, inputs("2024-12-01"))
	f := caseOf(m, "month:1001:2024-10:visa:credit", runs.BridgeResidual)
	if r.Verdict != ledger.Incomplete || f.State != ledger.Opened || f.Difference().V != -1 || len(r.Critical["cards"]) != 1 {
		t.Errorf("%s %+v", r.Verdict, f)
	}
	m.skew, m.sales = 0, []*ledger.Sale{short("97.01")}
	if r = m.reconciled(t, inputs("2024-12-02")); r.Verdict != ledger.Breaks {
		t.Errorf("it closes, and still %s", r.Verdict)
	}
}

// Rows of one key that nothing tells apart are one sale; those of another time are two.
func TestDuplicates(t *testing.T) {
	t.Parallel()
	twin := func(change func(*ledger.Installment)) *ledger.Sale {
		s := short("97.11")
		i := &s.Rows[0][0].Installment
		i.Occurrence = 2
		change(i)
		s.Key.Occurrence = 2
		return s
	}
	m := &memory{sales: []*ledger.Sale{short("97.11"), twin(func(*ledger.Installment) {})}}
	r := m.reconciled(t, inputs("2024-12-01"))
	if r.Counts["REC_DUPLICATE_ROW"] != 1 || r.Counts["TXN_INSTALLMENTS_EXTRA"] != 1 {
		t.Errorf("an exact repetition: %v", r.Counts)
	}
	if caseOf(m, shortSubject+"~2", "REC_DUPLICATE_ROW").State != ledger.Opened {
		t.Error("the repetition itself is not named")
	}
	if _, ok := m.cards[twin(func(*ledger.Installment) {}).Rows[0].Current().Key()]; !ok {
		t.Error("the repetition is expected nothing of")
	}
	m = &memory{sales: []*ledger.Sale{short("97.11"), twin(func(i *ledger.Installment) { i.SoldAt += 600_000_000 })}}
	r = m.reconciled(t, inputs("2024-12-01"))
	if r.Counts["REC_DUPLICATE_ROW"]+r.Counts["REC_DUPLICATE_KEY"]+r.Counts["TXN_INSTALLMENTS_EXTRA"] != 0 {
		t.Errorf("two sales a minute apart: %v", r.Counts)
	}
}

// The first owner takes the whole bracket; the one behind it is explained.
func TestExplained(t *testing.T) {
	t.Parallel()
	m := &memory{sales: []*ledger.Sale{saleOf(
		installment("2024-10-21", "1", "A", 1, func(i *ledger.Installment) {
			i.MDR, i.MDRRate, i.Forecast = some("4.00"), pct("2.99"), day("2025-01-20")
		}),
	)}}
	m.reconciled(t, inputs("2024-11-01"))
	const subject = "card:1001:2024-10-21:1:A:1"
	root, other := caseOf(m, subject, "MDR_RATE_MISMATCH"), caseOf(m, subject, "MDR_AMOUNT_MISMATCH")
	if root.Impact != ledger.Some(reais("1.51")) || root.ExplainedBy != "" || root.ContractLine == "" {
		t.Errorf("%+v", root)
	}
	if other.Impact != ledger.Some[ledger.Amount](0) || other.ExplainedBy != "MDR_RATE_MISMATCH" {
		t.Errorf("%+v", other)
	}
	if len(root.Related) == 0 {
		t.Error("the other cases of the subject are not named")
	}
}

// A fee agreed for the whole sale is one case on the sale, and its impact the brackets of the rows.
func TestFeeOfTheSale(t *testing.T) {
	t.Parallel()
	in := inputs("2024-11-01")
	in.Contracts = must(agreements.ParseContracts("contract.yaml", []byte(strings.NewReplacer(
		"fee_basis: installment", "fee_basis: sale", "transaction_fee: 0.10, antifraud_fee: 0.30", "transaction_fee: 0.20, antifraud_fee: 0.90",
	).Replace(contractText))))
	m := &memory{}
	var all []ledger.InstallmentHistory
	for k := 1; k <= 3; k++ {
		all = append(all, installment("2024-10-21", "1", "A", k, func(i *ledger.Installment) { i.Forecast = day("2024-10-21") + ledger.Date(30*k) }))
	}
	m.sales = []*ledger.Sale{saleOf(all...)}
	r := m.reconciled(t, in)
	f := caseOf(m, "sale:1001:2024-10-21:1:A", "TRN_FEE_MISMATCH")
	if f.Impact != ledger.Some(reais("0.10")) || r.Counts["TRN_FEE_MISMATCH"] != 1 {
		t.Errorf("%+v, counts %v", f, r.Counts)
	}
	// 0.20 over three is 0.07, 0.07, 0.06 against 0.10 each.
	want := ledger.Bracket{Line: ledger.LineFee, Amount: reais("0.04"), Code: "TRN_FEE_MISMATCH", Case: f.Case}
	if b := m.cards[all[2].Current().Key()].Brackets; len(b) != 2 || b[0] != want {
		t.Errorf("%v, the first should be %v", b, want)
	}
}

// A fee that is right on the sale and lies on other rows than the reading says has no impact: no row has more
// rounding than the rule passes, and no budget of tolerated cents is spent on it.
func TestFeeOfTheSaleOnOtherRows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		says   string
		fees   [3]string
		spread agreements.FeeSpread
		want   [3]string // brackets of the fee
	}{
		{"spread as it is read", [3]string{"0.07", "0.07", "0.06"}, agreements.FeesSpread, [3]string{"0", "0", "0"}},
		{"the remainder elsewhere, a cent", [3]string{"0.06", "0.07", "0.07"}, agreements.FeesSpread, [3]string{"-0.01", "0", "0.01"}},
		{"all on the first", [3]string{"0.20", "0", "0"}, agreements.FeesSpread, [3]string{"0", "0", "0"}},
		{"all on the last, a cent more", [3]string{"0", "0", "0.21"}, agreements.FeesSpread, [3]string{"0.01", "0", "0"}},
		{"spread, read as all on the first", [3]string{"0.07", "0.07", "0.06"}, agreements.FeesOnFirst, [3]string{"0", "0", "0"}},
		{"two cents more", [3]string{"0.22", "0", "0"}, agreements.FeesSpread, [3]string{"0.15", "-0.07", "-0.06"}},
	} {
		in := inputs("2024-11-01")
		in.Profile.FeeSpread = c.spread
		in.Contracts = must(agreements.ParseContracts("contract.yaml", []byte(strings.NewReplacer(
			"fee_basis: installment", "fee_basis: sale", "transaction_fee: 0.10, antifraud_fee: 0.30", "transaction_fee: 0.20, antifraud_fee: 0.90",
		).Replace(contractText))))
		var all []ledger.InstallmentHistory
		for k := 1; k <= 3; k++ {
			all = append(all, installment("2024-10-21", "1", "A", k, func(i *ledger.Installment) {
				i.Forecast, i.Fee, i.SaleFee = day("2024-10-21")+ledger.Date(30*k), some(c.fees[k-1]), some("0.20")
			}))
		}
		m := &memory{sales: []*ledger.Sale{saleOf(all...)}}
		m.reconciled(t, in)
		for k, want := range c.want {
			var got ledger.Amount
			for _, b := range m.cards[all[k].Current().Key()].Brackets {
				if b.Line == ledger.LineRounding || b.Line == ledger.LineFee {
					got += b.Amount
				}
			}
			if got != reais(want) {
				t.Errorf("%s: installment %d: %s, want %s", c.says, k+1, got, want)
			}
		}
	}
}

func TestInputsHash(t *testing.T) {
	t.Parallel()
	a, b := inputs("2024-11-01"), inputs("2024-12-01")
	if a.Hash(1001) != b.Hash(1001) {
		t.Error("the as-of enters the hash of what is believed")
	}
	b.Settings = rules.Settings{"MDR_AMOUNT_MISMATCH": {Tolerance: ledger.Some(decimal.RequireFromString("0.02"))}}
	if a.Hash(1001) == b.Hash(1001) {
		t.Error("a tolerance does not")
	}
	var none reconcile.Inputs
	if _, err := reconcile.Account(t.Context(), none, &ledger.Run{}, 1001, &memory{}, &memory{}); err == nil {
		t.Error("nothing to judge by, and no error")
	}
}

// TestAgesOut: a case that nothing looks at any more is closed once, four hundred days after a run last evaluated it,
// and is not counted; a day earlier it is unresolved and counts.
func TestAgesOut(t *testing.T) {
	t.Parallel()
	f := ledger.Finding{
		Account: 1001, Code: "RECEIVED_OVERDUE", RuleVersion: 1, Subject: "card:1001:2023-10-21:1:A:1", Severity: ledger.Error,
		State: ledger.Waived, WaivedUntil: day("2030-01-01"), FirstSeen: day("2023-10-22"), LastSeen: day("2023-12-01"),
		OpenedOn: day("2023-10-22"), LastRun: "long ago", Assignee: "ana",
	}
	f.Case = ledger.CaseID(f.Account, f.Subject, f.Code)
	m := &memory{findings: map[string]ledger.Finding{f.Case: f}}
	for _, step := range []struct {
		says, asOf string
		state      ledger.State
		events     int
	}{
		{"the day before", "2025-01-03", ledger.Waived, 0},
		{"the day", "2025-01-04", ledger.Closed, 1},
		{"once", "2025-01-05", ledger.Closed, 0},
	} {
		m.reconciled(t, inputs(step.asOf))
		events := 0
		for _, e := range m.events {
			if e.Case == f.Case {
				events++
			}
		}
		if got := m.findings[f.Case]; got.State != step.state || events != step.events {
			t.Errorf("%s: %s, %d events", step.says, got.State, events)
		}
	}
	got := m.findings[f.Case]
	if got.ClosedAs != ledger.AgedOut || got.WaivedUntil != 0 || got.Assignee != "ana" || got.LastRun != "run-2025-01-04" {
		t.Errorf("%+v", got)
	}
}
