package reconcile_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/jobs/agreements"
	"concilia/jobs/calendar"
	"concilia/jobs/reconcile"
	"concilia/jobs/rules"
	"concilia/jobs/rules/catalogue"
	"concilia/store/ledger"
	"concilia/store/ledger/ledgertest"
)

// The short names of values in these tests.
var (
	day   = ledgertest.Date
	reais = ledgertest.Reais
	some  = ledgertest.OptReais
)

// contractText is the contract of the worked examples.
const contractText = `contracts:
  - account: 1001
    valid_from: 2024-01-01
    fee_basis: installment
    rates:
      - {brand: visa, product: credit, installments: 2-6, mdr: 2.49, transaction_fee: 0.10, antifraud_fee: 0.30, anticipation: 1.09}
    settlement: {credit: D+30}
    slip: {tariff: 2.50, credit: D+1 bd}
    cdi_year_pct: 14.9
`

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func pct(s string) ledger.Opt[ledger.Rate] { return ledger.Some(must(ledger.ParseRate(s))) }

// inputs are the documents of the worked examples, as of a day.
func inputs(asOf string) reconcile.Inputs {
	cal := must(calendar.New(calendar.Options{}))
	return reconcile.Inputs{
		Contracts: must(agreements.ParseContracts("contract.yaml", []byte(contractText))), Mapping: agreements.DefaultMapping(),
		Profile: agreements.DefaultProfile(), Calendar: func(ledger.Account) *calendar.Calendar { return cal },
		AsOf: day(asOf), Since: day(asOf),
	}
}

// installment is a clean row of the examples: visa credit, a sale of 300.00 in three.
func installment(sold, nsu, auth string, k int, change func(*ledger.Installment)) ledger.InstallmentHistory {
	i := ledger.Installment{
		Account: 1001, SoldAt: must(ledger.ParseLocalTime(sold+"T10:00:00", time.UTC)), Terminal: "T1", Card: "411111******1111",
		CardType: "CREDIT", CardName: "VISA", Auth: auth, NSU: nsu, Number: k, Count: 3, Gross: reais("100"), SaleTotal: some("300"),
		Status: "Autorizada", MDR: some("2.49"), MDRRate: pct("2.49"), Fee: some("0.10"), SaleFee: some("0.30"), Antifraud: some("0.30"),
		SaleAntifraud: some("0.90"), Anticipation: some("0"), Occurrence: 1,
	}
	if change != nil {
		change(&i)
	}
	return ledger.InstallmentHistory{version(i, 1, sold)}
}

func version(i ledger.Installment, n int, pulled string) ledger.InstallmentVersion {
	return ledger.InstallmentVersion{
		Installment: i, Version: n, Content: i.ContentHash(), FirstPull: "p", LastPull: "p", FirstSeen: day(pulled), LastChanged: day(pulled),
		PulledOn: day("2099-01-01"),
	}
}

// next is one more version of a row.
func next(h ledger.InstallmentHistory, change func(*ledger.Installment)) ledger.InstallmentHistory {
	i := h.Current().Installment
	change(&i)
	return append(slices.Clone(h), version(i, len(h)+1, i.SoldAt.Date().String()))
}

func saleOf(rows ...ledger.InstallmentHistory) *ledger.Sale {
	s := &ledger.Sale{Key: rows[0].Current().SaleKey(), Rows: rows, Complete: true}
	s.Sort()
	return s
}

// memory is a ledger for one account: the other side of both interfaces.
type memory struct {
	sales       []*ledger.Sale
	slips       []*ledger.Slip
	quarantined []ledger.Quarantined
	told        told
	seen        ledger.Date // every day of every source has a complete pull that began on it
	gaps        map[string]bool
	now         map[string]bool // source and day pulled completely in this run
	answered    map[rules.Recheck]bool
	asked       reconcile.RecentPulls
	skew        ledger.Amount // what the second query adds: a fault

	findings map[string]ledger.Finding
	cards    map[ledger.InstallmentKey]*ledger.Expectation
	slipped  map[string]*ledger.SlipExpectation
	bridge   []ledger.BridgeRow
	tallies  map[string]ledger.RuleCounts
	events   []ledger.Finding
	again    []string // cases seen as they stood
	touched  int

	before    map[string]ledger.Finding // the cases as the run found them
	rounded   []ledger.ToleratedAmount
	counts    []ledger.Population
	continued []ledger.Continuity
	last      ledger.LastReconcile
	closings  []ledger.Continuity
}

func (m *memory) SalesInScope(_ context.Context, _ ledger.Account, _ *ledger.Scope, fn func(*ledger.Sale) error) error {
	for _, s := range m.sales {
		s.Changed = true
		if err := fn(s); err != nil {
			return err
		}
	}
	return nil
}

func (m *memory) SlipsInScope(_ context.Context, _ ledger.Account, _ *ledger.Scope, fn func(*ledger.Slip) error) error {
	for _, s := range m.slips {
		if err := fn(s); err != nil {
			return err
		}
	}
	return nil
}

func (m *memory) VanishedInstallments(context.Context, ledger.Account, func(*ledger.InstallmentVersion, ledger.Date) error) error {
	return nil
}

