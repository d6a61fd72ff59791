package reconcile_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"concilia/jobs/calendar"
	"concilia/jobs/reconcile"
	"concilia/jobs/rules/runs"
	"concilia/store/ledger"
)

// Whatever the rows say: every row's brackets add up to N* − R, the bridge closes, and each line with owners is the
// impacts of the rules that own it.
func TestBridgeClosesForAnyRows(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m, in := draw(t), worldOf(t)
		r := run(t, m, in)
		if r.Counts[runs.BridgeResidual] != 0 {
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
			for _, b := range e.Brackets {
				if b.Line == ledger.LineRounding && b.Amount.Abs() > reais("0.04")+e.InterestDue.V.Abs()/100 {
					t.Fatalf("%s: rounding of %s\n%s", id, b.Amount, m.page("all", r))
				}
			}
		}
		compareOwners(t, m, r, in)
		compareCases(t, m)
		compareTolerated(t, m)
		for k, e := range m.cards {
			var rounding ledger.Amount
			for _, b := range e.Brackets {
				if b.Line == ledger.LineRounding {
					rounding += b.Amount
				}
			}
			if rounding.Abs() > reais("0.10")+m.gross(k)/1000 {
				t.Fatalf("%s: rounding of %s\n%s", k.Subject(), rounding, m.page("all", r))
			}
		}
	})
}

// compareTolerated holds the brackets of rounding, row by row, against what the rules tolerated by month.
func compareTolerated(t *rapid.T, m *memory) {
	got, want := map[ledger.ToleratedAmount]ledger.Amount{}, map[ledger.ToleratedAmount]ledger.Amount{}
	add := func(day ledger.Date, brackets []ledger.Bracket) {
		for _, b := range brackets {
			if b.Line == ledger.LineRounding && b.Code != "" {
				got[ledger.ToleratedAmount{Code: b.Code, Month: monthOf(day)}] += b.Amount.Abs()
			}
		}
	}
	for k, e := range m.cards {
		add(k.Day, e.Brackets)
	}
	for _, e := range m.slipped {
		add(e.Day, e.Brackets)
	}
	for _, r := range m.rounded {
		if r.Amount != 0 {
			want[ledger.ToleratedAmount{Code: r.Code, Month: r.Month}] = r.Amount
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Fatalf("tolerated by month (-) and on the rows (+):\n%s", d)
	}
}

func monthOf(d ledger.Date) ledger.Date {
	if d == 0 {
		return 0
	}
	return d.MonthStart()
}

// compareCases holds the brackets that name a case against it: what they add up to is its impact. On a line of a fee
// every bracket names one, since what no rule fired for is reported elsewhere.
func compareCases(t *rapid.T, m *memory) {
	var all []ledger.Bracket
	for _, e := range m.cards {
		for _, b := range e.Brackets {
			switch b.Line {
			case ledger.LineMDR, ledger.LineFee, ledger.LineAntifraud, ledger.LineAnticipation:
				if b.Case == "" {
					t.Fatalf("%s: %v names no case", e.Key.Subject(), b)
				}
			}
		}
		all = append(all, e.Brackets...)
	}
	for _, e := range m.slipped {
		all = append(all, e.Brackets...)
	}
	sums := map[string]ledger.Amount{}
	for _, b := range all {
		if b.Case == "" {
			continue
		}
		if f, ok := m.findings[b.Case]; !ok || f.Code != b.Code || f.ExplainedBy != "" {
			t.Fatalf("%v: its case is %+v", b, f)
		}
		sums[b.Case] += b.Amount
	}
	for id, sum := range sums {
		if f := m.findings[id]; f.Impact != ledger.Some(sum) {
			t.Fatalf("%s on %s: impact %v, its brackets %s", f.Code, f.Subject, f.Impact, sum)
		}
	}
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

func runOf(in reconcile.Inputs) string { return "run-" + in.AsOf.String() }

// run is a night over the memory, the first unless it is handed the cases that stand.
func run(t *rapid.T, m *memory, in reconcile.Inputs, standing ...map[string]ledger.Finding) reconcile.Result {
	t.Helper()
	m.findings = map[string]ledger.Finding{}
	for _, s := range standing {
		m.findings = maps.Clone(s)
	}
	m.before = maps.Clone(m.findings)
	m.forget()
	m.seen = in.AsOf
	r, err := reconcile.Account(t.Context(), in, &ledger.Run{ID: runOf(in), AsOf: in.AsOf}, 1001, m, m)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A second night sees other facts under the same documents. What no longer holds is resolved, in whatever way it ended,
// and the lines are the impacts of the cases that were evaluated, old and new. Those no rule could evaluate stay as they were.
func TestTheNextNightClosesToo(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m, in := draw(t), worldOf(t)
		run(t, m, in)
		for _, s := range m.sales {
			for i := range s.Rows {
				if rapid.Bool().Draw(t, "changes") {
					s.Rows[i] = next(s.Rows[i], func(x *ledger.Installment) { turn(t, x) })
				}
			}
			s.Complete = true
		}
		for i := range m.slips {
			if rapid.Bool().Draw(t, "slip changes") {
				m.slips[i] = randomSlip(t, i)
			}
		}
		m.gaps = nil
		in.AsOf++
		kept := m.findings
		r := run(t, m, in, kept)
		compareOwners(t, m, r, in)
	})
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
					i.Effective, i.Received, i.ReceivedStatus = i.Forecast, some("97.11"), "Pago"
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
