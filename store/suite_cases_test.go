package store_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/published"
	"concilia/store/reports"
	"concilia/store/results"
)

// stateCases are the cases of a state set one by one, added up, by the day they opened and by the day they wait since: four
// questions, each answered by a query of its own.
func stateCases(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	ctx := t.Context()
	late := finding("card:1001:2026-11-01:late:A:1", "RECEIVED_OVERDUE", ledger.Error, ledger.Some[ledger.Amount](966_050))
	late.Numbers = []ledger.Number{{Name: "net", Value: "96.605"}, {Name: "due", Value: "2026-11-09"}}
	slipLate := finding("slip:late", "SLIP_CREDIT_OVERDUE", ledger.Error, ledger.Some(30*ledger.Real))
	slipLate.Brand, slipLate.Numbers, slipLate.State = "elo", []ledger.Number{{Name: "due", Value: "2026-11-05"}}, ledger.Waived
	slipLate.WaivedCap, slipLate.WaivedUntil = ledger.Some[ledger.Amount](10_149), day(30)
	disputed := finding("card:1001:2026-11-01:told:A:1", "C1", ledger.Warning, ledger.Some[ledger.Amount](-50))
	disputed.State, disputed.Actual, disputed.OpenedOn = ledger.Disputed, ledger.Money(150), day(8)
	pending := finding("card:1001:2026-11-01:soon:A:1", "RECEIVED_OVERDUE", ledger.Error, ledger.Opt[ledger.Amount]{})
	pending.State, pending.OpenedOn, pending.Numbers = ledger.Pending, 0, late.Numbers
	gone := finding("card:1001:2026-11-01:gone:A:1", "C2", ledger.Info, ledger.Opt[ledger.Amount]{})
	gone.Brand = "elo"
	all := []ledger.Finding{gone, pending, disputed, slipLate, late}
	n.reconcile("a", func(r *results.ReconcileTx) {
		for _, f := range all {
			ok(t, r.WriteCase(f, true))
		}
	})
	n.asOf = day(21)
	gone.State, gone.LastRun = ledger.Resolved, "b"
	n.reconcile("b", func(r *results.ReconcileTx) { ok(t, r.WriteCase(gone, true)) })
	n.asOf = day(22)
	disputed.State, disputed.LastRun = ledger.Reopened, "c"
	n.reconcile("c", func(r *results.ReconcileTx) { ok(t, r.WriteCase(disputed, true)) })

	for _, c := range []struct {
		name          string
		run, since    string
		brands        []string
		cases, impact string
		waiting       string
	}{
		{
			"as of the first run", "a", "", nil, "card:1001:2026-11-01:late:A:1 slip:late card:1001:2026-11-01:soon:A:1 card:1001:2026-11-01:told:A:1 card:1001:2026-11-01:gone:A:1", "126.60",
			"card_overdue visa 2026-11-09 1 96.61; dispute_open visa 2026-11-20 1 -0.01; slip_not_credited  2026-11-05 1 30.00",
		},
		{
			"what is over since the state before is there once more", "b", "a", nil,
			"card:1001:2026-11-01:late:A:1 slip:late card:1001:2026-11-01:soon:A:1 card:1001:2026-11-01:told:A:1 card:1001:2026-11-01:gone:A:1", "126.60",
			"card_overdue visa 2026-11-09 1 96.61; dispute_open visa 2026-11-20 1 -0.01; slip_not_credited  2026-11-05 1 30.00",
		},
		{
			"and is not the night after; nor is a dispute that ended", "c", "b", nil, "card:1001:2026-11-01:late:A:1 slip:late card:1001:2026-11-01:soon:A:1 card:1001:2026-11-01:told:A:1", "126.60",
			"card_overdue visa 2026-11-09 1 96.61; slip_not_credited  2026-11-05 1 30.00",
		},
		{"of a brand", "b", "a", []string{"elo"}, "slip:late card:1001:2026-11-01:gone:A:1", "30.00", "slip_not_credited  2026-11-05 1 30.00"},
		{"before any run", "0", "", nil, "", "0.00", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := reports.StateQuery{Account: account, AsOf: day(20), AsOfRun: c.run, Since: c.since, Brands: c.brands}
			list, opened := "", map[ledger.Date]int64{}
			var count, age, version int64
			var difference, waived ledger.Amount
			ok(t, n.l.StateCases(ctx, q, func(f *ledger.Finding) error {
				list += " " + f.Subject
				count++
				version += int64(f.RuleVersion)
				if f.OpenedOn != 0 {
					opened[f.OpenedOn]++
					age += int64(q.AsOf - f.OpenedOn)
				}
				if f.Subject == "card:1001:2026-11-01:told:A:1" {
					difference += (150 - 100) * 2 // half a cent away from zero
				}
				if f.State == ledger.Waived {
					waived += f.WaivedCap.V.Rounded(ledger.HalfAwayFromZero)
				}
				return nil
			}))
			if list != "" {
				list = list[1:]
			}
			equal(t, "cases, gravest first", list, c.cases)
			sums, err := n.l.StateSums(ctx, q)
			ok(t, err)
			impact, err := ledger.ParseAmount(c.impact)
			ok(t, err)
			equal(t, "sums", fmt.Sprint(sums.Rows, sums.Columns["age_days"], sums.Columns["impact"], sums.Columns["rule_version"],
				sums.Columns["difference"], sums.Columns["waiver_cap"]), fmt.Sprint(count, age, int64(impact), version, int64(difference), int64(waived)))
			got, err := n.l.StateOpenings(ctx, q)
			ok(t, err)
			equal(t, "openings", fmt.Sprint(got), fmt.Sprint(opened))
			waiting, err := n.l.StateWaiting(ctx, q)
			ok(t, err)
			equal(t, "waiting", spellWaiting(waiting), c.waiting)
		})
	}
	for run, want := range map[string]ledger.Date{"a": day(20), "b": day(20), "c": 0} {
		on, err := n.l.DisputedOn(ctx, disputed.Case, run)
		ok(t, err)
		equal(t, "disputed as of "+run+" since", on, want)
	}
}

