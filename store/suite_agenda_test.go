package store_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/published"
	"concilia/store/reports"
	"concilia/store/results"
)

// agendas: what is to come, row by row and added up, with and without splits, as of a run.
func agendas(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	rows := map[string]ledger.Installment{}
	for nsu, change := range map[string]func(*ledger.Installment){
		"1": func(i *ledger.Installment) { i.Gross, i.MDR = 10_000_50, ledger.Some[ledger.Amount](2_50) },
		"2": func(i *ledger.Installment) { i.ReceivedType, i.Fee = "Antecipado", ledger.Some[ledger.Amount](-50) },
		"3": func(i *ledger.Installment) {
			i.Forecast, i.Anticipation, i.Splits = 0, ledger.Some[ledger.Amount](1_49), nil
		},
		"4": func(i *ledger.Installment) {},
		"5": func(i *ledger.Installment) { i.Splits[0].Value = ledger.Some[ledger.Amount](3_50) },
		"6": func(i *ledger.Installment) {},
		"7": func(i *ledger.Installment) {},
	} {
		i := row(day(1), nsu, 1, 1)
		change(&i)
		rows[nsu] = i
	}
	n.merge(day(1), day(1), slices.Collect(maps.Values(rows))...)
	n.reconcile("a", func(r *results.ReconcileTx) {
		for _, s := range n.sales() {
			v := s.Rows[0].Current()
			e := believe(v, ledger.Open, ledger.LineNotDue)
			e.Received = 0
			switch s.Key.NSU {
			case "3":
				e.Rest = ledger.LineNoForecast
			case "4":
				e.Class, e.Rest, e.Brand = ledger.Blocked, ledger.LineBlocked, "elo"
			case "6":
				e.Rest = ledger.LineOverdue
			case "7":
				e.Class, e.Rest = ledger.Cancelled, ledger.LineReversed
			}
			ok(t, r.ReplaceExpectation(&e))
		}
	})
	// What a later run makes of it is none of the first one's business.
	gone := rows["1"]
	n.merge(day(1), day(1), gone)
	n.reconcile("b", func(*results.ReconcileTx) {})

	for _, c := range []struct {
		name  string
		q     reports.Query
		split bool
		want  int
	}{
		{"as of the run", reports.Query{AsOfRun: "a"}, false, 5},
		{"as of the run, net of splits", reports.Query{AsOfRun: "a"}, true, 5},
		{"of a brand", reports.Query{AsOfRun: "a", Brands: []string{"elo"}}, false, 1},
		{"of a class", reports.Query{AsOfRun: "a", Classes: []ledger.Class{ledger.Open}}, true, 4},
		{"as of the later run", reports.Query{AsOfRun: "b"}, false, 1},
		{"now", reports.Query{}, true, 1},
		{"before any run", reports.Query{AsOfRun: "0"}, false, 0},
	} {
		c.q.Account = account
		want := reports.Sums{Columns: map[string]int64{}}
		for _, id := range []string{"installments", "gross", "deductions", "net", "anticipated", "blocked"} {
			want.Columns[id] = 0
		}
		lines := map[string]bool{}
		ok(t, n.l.AgendaItems(t.Context(), c.q, reports.Agenda{NetOfSplits: c.split}, func(i *ledger.AgendaItem) error {
			lines[fmt.Sprint(i.Forecast, i.Brand, i.Product)] = true
			want.Columns["installments"]++
			want.Columns["gross"] += i.GrossCents * 100
			want.Columns["deductions"] += int64(i.ChargedCents)
			switch {
			case i.Blocked:
				want.Columns["blocked"] += rd(i.Net)
				return nil
			case i.Anticipating || i.ReceivedType == "Antecipado":
				want.Columns["anticipated"] += rd(i.Net)
			}
			want.Columns["net"] += rd(i.Net)
			return nil
		}))
		want.Rows = int64(len(lines))
		got, err := n.l.AgendaSums(t.Context(), c.q, reports.Agenda{NetOfSplits: c.split, Anticipated: []string{"Antecipado", "x"}})
		ok(t, err)
		delete(got.Columns, "cumulative")
		equal(t, c.name+": sums", fmt.Sprint(got), fmt.Sprint(want))
		equal(t, c.name+": installments", got.Columns["installments"], int64(c.want))
	}
	types, err := n.l.ReceivedTypes(t.Context(), reports.Query{Account: account, AsOfRun: "a"})
	ok(t, err)
	equal(t, "received types", fmt.Sprintf("%q", types), `["" "Antecipado"]`)
	rolls(t, n)
}