func (m *memory) InstallmentsByNSU(_ context.Context, _ ledger.Account, nsus []string, fn func(*ledger.InstallmentVersion) error) error {
	return m.current(func(v *ledger.InstallmentVersion) bool { return slices.Contains(nsus, v.NSU) }, fn)
}

func (m *memory) InstallmentsSoldIn(_ context.Context, _ ledger.Account, p ledger.Period, fn func(*ledger.InstallmentVersion) error) error {
	return m.current(func(v *ledger.InstallmentVersion) bool { return p.Contains(v.SoldAt.Date()) }, fn)
}

func (m *memory) current(chosen func(*ledger.InstallmentVersion) bool, fn func(*ledger.InstallmentVersion) error) error {
	for _, s := range m.sales {
		for _, h := range s.Rows {
			if v := h.Current(); chosen(v) {
				if err := fn(v); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (m *memory) Coverage(_ context.Context, _ ledger.Account, s ledger.Source, p ledger.Period) (map[ledger.Date]reconcile.DayCoverage, error) {
	c := map[ledger.Date]reconcile.DayCoverage{}
	for d := max(p.From, day("2024-01-01")); d <= p.To && d <= day("2027-12-31"); d++ {
		key := string(s) + " " + d.String()
		if d < m.seen && !m.gaps[key] {
			c[d] = reconcile.DayCoverage{Complete: true, CompleteOn: m.seen, CompleteNow: m.now[key], CompletePulls: 2}
		} else if m.now[key] {
			c[d] = reconcile.DayCoverage{CompleteNow: true, CompleteOn: m.seen}
		}
	}
	return c, nil
}

func (m *memory) QuarantinedRows(context.Context, ledger.Account) ([]ledger.Quarantined, error) {
	return m.quarantined, nil
}

// RecentPulls are the pulls of an account since the last reconcile, including those of this run.
func (m *memory) RecentPulls(context.Context, ledger.Account) (reconcile.RecentPulls, error) {
	return m.asked, nil
}

func (m *memory) WasAnswered(a rules.Recheck) bool { return m.answered[a] }

func (m *memory) CurrentCases() ([]ledger.Finding, error) {
	var all []ledger.Finding
	for _, f := range m.findings {
		all = append(all, f)
	}
	return all, nil
}

// Every reconcile of the memory evaluates everything; last and closings are what one before it left, where a test says so.
func (m *memory) LastReconcile() ledger.LastReconcile { return m.last }

func (m *memory) Scope([]ledger.Date, []ledger.SaleKey, []string) (*ledger.Scope, error) {
	return &ledger.Scope{Whole: true}, nil
}

func (m *memory) RecordInputs(string, []string) error { return nil }

func (m *memory) Restart() error {
	m.forget()
	m.findings = maps.Clone(m.before)
	return nil
}

// forget drops what an attempt wrote.
func (m *memory) forget() {
	m.cards, m.slipped = map[ledger.InstallmentKey]*ledger.Expectation{}, map[string]*ledger.SlipExpectation{}
	m.bridge, m.rounded, m.counts, m.continued, m.events, m.again, m.touched = nil, nil, nil, nil, nil, nil, 0
	m.tallies = map[string]ledger.RuleCounts{}
}

func (m *memory) WriteExpectation(e *ledger.Expectation, _ *ledger.StoredExpectation) (bool, error) {
	kept := *e
	m.cards[e.Key] = &kept
	return true, nil
}

func (m *memory) WriteSlipExpectation(e *ledger.SlipExpectation, _ *ledger.StoredExpectation) (bool, error) {
	m.slipped[e.ID] = e
	return true, nil
}

func (m *memory) EndExpectation(ledger.InstallmentKey) error { return nil }
func (m *memory) SetSale(*ledger.Sale)                       {}
func (m *memory) EndSlipExpectation(string) error            { return nil }

func (m *memory) WriteCase(f ledger.Finding, event bool) error {
	m.findings[f.Case] = f
	m.touched++
	if event {
		m.events = append(m.events, f)
	}
	return nil
}

// WriteUnchangedCase is a fault of the caller where the case does not stand so.
func (m *memory) WriteUnchangedCase(f *ledger.Finding) error {
	was := m.findings[f.Case]
	was.LastRun, was.LastSeen = f.LastRun, f.LastSeen
	if d := cmp.Diff(&was, f); d != "" {
		return errors.New("a case seen as it stood, which it is not: " + d)
	}
	m.again = append(m.again, f.Case)
	return m.WriteCase(*f, false)
}

func (m *memory) UpdateBridge(_ bool, rows []ledger.BridgeRow) error {
	m.bridge = rows
	return nil
}

func (m *memory) CurrentBridge() ([]ledger.BridgeRow, error) { return m.bridge, nil }

func (m *memory) UpdateRounding(_ bool, rows []ledger.ToleratedAmount) error {
	m.rounded = rows
	return nil
}

func (m *memory) CurrentRounding() ([]ledger.ToleratedAmount, error) { return m.rounded, nil }

func (m *memory) UpdatePopulations(_ bool, rows []ledger.Population) error {
	m.counts = rows
	return nil
}

func (m *memory) CurrentPopulations() ([]ledger.Population, error) { return m.counts, nil }

func (m *memory) CurrentClosings() ([]ledger.Continuity, error) { return m.closings, nil }

func (m *memory) WriteContinuity(rows []ledger.Continuity) error {
	m.continued = rows
	return nil
}

func (m *memory) KeepTotals(bool, []ledger.Date, ledger.ForecastReading) error { return nil }

func (m *memory) RecordRuleCounts(all []ledger.RuleCounts) error {
	for _, t := range all {
		m.tallies[t.Code] = t
	}
	return nil
}

func (m *memory) SumCardsAhead([]ledger.Date) error { return nil }

func (m *memory) CardSums([]ledger.Date) ([]ledger.DaySum, error) {
	var rows []ledger.DaySum
	for _, e := range m.cards {
		d := ledger.DaySum{Day: e.Key.Day, Brand: e.Brand, Product: e.Product, Difference: e.NetContract - e.Received + m.skew}
		if e.Class == ledger.Open {
			d.Open = m.gross(e.Key)
		}
		rows = append(rows, d)
	}
	return rows, nil
}

func (m *memory) SlipSums() ([]ledger.DaySum, error) {
	var rows []ledger.DaySum
	for _, e := range m.slipped {
		rows = append(rows, ledger.DaySum{Day: e.Day, Difference: e.Face - e.Credited})
	}
	return rows, nil
}

// reconciled runs a night over the memory. Cases stay from one to the next; the rest is this night's.
func (m *memory) reconciled(t testing.TB, in reconcile.Inputs) reconcile.Result {
	t.Helper()
	if m.findings == nil {
		m.findings = map[string]ledger.Finding{}
	}
	m.before = maps.Clone(m.findings)
	m.forget()
	m.seen = in.AsOf
	r, err := reconcile.Account(t.Context(), in, &ledger.Run{ID: "run-" + in.AsOf.String(), AsOf: in.AsOf}, 1001, m, m)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// page prints what a night said: every row, then the cases it wrote, then the bridge and the tolerated cents.
func (m *memory) page(title string, r reconcile.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "== %s: %s\n", title, r.Verdict)
	keys := make([]ledger.InstallmentKey, 0, len(m.cards))
	for k := range m.cards {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b ledger.InstallmentKey) int { return strings.Compare(a.Subject(), b.Subject()) })
	for _, k := range keys {
		e := m.cards[k]
		fmt.Fprintf(&b, "%s %s N %s N* %s R %s rest %s cents %d%s %s %s\n", k.Subject(), e.Class, e.Net, e.NetContract, e.Received, e.Rest,
			e.GrossCents, brackets(e.Brackets), e.Verdict, strings.Join(e.Codes, "|"))
	}
	ids := make([]string, 0, len(m.slipped))
	for id := range m.slipped {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		e := m.slipped[id]
		fmt.Fprintf(&b, "slip %s %s V* %s credited %s rest %s%s %s %s\n", id, e.Class, e.Face, e.Credited, e.Rest, brackets(e.Brackets),
			e.Verdict, strings.Join(e.Codes, "|"))
	}
	events := slices.Clone(m.events)
	slices.SortFunc(events, func(a, b ledger.Finding) int {
		return strings.Compare(a.Subject+" "+a.Code, b.Subject+" "+b.Code)
	})
	for _, f := range events {
		impact := "-"
		if f.Impact.OK {
			impact = f.Impact.V.String()
		}
		fmt.Fprintf(&b, "  %s %s %s %s impact %s", f.Subject, f.Code, f.Severity, f.State, impact)
		for _, x := range []struct{ name, v string }{
			{"hint", f.Hint}, {"by", f.ExplainedBy}, {"break_on", f.BreakOn.String()},
		} {
			if x.v != "" {
				fmt.Fprintf(&b, " %s %s", x.name, x.v)
			}
		}
		if f.State != ledger.Resolved {
			fmt.Fprintf(&b, "\n    %s\n    %s", catalogue.Voice{Language: "en"}.Explain(f), catalogue.Voice{Language: "pt-BR"}.Explain(f))
		}
		b.WriteByte('\n')
	}
	for _, x := range r.Lines {
		fmt.Fprintf(&b, "  bridge %s %s %s %s\n", x.Side, x.Line, x.Reason, x.Amount)
	}
	for _, x := range m.rounded {
		fmt.Fprintf(&b, "  rounding %s %s %s\n", x.Code, x.Month, x.Amount)
	}
	return b.String()
}

func brackets(all []ledger.Bracket) string {
	var b strings.Builder
	for _, x := range all {
		fmt.Fprintf(&b, " [%s%s %s]", x.Line, x.Reason, x.Amount)
	}
	return b.String()
}

// golden compares a text with testdata/rules/NAME, or writes it there.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("..", "..", "testdata", "rules", name)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s differs (-want +got); UPDATE_GOLDEN=1 writes it anew:\n%s", name, d)
	}
}

var (
	_ reconcile.Source = (*memory)(nil)
	_ reconcile.Sink   = (*memory)(nil)
)