// stateNotDue is what is owed and not late, from the rows and from what the run noted in its brackets.
func stateNotDue(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	n.merge(day(1), day(1), row(day(1), "1", 1, 1), row(day(1), "2", 1, 1), row(day(1), "3", 1, 1), row(day(1), "4", 1, 1))
	n.slips(ledger.SlipsPayment, day(1), day(9), paid(slip(ledger.SlipsPayment, "a", day(5)), day(5)), paid(slip(ledger.SlipsPayment, "b", day(6)), day(6)))
	n.reconcile("a", func(r *results.ReconcileTx) {
		for _, s := range n.sales() {
			v := s.Rows[0].Current()
			e := believe(v, ledger.Open, ledger.LineNotDue)
			switch s.Key.NSU {
			case "2":
				e.Rest, e.Net = ledger.LineNoForecast, e.Net+50 // half a cent more
			case "3":
				e.Rest = ledger.LineOverdue
			case "4":
				e.Brand = "elo"
			}
			e.Brackets = []ledger.Bracket{{Line: e.Rest, Amount: e.Net - e.Received}}
			if s.Key.NSU == "4" { // its status is unmapped
				e.Brackets = []ledger.Bracket{
					{Line: ledger.LineNotAttributed, Reason: "unmapped", Origin: ledger.LineMDR, Amount: 7 * ledger.Real},
					{Line: ledger.LineNotAttributed, Reason: "unmapped", Origin: e.Rest, Amount: e.Net - e.Received},
				}
			}
			ok(t, r.ReplaceExpectation(&e))
		}
		for id, rest := range map[string]ledger.BridgeLine{"a": ledger.LineCreditNotDue, "b": ledger.LineCreditOverdue} {
			ok(t, r.ReplaceSlipExpectation(&ledger.SlipExpectation{
				Account: account, ID: id, Version: 1, Class: ledger.Paid, Rest: rest,
				Brackets: []ledger.Bracket{{Line: rest, Amount: 150 * ledger.Real}},
			}))
		}
	})
	for _, c := range []struct {
		name   string
		run    string
		brands []string
		want   string
	}{
		{"as of the run", "a", nil, "card_overdue elo 1; card_overdue visa 2; slip_not_credited  1"},
		{"of a brand, which slips have none of", "a", []string{"elo"}, "card_overdue elo 1"},
		{"before any run", "0", nil, ""},
	} {
		q := reports.StateQuery{Account: account, AsOf: day(20), AsOfRun: c.run, Brands: c.brands}
		lines, err := n.l.StateNotDue(t.Context(), q)
		ok(t, err)
		list := ""
		var count int64
		var printed ledger.Amount
		for _, l := range lines {
			if l.Count == 0 { // nothing was paid at all
				continue
			}
			if list != "" {
				list += "; "
			}
			list += fmt.Sprintf("%s %s %d", l.Kind, l.Brand, l.Count)
			count, printed = count+l.Count, printed+l.Printed
			if l.Brand == "visa" && l.Printed-l.Exact == 0 {
				t.Error("half a cent was printed as it is")
			}
		}
		equal(t, c.name, list, c.want)
		sums, err := n.l.StateNotDueSums(t.Context(), q)
		ok(t, err)
		equal(t, c.name+", by the brackets", fmt.Sprint(sums.Columns["not_due_qty"], sums.Columns["not_due"]), fmt.Sprint(count, int64(printed)))
	}
}