// rolls: what moved is counted since the set before that showed it, and never from before a break.
func rolls(t *testing.T, n *night) {
	continued := func(run string, asOf ledger.Date, opening, closing ledger.Amount, moved map[ledger.Movement]ledger.Amount) {
		c := ledger.Continuity{Day: day(1), Brand: "visa", Product: ledger.Credit, Opening: opening, Closing: closing}
		for m, a := range moved {
			c.Changes[m] = a
		}
		n.asOf = asOf
		n.reconcile(run, func(r *results.ReconcileTx) { ok(t, r.WriteContinuity([]ledger.Continuity{c})) })
	}
	shown := func(d ledger.Date, revision int, run, mark string) {
		s := &published.Set{
			Account: account.String(), Basis: "asof", Period: ledger.Period{From: d, To: d}, Revision: revision, Run: run, AsOf: d,
			Tables: map[string]string{"table:exceptions": run},
		}
		if mark != "" {
			s.Tables["table:agenda-roll"] = mark
		}
		keepSet(t, n.l, s)
	}
	tells := func(what string, d ledger.Date, run, want string) {
		t.Helper()
		s, err := n.l.AgendaSpan(t.Context(), account, d, run)
		ok(t, err)
		got := fmt.Sprintf("since %s after %s:", s.Since, s.After)
		ok(t, n.l.AgendaRoll(t.Context(), account, s, nil, func(c *ledger.Continuity) error {
			moved := ledger.Amount(0)
			for _, m := range c.Changes {
				moved += m
			}
			got += fmt.Sprintf(" %s %s %d%+d=%d", c.Brand, c.Product, c.Opening, moved, c.Closing)
			return nil
		}))
		equal(t, what, got, want)
		sums, err := n.l.AgendaRollSums(t.Context(), account, s, []string{"elo"})
		ok(t, err)
		equal(t, what+", of a brand that has none", fmt.Sprint(sums.Rows, sums.Columns["start"], sums.Columns["new"]), "0 0 0")
	}
	continued("c", day(20), 0, 5, map[ledger.Movement]ledger.Amount{ledger.Started: 5})
	tells("the first", day(20), "c", "since  after : visa credit 0+5=5")
	shown(day(20), 0, "c", "x")
	tells("the first again", day(20), "c2", "since  after : visa credit 0+5=5")
	continued("d", day(21), 5, 7, map[ledger.Movement]ledger.Amount{ledger.Added: 3, ledger.ReceivedNormally: -1})
	tells("the next", day(21), "d", "since 2026-11-20 after c: visa credit 5+2=7")
	shown(day(21), 0, "d", "")
	continued("e", day(21), 7, 6, map[ledger.Movement]ledger.Amount{ledger.WasCancelled: -1})
	shown(day(20), 1, "e", "x")
	tells("after a day that did not show it, and a revision that is about another table", day(22), "e2", "since 2026-11-20 after c: visa credit 5+1=6")
	continued("f", day(22), 9, 6, nil)
	tells("the run that does not come to what is counted", day(22), "f", "since 2026-11-20 after c: visa credit 5+1=6")
	continued("g", day(23), 6, 8, map[ledger.Movement]ledger.Amount{ledger.Unblocked: 2})
	tells("after that", day(23), "g", "since 2026-11-22 after f: visa credit 6+2=8")
	shown(day(23), 0, "g", "y")
	continued("h", day(24), 8, 0, map[ledger.Movement]ledger.Amount{ledger.HasVanished: -8})
	tells("shown since", day(24), "h", "since 2026-11-23 after g: visa credit 8-8=0")
	shown(day(24), 0, "h", "z")
	n.asOf = day(25)
	n.reconcile("i", func(*results.ReconcileTx) {})
	tells("nothing is there and nothing moved", day(25), "i", "since 2026-11-24 after h:")
}

