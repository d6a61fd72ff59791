package storetest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/reports"
	"concilia/store/results"
)

// roots are the root cases of an account, one by one and added up by another query.
func roots(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	root := func(subject string, impact ledger.Amount, exposed bool, state ledger.State, explained string) ledger.Finding {
		f := finding(subject, "C1", ledger.Error, ledger.Some(impact))
		f.Exposure, f.State, f.ExplainedBy = exposed, state, explained
		if state == ledger.Pending {
			f.OpenedOn = 0
		}
		return f
	}
	// Half a cent goes away from zero, case by case: 0.005 is 0.01, and so is each 0.0149 more.
	all := []ledger.Finding{
		root("lost", 50, false, ledger.Opened, ""), root("lost2", 149, false, ledger.Disputed, ""),
		root("late", 20_050, true, ledger.Pending, ""), root("waived", 10_000, true, ledger.Waived, ""),
		root("excess", -150, false, ledger.Reopened, ""), root("explained", 70_000, false, ledger.Opened, "ROOT"),
		root("nothing", 0, false, ledger.Opened, ""), root("gone", 70_000, false, ledger.Resolved, ""),
		root("closed", 70_000, false, ledger.Closed, ""), root("doubted", 70_000, false, ledger.Shadow, ""),
	}
	all[1].Brand = "elo"
	n.reconcile("a", func(r *results.ReconcileTx) {
		for _, f := range all {
			ok(t, r.WriteCase(f, true))
		}
	})
	later := all[0]
	later.Impact, later.LastRun = ledger.Some[ledger.Amount](90_000), "b"
	n.reconcile("b", func(r *results.ReconcileTx) { ok(t, r.WriteCase(later, true)) })

	for _, c := range []struct {
		name  string
		query reports.RootQuery
		cases []string
		want  string
	}{
		{"as of the first run", reports.RootQuery{AsOfRun: "a"}, nil, "2: lost 100 late 20100 at_risk 0 claimed 100 waived 10000 excess 200 in 1"},
		{"now, the first is larger", reports.RootQuery{}, nil, "2: lost 90000 late 20100 at_risk 0 claimed 100 waived 10000 excess 200 in 1"},
		{"the day before it is due", reports.RootQuery{AsOf: day(1)}, nil, "1: lost 90000 late 0 at_risk 20100 claimed 100 waived 10000 excess 200 in 1"},
		{"of a brand", reports.RootQuery{AsOfRun: "a", Brands: []string{"elo"}}, nil, "0: lost 0 late 0 at_risk 0 claimed 100 waived 0 excess 0 in 0"},
		{"those that are named", reports.RootQuery{AsOfRun: "a"}, []string{all[2].Case, all[5].Case}, "1: lost 0 late 20100 at_risk 0 claimed 0 waived 0 excess 0 in 0"},
		{"none is named", reports.RootQuery{}, []string{}, "0: lost 0 late 0 at_risk 0 claimed 0 waived 0 excess 0 in 0"},
		{"of another account", reports.RootQuery{Account: 1}, nil, "0: lost 0 late 0 at_risk 0 claimed 0 waived 0 excess 0 in 0"},
	} {
		c.query.Account, c.query.AsOf = cmp.Or(c.query.Account, account), cmp.Or(c.query.AsOf, day(2))
		s, err := n.l.RootSums(t.Context(), c.query, c.cases)
		ok(t, err)
		equal(t, c.name, spellRoots(s), c.want)
		if c.cases == nil {
			equal(t, c.name+", one by one", spellRoots(addRoots(t, n.l, c.query)), c.want)
		}
	}
	figures, err := n.l.Figures(t.Context(), []ledger.Account{account, 1}, "")
	ok(t, err)
	equal(t, "as commands print them, as of the last reconcile", figures, ledger.Figures{
		Lost: 90_000, Late: 20_100, Claimed: 100, Waived: 10_000, Excess: 200,
	})
	figures, err = n.l.Figures(t.Context(), []ledger.Account{account}, "a")
	ok(t, err)
	equal(t, "as of the first run", figures.Lost, 100)
}

// addRoots adds up case by case what RootSums adds up in the database.
func addRoots(t *testing.T, l *store.Ledger, q reports.RootQuery) reports.Sums {
	t.Helper()
	var f ledger.Figures
	out := reports.Sums{Columns: map[string]int64{}}
	ok(t, l.UnresolvedCases(t.Context(), q, func(r *reports.UnresolvedCase) error {
		switch r.Figure {
		case ledger.FigureLost, ledger.FigureLate:
			out.Rows++
		case ledger.FigureExcess:
			out.Columns["excess_count"]++
		}
		equal(t, "opened, "+r.Subject, r.OpenedOn == 0, r.Subject == "late")
		return f.Add(r.Figure, r.Impact)
	}))
	for _, name := range ledger.FigureNames() {
		out.Columns[string(name)] = int64(f.AmountOf(name))
	}
	return out
}

func spellRoots(s reports.Sums) string {
	text := fmt.Sprintf("%d:", s.Rows)
	for _, name := range ledger.FigureNames() {
		text += fmt.Sprintf(" %s %d", name, s.Columns[string(name)])
	}
	return fmt.Sprintf("%s in %d", text, s.Columns["excess_count"])
}