// stateBefore is which state was published before: of the last day, by a run before, with the table in it.
func stateBefore(t *testing.T, open func(*testing.T) *store.Ledger) {
	l := open(t)
	for _, s := range []published.Set{
		{Run: "a", Period: ledger.Period{From: day(18), To: day(18)}, Tables: map[string]string{"table:aging": "1", "table:agenda": "1"}},
		{Run: "b", Period: ledger.Period{From: day(19), To: day(19)}, Tables: map[string]string{"table:aging": "2"}},
		{Run: "c", Period: ledger.Period{From: day(19), To: day(19)}, Revision: 1, Tables: map[string]string{"table:aging": "3"}},
		{Run: "d", Period: ledger.Period{From: day(19), To: day(19)}, Filter: "brand=elo", Tables: map[string]string{"table:agenda": "4"}},
	} {
		s.Account, s.Basis = account.String(), "asof"
		keepSet(t, l, &s)
	}
	for _, c := range []struct {
		name       string
		asOf       ledger.Date
		run, table string
		want       string
	}{
		{"the last revision of the day before", day(20), "e", "aging", "c"},
		{"by a run before that one", day(20), "c", "aging", "b"},
		{"a day again is not before itself", day(19), "e", "aging", "a"},
		{"without the table it is as if it were not", day(20), "e", "agenda", "a"},
		{"none", day(18), "e", "aging", ""},
	} {
		got, err := l.StateBefore(t.Context(), account.String(), c.asOf, c.run, c.table)
		ok(t, err)
		equal(t, c.name, got, c.want)
	}
}

// retiredSince is what went since the state before: the files of that span alone.
func retiredSince(t *testing.T, open func(*testing.T) *store.Ledger) {
	l := open(t)
	set := func(d int, files ...published.File) *published.Set {
		s := &published.Set{
			Account: account.String(), Basis: "asof", Period: ledger.Period{From: day(d), To: day(d)}, Run: fmt.Sprint("r", d),
			AsOf: day(d), Files: files,
		}
		keepSet(t, l, s)
		return s
	}
	first := set(17, published.File{Path: "x"}, published.File{Path: "y"}, published.File{Path: "z"})
	set(18)
	set(19)
	first.Files[0].RetiredOn, first.Files[1].RetiredOn = day(18), day(19)
	ok(t, l.Retire(t.Context(), first, 0))
	told := func(asOf ledger.Date) string {
		since, sets, err := l.RetiredSince(t.Context(), account.String(), asOf)
		ok(t, err)
		out := since.String()
		for _, s := range sets {
			for _, f := range s.Files {
				out += " " + f.Path
			}
		}
		return out
	}
	equal(t, "the first state has none before", told(day(17)), "")
	equal(t, "on the day before, and not on the day itself", told(day(19)), "2026-11-18 x")
	equal(t, "the night after", told(day(20)), "2026-11-19 y")
	first.Files[2].RetiredOn = day(19)
	ok(t, l.Retire(t.Context(), first, day(19)))
	equal(t, "of a revision that went whole, too", told(day(20)), "2026-11-19 y z")
	equal(t, "days after the last state", told(day(25)), "2026-11-19 y z")
	first.Files[1].RetiredOn, first.Files[2].RetiredOn = 0, 0
	ok(t, l.Retire(t.Context(), first, 0))
	equal(t, "what is there again did not go", told(day(20)), "2026-11-19")
}