// statements: what SQL says of a statement's entries is what the rows say, and rows come by credit date.
func statements(t *testing.T, open func(*testing.T) *store.Ledger) {
	standingBefore(t, open(t))
	l, try := open(t), account
	property(t, func(r *rapid.T) {
		try++
		n := beginOn(t, l, try)
		n.merge(day(1), day(4), drawMoney(r)...)
		for range rapid.IntRange(1, 5).Draw(r, "windows") {
			drawSlipWindow(r, n)
		}
		n.reconcile("a", func(work *results.ReconcileTx) {
			for _, s := range n.sales() {
				for _, h := range s.Rows {
					e := drawBelief(r, h.Current())
					ok(t, work.ReplaceExpectation(&e))
				}
			}
			for _, s := range n.allSlips() {
				e := drawSlipBelief(r, &s)
				ok(t, work.ReplaceSlipExpectation(&e))
			}
		})
		q := november("operation") // which is not asked: a statement goes by credit date
		q.Account, q.Period.To = try, day(rapid.IntRange(1, 30).Draw(r, "to"))
		if rapid.Bool().Draw(r, "of a class") {
			q.Classes = []ledger.Class{ledger.Paid, ledger.Received}
		}
		gross, net := entries{}, entries{}
		var last ledger.Date
		ok(t, n.l.Credited(t.Context(), q, func(v *ledger.InstallmentVersion, _ *ledger.Expectation) error {
			if v.Effective < last || !q.Period.Contains(v.Effective) {
				r.Errorf("%s after %s", v.Effective, last)
			}
			last = v.Effective
			gross.add(rd(v.Received.Or(0)))
			net.add(rd(v.Received.Or(0)))
			return nil
		}))
		q.Basis = "credit"
		ok(t, n.l.SlipRows(t.Context(), q, func(s *ledger.Slip, e *ledger.SlipExpectation) error {
			gross.add(rd(s.PaidValue.Or(0)))
			gross.add(-rd(e.Tariff.Or(0)))
			net.add(rd(s.PaidValue.Or(0)) - rd(e.Tariff.Or(0)))
			return nil
		}))
		for table, want := range map[string]entries{"statement": gross, "statement-net": net} {
			got, err := n.l.Sums(t.Context(), q, table, ledger.Percent)
			ok(t, err)
			if (entries{got.Rows, got.Columns["credits"], got.Columns["debits"]}) != want {
				r.Errorf("%s: SQL %+v, the rows %+v", table, got, want)
			}
		}
	})
}

type entries struct{ rows, credits, debits int64 }

func (e *entries) add(amount int64) {
	if amount != 0 {
		e.rows++
	}
	e.credits += max(amount, 0)
	e.debits += max(-amount, 0)
}

// standingBefore: the standing revisions of what was published for earlier days.
func standingBefore(t *testing.T, l *store.Ledger) {
	keep := func(from, to, revision int, basis, filter string) {
		keepSet(t, l, &published.Set{
			Account: "1001", Basis: basis, Period: ledger.Period{From: day(from), To: day(to)}, Filter: filter, Revision: revision,
			Run: fmt.Sprint("r", revision), AsOf: day(20), Digest: "d", Tables: map[string]string{"mark": fmt.Sprint(from, to, revision)},
		})
	}
	keep(6, 10, 0, "credit", "")
	keep(1, 5, 0, "credit", "")
	keep(1, 5, 1, "credit", "")
	keep(1, 11, 0, "credit", "")
	keep(1, 5, 0, "operation", "")
	keep(1, 5, 0, "credit", "brand=visa")
	for _, c := range []struct {
		why    string
		filter string
		before int
		run    string
		want   string
	}{
		{"none yet", "", 5, "r9", ""},
		{"the latest revision of each, by last day", "", 11, "r9", "1 5 1;6 10 0;"},
		{"as of a run", "", 11, "r0", "1 5 0;6 10 0;"},
		{"of the filter alone", "brand=visa", 30, "r9", "1 5 0;"},
	} {
		got, err := l.StandingBefore(t.Context(), "1001", "credit", c.filter, day(c.before), c.run)
		ok(t, err)
		list := ""
		for i := range got {
			list += got[i].Tables["mark"] + ";"
			equal(t, c.why+", revision", fmt.Sprint(got[i].Revision), list[len(list)-2:len(list)-1])
		}
		equal(t, c.why, list, c.want)
	}
}
