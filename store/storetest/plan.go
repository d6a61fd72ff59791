package storetest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/store"
	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/results"
)

// openDays: what a sale day waits for follows from what is believed of its rows, and from when its promises are.
func openDays(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	rows := []struct {
		name     string
		day      int
		class    ledger.Class
		rest     ledger.BridgeLine
		forecast int // of November
		next     int // the as-of at which time turns it; 0: never
		want     facts.WaitingDay
	}{
		{"due today", 1, ledger.Open, ledger.LineNotDue, 10, 11, facts.WaitingDay{Due: true, Open: true}},
		{"due tomorrow", 2, ledger.Open, ledger.LineNotDue, 11, 12, facts.WaitingDay{Open: true}},
		{"due on Friday, told overdue from Tuesday", 3, ledger.Open, ledger.LineNotDue, 6, 13, facts.WaitingDay{Due: true, Open: true}},
		{"due long ago, and no run looked since", 4, ledger.Open, ledger.LineNotDue, 5, 6, facts.WaitingDay{Due: true, Open: true}},
		{"overdue, and time turns it", 5, ledger.Open, ledger.LineOverdue, 5, 15, facts.WaitingDay{Late: true, Open: true}},
		{"overdue for long", 6, ledger.Open, ledger.LineOverdue, 5, 0, facts.WaitingDay{LongOverdue: true, Open: true}},
		{"blocked", 7, ledger.Blocked, ledger.LineBlocked, 30, 11, facts.WaitingDay{Blocked: true, Open: true}},
		{"without a promise", 8, ledger.Open, ledger.LineNoForecast, 0, 0, facts.WaitingDay{Open: true}},
		{"received", 9, ledger.Received, ledger.LineReceived, 9, 0, facts.WaitingDay{}},
	}
	var all []ledger.Installment
	var want []facts.WaitingDay
	for _, r := range rows {
		i := row(day(r.day), r.name, 1, 1)
		i.Forecast = 0
		if r.forecast > 0 {
			i.Forecast = day(r.forecast)
		}
		r.want.Day, r.want.FirstForecast, r.want.LastForecast = day(r.day), i.Forecast, i.Forecast
		all, want = append(all, i), append(want, r.want)
	}
	n.merge(day(1), day(9), all...)
	n.reconcile("a", func(r *results.ReconcileTx) {
		for i, s := range n.sales() {
			e := believe(s.Rows[0].Current(), rows[i].class, rows[i].rest)
			if rows[i].next > 0 {
				e.NextOn = day(rows[i].next)
			}
			ok(t, r.ReplaceExpectation(&e))
		}
	})
	n.merge(day(10), day(10), row(day(10), "nobody judged it", 1, 1))
	want = append(want, facts.WaitingDay{Day: day(10), FirstForecast: day(10) + 30, LastForecast: day(10) + 30})
	got, err := n.l.WaitingDays(t.Context(), facts.WaitingQuery{
		Account: account, AsOf: day(10), Recent: ledger.Period{From: day(6), To: day(10)}, OverdueBy: day(18),
	})
	ok(t, err)
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// planned: when windows were asked for, how many nights there were, and whether money came early.
func planned(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	one := row(day(2), "1", 1, 1)
	for on, rows := range map[ledger.Date][]ledger.Installment{day(20): {one}} {
		n.asOf = on
		n.merge(day(2), day(2), rows...)
	}
	early := received(one, 1)
	early.Effective = day(19)
	n.asOf = day(21)
	n.merge(day(2), day(2), early)
	n.asOf = day(22)
	n.merge(day(2), day(2), early)
	n.merge(day(3), day(5))
	failed := n.pull(ledger.Cards, day(2), day(2))
	failed.On, failed.Complete = day(24), false
	ok(t, n.l.StorePull(t.Context(), failed))
	got, err := n.l.RequestedWindows(t.Context(), account, day(2))
	ok(t, err)
	want := []facts.RequestedWindow{
		{Source: ledger.Cards, Period: ledger.Period{From: day(2), To: day(2)}, First: day(20), Last: day(22), LastChange: day(21)},
		{Source: ledger.Cards, Period: ledger.Period{From: day(3), To: day(5)}, First: day(22), Last: day(22)},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	later, err := n.l.RequestedWindows(t.Context(), account, day(6))
	ok(t, err)
	equal(t, "windows that touch a later day", len(later), 0)
	for _, c := range []struct {
		name     string
		from, to int
		want     bool
	}{
		{"the day it came", 19, 19, true}, {"the days before", 1, 18, false}, {"the days after", 20, 30, false},
	} {
		is, err := n.l.HasEarlyPayments(t.Context(), account, ledger.Period{From: day(c.from), To: day(c.to)})
		ok(t, err)
		equal(t, c.name, is, c.want)
	}
	other := row(day(3), "2", 1, 1)
	other.CardName = "ELO"
	n.merge(day(3), day(3), other, row(day(3), "3", 1, 1))
	for _, c := range []struct {
		name     string
		from, to int
		want     []string
	}{
		{"one brand sold", 1, 2, []string{one.CardName}}, {"two", 1, 3, []string{"ELO", one.CardName}}, {"none", 4, 9, nil},
	} {
		brands, err := n.l.BrandsSold(t.Context(), account, ledger.Period{From: day(c.from), To: day(c.to)})
		ok(t, err)
		if d := cmp.Diff(c.want, brands); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

// registrations: what a filtered answer told of a slip stays until a list tells otherwise, and its day is not proven.
func registrations(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	credited := func(id string) ledger.SlipView {
		v := paid(slip(ledger.SlipsCredit, id, day(5)), day(5))
		v.CreditedOn = day(6)
		return v
	}
	told := slip(ledger.SlipsDue, "told", day(5))
	told.Integration = ledger.Some[int64](ledger.IntegrationIssued)
	n.slips(ledger.SlipsDue, day(5), day(5), told)
	n.slips(ledger.SlipsCredit, day(6), day(6), credited("told"), credited("untold"))
	known, err := n.l.SlipRegistrations(t.Context(), account, ledger.Period{From: day(1), To: day(9)})
	ok(t, err)
	if d := cmp.Diff(map[string]ledger.Opt[int64]{"told": told.Integration, "untold": {}}, known); d != "" {
		t.Error(d)
	}
	filtered := credited("untold")
	filtered.Integration = ledger.Some[int64](ledger.IntegrationRejected)
	p := n.pull(ledger.SlipsCredit, day(1), day(9))
	p.Complete = false
	ok(t, n.l.MergeSlips(t.Context(), p, []ledger.SlipView{filtered}, nil))
	equal(t, "learned", counts(p.Counts), count{changed: 1})
	equal(t, "the list again", counts(n.slips(ledger.SlipsCredit, day(6), day(6), credited("told"), credited("untold"))), count{same: 2})
	for _, s := range n.allSlips() {
		want := map[string]int64{"told": ledger.IntegrationIssued, "untold": ledger.IntegrationRejected}[s.ID]
		equal(t, s.ID, s.Integration, ledger.Some(want))
	}
	late := slip(ledger.SlipsDue, "untold", day(5))
	late.Integration = ledger.Some[int64](ledger.IntegrationProcessing)
	n.slips(ledger.SlipsDue, day(5), day(5), told, late)
	n.slips(ledger.SlipsCredit, day(6), day(6), credited("told"), credited("untold"))
	equal(t, "a list that shows it", n.allSlips()[1].Integration, late.Integration)
}