// spellWaiting sorts the lines, whose order is open.
func spellWaiting(lines []reports.Waiting) string {
	var out []string
	for _, w := range lines {
		out = append(out, fmt.Sprintf("%s %s %s %d %s", w.Kind, w.Brand, w.Since, w.Count, w.Printed.Fixed(2)))
	}
	return sorted(out)
}

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
		want  string
	}{
		{"as of the first run", reports.RootQuery{AsOfRun: "a"}, "2: lost 100 late 20100 at_risk 0 claimed 100 waived 10000 excess 200 in 1"},
		{"now, the first is larger", reports.RootQuery{}, "2: lost 90000 late 20100 at_risk 0 claimed 100 waived 10000 excess 200 in 1"},
		{"the day before it is due", reports.RootQuery{AsOf: day(1)}, "1: lost 90000 late 0 at_risk 20100 claimed 100 waived 10000 excess 200 in 1"},
		{"of a brand", reports.RootQuery{AsOfRun: "a", Brands: []string{"elo"}}, "0: lost 0 late 0 at_risk 0 claimed 100 waived 0 excess 0 in 0"},
		{"of another account", reports.RootQuery{Account: 1}, "0: lost 0 late 0 at_risk 0 claimed 0 waived 0 excess 0 in 0"},
	} {
		c.query.Account, c.query.AsOf = cmp.Or(c.query.Account, account), cmp.Or(c.query.AsOf, day(2))
		s, err := n.l.RootSums(t.Context(), c.query)
		ok(t, err)
		equal(t, c.name, spellRoots(s), c.want)
		equal(t, c.name+", one by one", spellRoots(addRoots(t, n.l, c.query)), c.want)
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
				code, own := "C1", k%7 == 0
				if own { // of a store's own sales, which no figure has
					code = ledger.OwnSaleCodes + "X"
				}
				f := finding(fmt.Sprintf("s%d", k), code, ledger.Error, ledger.Opt[ledger.Amount]{})
				f.State, f.Exposure, f.ExplainedBy, f.LastRun = states[r.IntN(len(states))], r.IntN(2) == 0, "", run
				f.DueOn = []ledger.Date{0, day(19), day(20), day(21)}[r.IntN(4)]
				if r.IntN(4) > 0 {
					f.Impact = ledger.Some(ledger.Amount(r.IntN(20_001) - 5_000))
				}
				if r.IntN(5) == 0 {
					f.ExplainedBy = "ROOT"
				}
				if f.Impact.V > 0 && f.ExplainedBy == "" && f.State.IsUnresolved() && f.State != ledger.Shadow && !own {
					positive += f.Impact.V.Rounded(ledger.HalfAwayFromZero)
				}
				ok(t, work.WriteCase(f, i == 0))
			}
		})
	}
	for _, asOf := range []ledger.Date{day(18), day(19), day(20), day(21)} {
		for _, run := range []string{"", "a", "b"} {
			q := reports.RootQuery{Account: account, AsOf: asOf, AsOfRun: run}
			s, err := n.l.RootSums(t.Context(), q)
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
			var lines reports.LineCases
			ok(t, n.l.FiringCases(t.Context(), q, func(c *reports.LineCases) error {
				lines.Errors, lines.Warnings = lines.Errors+c.Errors, lines.Warnings+c.Warnings
				return nil
			}))
			if lines.Errors != tc.errors || lines.Warnings != tc.warnings {
				t.Errorf("%s, as of %q, by line: %d errors and %d warnings, want %d and %d", tc.why, run, lines.Errors, lines.Warnings, tc.errors, tc.warnings)
			}
		}
	}
}