// figuresOfAny: whatever the cases are, the database adds up the same figures as the definition does case by case, as of any day
// and any run, and what costs the merchant something is in exactly one of them.
func figuresOfAny(t *testing.T, open func(*testing.T) *store.Ledger) {
	n, r := begin(t, open(t)), rand.New(rand.NewPCG(7, 1))
	states := []ledger.State{
		ledger.Pending, ledger.Opened, ledger.Reopened, ledger.Acknowledged, ledger.Disputed, ledger.Waived, ledger.Shadow,
		ledger.Resolved, ledger.Closed,
	}
	var positive ledger.Amount
	for i, run := range []string{"a", "b"} {
		positive = 0
		n.reconcile(run, func(work *results.ReconcileTx) {
			for k := range 300 {
				f := finding(fmt.Sprintf("s%d", k), "C1", ledger.Error, ledger.Opt[ledger.Amount]{})
				f.State, f.Exposure, f.ExplainedBy, f.LastRun = states[r.IntN(len(states))], r.IntN(2) == 0, "", run
				f.DueOn = []ledger.Date{0, day(19), day(20), day(21)}[r.IntN(4)]
				if r.IntN(4) > 0 {
					f.Impact = ledger.Some(ledger.Amount(r.IntN(20_001) - 5_000))
				}
				if r.IntN(5) == 0 {
					f.ExplainedBy = "ROOT"
				}
				if f.Impact.V > 0 && f.ExplainedBy == "" && f.State.IsUnresolved() && f.State != ledger.Shadow {
					positive += f.Impact.V.Rounded(ledger.HalfAwayFromZero)
				}
				ok(t, work.WriteCase(f, i == 0))
			}
		})
	}
	for _, asOf := range []ledger.Date{day(18), day(19), day(20), day(21)} {
		for _, run := range []string{"", "a", "b"} {
			q := reports.RootQuery{Account: account, AsOf: asOf, AsOfRun: run}
			s, err := n.l.RootSums(t.Context(), q, nil)
			ok(t, err)
			equal(t, fmt.Sprintf("as of %s and run %q", asOf, run), spellRoots(s), spellRoots(addRoots(t, n.l, q)))
		}
	}
	now, err := n.l.Figures(t.Context(), []ledger.Account{account}, "")
	ok(t, err)
	equal(t, "all that costs something", now.Positive(), positive)
	if now.Lost == 0 || now.Late == 0 || now.AtRisk == 0 || now.Claimed == 0 || now.Waived == 0 || now.Excess == 0 {
		t.Errorf("the cases are not in all figures: %+v", now)
	}
}

// firingCases are the cases that a summary counts on the rows it chooses, on their splits and on their sales, each once.
func firingCases(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	odd := func(k int) ledger.Installment { return row(day(1), "1:2%~", k, 2) }
	duplicate := row(day(2), "7", 1, 1)
	n.merge(day(1), day(2), odd(1), odd(2), duplicate, duplicate)
	key := func(i ledger.Installment, occurrence int) ledger.InstallmentKey {
		k := i.Key()
		k.Occurrence = occurrence
		return k
	}
	sale := ledger.SaleKey{Account: account, Day: day(1), NSU: "1:2%~", Auth: "A1:2%~", Occurrence: 1}
	all := []ledger.Finding{
		finding(key(odd(1), 1).Subject(), "C1", ledger.Error, ledger.Some[ledger.Amount](1)),
		finding(key(odd(1), 1).Subject(), "C2", ledger.Warning, ledger.Some[ledger.Amount](1)),
		finding(sale.Subject(), "C1", ledger.Error, ledger.Some[ledger.Amount](1)),
		finding(key(duplicate, 2).Subject(), "C1", ledger.Error, ledger.Some[ledger.Amount](1)),
		finding("split"+strings.TrimPrefix(key(odd(2), 1).Subject(), "card")+":ae9351af:P:1", "C1", ledger.Warning, ledger.Some[ledger.Amount](1)),
		finding(key(odd(2), 1).Subject(), "C3", ledger.Info, ledger.Some[ledger.Amount](1)),
		finding("month:1001:2026-11:visa:credit:1", "C1", ledger.Error, ledger.Some[ledger.Amount](1)),
		finding(key(row(day(2), "8", 1, 1), 1).Subject(), "C1", ledger.Error, ledger.Some[ledger.Amount](1)),
	}
	for _, s := range []ledger.State{ledger.Pending, ledger.Resolved, ledger.Closed, ledger.Shadow} {
		f := finding(key(odd(2), 1).Subject(), "C-"+string(s), ledger.Error, ledger.Some[ledger.Amount](1))
		f.State = s
		all = append(all, f)
	}
	n.reconcile("a", func(work *results.ReconcileTx) {
		for _, s := range n.sales() {
			for _, h := range s.Rows {
				e := believe(h.Current(), ledger.Open, ledger.LineNotDue)
				ok(t, work.ReplaceExpectation(&e))
			}
		}
		for _, f := range all {
			ok(t, work.WriteCase(f, true))
		}
	})
	for _, tc := range []struct {
		why              string
		from, to         ledger.Date
		brands           []string
		errors, warnings int64
	}{
		{"both days: a sale's case once, the second of two equal rows, no row that did not come", day(1), day(2), nil, 3, 2},
		{"the first day alone", day(1), day(1), nil, 2, 2},
		{"another brand", day(1), day(2), []string{"elo"}, 0, 0},
	} {
		q := november("operation")
		q.Period, q.Brands = ledger.Period{From: tc.from, To: tc.to}, tc.brands
		for _, run := range []string{"", "a"} {
			q.AsOfRun = run
			s, err := n.l.Sums(t.Context(), q, "summary", ledger.Percent)
			ok(t, err)
			if e, w := s.Columns["exceptions_error"], s.Columns["exceptions_warning"]; e != tc.errors || w != tc.warnings {
				t.Errorf("%s, as of %q: %d errors and %d warnings, want %d and %d", tc.why, run, e, w, tc.errors, tc.warnings)
			}
		}
	}
}
