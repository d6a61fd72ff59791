package storetest

import (
	"fmt"
	"testing"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/reports"
	"concilia/store/results"
)

// stateCases are the cases of a state set one by one, added up, by the day they opened and by the day they wait since: four
// questions, each answered by a query of its own.
func stateCases(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	ctx := t.Context()
	late := finding("card:late", "RECEIVED_OVERDUE", ledger.Error, ledger.Some[ledger.Amount](966_050))
	late.Numbers = []ledger.Number{{Name: "net", Value: "96.605"}, {Name: "due", Value: "2026-11-09"}}
	slipLate := finding("slip:late", "SLIP_CREDIT_OVERDUE", ledger.Error, ledger.Some(30*ledger.Real))
	slipLate.Brand, slipLate.Numbers, slipLate.State = "elo", []ledger.Number{{Name: "due", Value: "2026-11-05"}}, ledger.Waived
	slipLate.WaivedCap, slipLate.WaivedUntil = ledger.Some[ledger.Amount](10_149), day(30)
	disputed := finding("card:told", "C1", ledger.Warning, ledger.Some[ledger.Amount](-50))
	disputed.State, disputed.Actual, disputed.OpenedOn = ledger.Disputed, ledger.Money(150), day(8)
	pending := finding("card:soon", "RECEIVED_OVERDUE", ledger.Error, ledger.Opt[ledger.Amount]{})
	pending.State, pending.OpenedOn, pending.Numbers = ledger.Pending, 0, late.Numbers
	gone := finding("card:gone", "C2", ledger.Info, ledger.Opt[ledger.Amount]{})
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
			"as of the first run", "a", "", nil, "card:late slip:late card:soon card:told card:gone", "126.60",
			"card_overdue visa 2026-11-09 1 96.61; dispute_open visa 2026-11-20 1 -0.01; slip_not_credited  2026-11-05 1 30.00",
		},
		{
			"what is over since the state before is there once more", "b", "a", nil,
			"card:late slip:late card:soon card:told card:gone", "126.60",
			"card_overdue visa 2026-11-09 1 96.61; dispute_open visa 2026-11-20 1 -0.01; slip_not_credited  2026-11-05 1 30.00",
		},
		{
			"and is not the night after; nor is a dispute that ended", "c", "b", nil, "card:late slip:late card:soon card:told", "126.60",
			"card_overdue visa 2026-11-09 1 96.61; slip_not_credited  2026-11-05 1 30.00",
		},
		{"of a brand", "b", "a", []string{"elo"}, "slip:late card:gone", "30.00", "slip_not_credited  2026-11-05 1 30.00"},
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
				if f.Subject == "card:told" {
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
	for _, s := range []reports.Set{
		{Run: "a", Period: ledger.Period{From: day(18), To: day(18)}, Tables: map[string]string{"table:aging": "1", "table:agenda": "1"}},
		{Run: "b", Period: ledger.Period{From: day(19), To: day(19)}, Tables: map[string]string{"table:aging": "2"}},
		{Run: "c", Period: ledger.Period{From: day(19), To: day(19)}, Revision: 1, Tables: map[string]string{"table:aging": "3"}},
		{Run: "d", Period: ledger.Period{From: day(19), To: day(19)}, Filter: "brand=elo", Tables: map[string]string{"table:agenda": "4"}},
	} {
		s.Account, s.Basis = account.String(), "asof"
		ok(t, l.KeepSet(t.Context(), &s))
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
	set := func(d int, files ...reports.File) *reports.Set {
		s := &reports.Set{
			Account: account.String(), Basis: "asof", Period: ledger.Period{From: day(d), To: day(d)}, Run: fmt.Sprint("r", d),
			AsOf: day(d), Files: files,
		}
		ok(t, l.KeepSet(t.Context(), s))
		return s
	}
	first := set(17, reports.File{Path: "x"}, reports.File{Path: "y"}, reports.File{Path: "z"})
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