// casesOnRows are the root cases on the rows that a report chooses: on installments, their splits and sales, and on slips. Cases on
// rows of another period are left out, and so are those of the side that is not asked for.
func casesOnRows(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	zero, first := row(day(1), "9", 0, 3), row(day(1), "9", 1, 3)
	n.merge(day(1), day(2), zero, first, row(day(2), "9", 1, 1))
	n.slips(ledger.SlipsDue, day(1), day(30), slip(ledger.SlipsDue, "aa:1", day(5)), slip(ledger.SlipsDue, "bb", day(25)))
	sale := ledger.SaleKey{Account: account, Day: day(1), NSU: "9", Auth: "A9", Occurrence: 1}
	root := func(subject string, impact ledger.Amount) ledger.Finding {
		f := finding(subject, "C1", ledger.Error, ledger.Some(impact*ledger.Real))
		f.ExplainedBy, f.Exposure = "", false
		return f
	}
	zeroKey := zero.Key()
	n.reconcile("a", func(work *results.ReconcileTx) {
		for _, s := range n.sales() {
			for _, h := range s.Rows {
				e := believe(h.Current(), ledger.Open, ledger.LineNotDue)
				ok(t, work.ReplaceExpectation(&e))
			}
		}
		for _, id := range []string{"aa:1", "bb"} {
			ok(t, work.ReplaceSlipExpectation(&ledger.SlipExpectation{Account: account, ID: id, Version: 1, Class: ledger.Open}))
		}
		for _, f := range []ledger.Finding{
			root(zeroKey.Subject(), 1), root(sale.Subject(), 2), root(ledger.SplitSubject(first.Key(), "12345678000195", "P", 1), 4),
			root((&ledger.Installment{Account: account, SoldAt: at(day(2), 1), NSU: "9", Auth: "A9", Number: 1, Count: 1}).Key().Subject(), 8),
			root(ledger.SlipSubject(account, "aa:1"), 16), root(ledger.SlipSubject(account, "bb"), 32),
			root(ledger.SlipSubject(account, "cc"), 64), root("month:1001:2026-11:visa:credit:1", 128),
		} {
			ok(t, work.WriteCase(f, true))
		}
	})
	for _, c := range []struct {
		why          string
		basis        string
		from, to     ledger.Date
		cards, slips bool
		want         ledger.Amount
	}{
		{"every row of the month", "forecast", day(1), day(30), false, true, 16 + 32},
		{"its first days: a slip, and the installment numbered 0 with its sale", "forecast", day(1), day(10), true, true, 16 + 1 + 2},
		{"the installments alone of its first day: with the one numbered 0, the sale once and a split", "operation", day(1), day(1), true, false, 1 + 2 + 4},
		{"of both days", "operation", day(1), day(2), true, false, 1 + 2 + 4 + 8},
		{"neither side", "operation", day(1), day(2), false, false, 0},
		{"a basis of slips alone", "payment", day(1), day(30), true, true, 0},
	} {
		for _, run := range []string{"", "a"} {
			rows := reports.Query{Account: account, Basis: c.basis, Period: ledger.Period{From: c.from, To: c.to}, AsOfRun: run}
			q := reports.RootQuery{Account: account, AsOf: day(2), AsOfRun: run, Rows: &rows, Cards: c.cards, Slips: c.slips}
			s, err := n.l.RootSums(t.Context(), q)
			ok(t, err)
			equal(t, c.why+": the sum", ledger.Amount(s.Columns["lost"]), c.want*ledger.Real)
			var sum ledger.Amount
			ok(t, n.l.UnresolvedCases(t.Context(), q, func(u *reports.UnresolvedCase) error {
				if u.OnRow {
					sum += u.Impact
				}
				return nil
			}))
			equal(t, c.why+": case by case", sum, c.want*ledger.Real)
		}
	}
}

// newCases are cases that a reconcile which knows the stored cases finds for the first time: they go another way than those
// seen again, and end the same.
func newCases(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	const count = 1200 // more than are written at once, twice
	named := func(i int) ledger.Finding {
		return finding(fmt.Sprintf("s%04d", i), "C1", ledger.Error, ledger.Some(ledger.Amount(i)))
	}
	resolved := func(i int) ledger.Finding {
		f := named(i)
		f.State = ledger.Resolved
		return f
	}
	standing := func(r *results.ReconcileTx, says string, want int) {
		all, err := r.CurrentCases()
		ok(t, err)
		equal(t, says, len(all), want)
	}
	n.reconcile("a", func(r *results.ReconcileTx) {
		standing(r, "cases before the first reconcile", 0)
		for i := range count {
			ok(t, r.WriteCase(named(i), true))
		}
		standing(r, "cases of an attempt", count)
		ok(t, r.Restart())
		standing(r, "cases after the attempt was taken back", 0)
		for i := range count {
			ok(t, r.WriteCase(named(i), i%10 > 0))
		}
		ok(t, r.WriteCase(resolved(1), true))       // written already
		ok(t, r.WriteCase(resolved(count-1), true)) // gathered yet
	})
	n.reconcile("b", func(r *results.ReconcileTx) {
		standing(r, "cases before the second reconcile", count)
		ok(t, r.WriteCase(resolved(2), true))
		ok(t, r.WriteCase(named(count), true))
	})
	for _, c := range []struct {
		says  string
		of    int
		state ledger.State
		runs  string
	}{
		{"one without an event has none", 0, ledger.Opened, ""},
		{"one seen twice in a reconcile, in two lots, has two events and is as it was seen last", 1, ledger.Resolved, "aa"},
		{"so has one seen twice in one lot", count - 1, ledger.Resolved, "aa"},
		{"one that stood has the events of both reconciles", 2, ledger.Resolved, "ab"},
		{"one of the second reconcile has its own", count, ledger.Opened, "b"},
		{"one of the first has that alone", 3, ledger.Opened, "a"},
	} {
		f := named(c.of)
		got, err := n.l.FindingByCase(t.Context(), f.Case)
		ok(t, err)
		equal(t, c.says+": state", got.State, c.state)
		events, err := n.l.FindingEvents(t.Context(), f.Case)
		ok(t, err)
		runs := ""
		for i, e := range events {
			runs += e.Run
			equal(t, c.says+": sequence", e.Sequence, i+1)
			equal(t, c.says+": as of", e.AsOf, n.asOf)
		}
		equal(t, c.says+": runs", runs, c.runs)
	}
}
