package store_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/store"
	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/results"
)

// openDays: what a sale day waits for follows from what is expected of its rows, and from when its promises are.
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
		{"received, and time turns it", 9, ledger.Received, ledger.LineReceived, 9, 12, facts.WaitingDay{}},
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
		ok(t, r.KeepTotals(true, nil, ledger.ForecastReading{Settle: func(d ledger.Date) ledger.Date { return d }}))
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

// registrations: what a filtered answer said of a slip stays until a list says otherwise, and its day is not proven.
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

// asked checks what is kept of questions in addition to their rows.
func asked(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	told := n.pull(ledger.SlipsDue, day(1), day(2))
	told.Note = ledger.PullNote{
		Skew: ledger.Some[int64](-7), Unknown: []string{"novo"}, Outside: 3, Day: day(9),
		SlipsOutside: []string{"b1"}, Twice: []string{"b2"}, Halved: true, Halves: 6, Cut: []ledger.Date{day(2)}, Wider: true, First: 4, Last: 5,
	}
	ok(t, n.l.MergeSlips(t.Context(), told, nil, nil))
	silent := n.pull(ledger.Cards, day(1), day(1))
	silent.Note.Skew = ledger.Some[int64](0)
	ok(t, n.l.MergeInstallments(t.Context(), silent, []ledger.Installment{row(day(1), "1", 1, 1)}, nil))
	pulls, err := n.l.PullsOfRun(t.Context(), account, n.run)
	ok(t, err)
	if d := cmp.Diff([]ledger.PullNote{told.Note, silent.Note}, []ledger.PullNote{pulls[0].Note, pulls[1].Note}); d != "" {
		t.Error(d)
	}

	// The windows of one day alone count, each day as it was counted last, and those pulled in the period.
	n.merge(day(1), day(3))
	n.merge(day(2), day(2), row(day(2), "2", 1, 2), row(day(2), "2", 2, 2))
	n.asOf++
	n.merge(day(2), day(2), row(day(2), "2", 1, 2))
	for _, c := range []struct {
		says string
		on   ledger.Period
		want map[ledger.Date]int64
	}{
		{"both days", ledger.Period{From: day(20), To: day(21)}, map[ledger.Date]int64{day(1): 1, day(2): 1}},
		{"the first", ledger.Period{From: day(20), To: day(20)}, map[ledger.Date]int64{day(1): 1, day(2): 2}},
		{"neither", ledger.Period{From: day(22), To: day(23)}, nil},
	} {
		got, err := n.l.DayCounts(t.Context(), account, c.on)
		ok(t, err)
		if d := cmp.Diff(c.want, got[ledger.Cards]); d != "" {
			t.Errorf("%s: %s", c.says, d)
		}
	}

	largest, err := n.l.LargestCounts(t.Context(), account)
	ok(t, err)
	if d := cmp.Diff(map[ledger.Source]int64{ledger.Cards: 2, ledger.SlipsDue: 0}, largest); d != "" {
		t.Error(d)
	}
	all, err := n.l.PullsSince(t.Context(), account, nil)
	ok(t, err)
	equal(t, "pulls nobody reconciled", len(all), 5)
	last := &ledger.Run{ID: "another", Began: all[1].Began.Add(time.Second)}
	rest, err := n.l.PullsSince(t.Context(), account, last)
	ok(t, err)
	equal(t, "pulls begun after the last reconcile", len(rest), 3)
	last.ID = n.run
	rest, err = n.l.PullsSince(t.Context(), account, last)
	ok(t, err)
	equal(t, "pulls of the run that reconciled", len(rest), 0)
}

// scoped is the scope of a run that keeps nothing else, as text: days in brackets where whole, sales by NSU with + where
// they moved, then the slips.
func (n *night) scoped(run string, days []ledger.Date, sales []ledger.SaleKey, slips ...string) (text string) {
	n.t.Helper()
	n.reconcile(run, func(r *results.ReconcileTx) {
		s, err := r.Scope(days, sales, slips)
		ok(n.t, err)
		var parts []string
		for _, d := range s.Days {
			part := d.Day.String()[8:]
			if d.Whole {
				part = "[" + part + "]"
			}
			for _, sale := range d.Sales {
				part += " " + sale.NSU
				if sale.Changed {
					part += "+"
				}
			}
			parts = append(parts, part)
		}
		text = strings.Join(append(parts, s.Slips...), ", ")
	})
	return text
}

// chargedAt is a sale of its own at a minute of the day, of a card and total that others may share.
func chargedAt(d ledger.Date, nsu, card string, minute int) ledger.Installment {
	i := row(d, nsu, 1, 1)
	i.SoldAt, i.Card = ledger.LocalTimeOf(d.Time().Add(time.Duration(minute)*time.Minute), time.UTC), card
	return i
}

// scopes: what a reconcile looks at, each night for one reason.
func scopes(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	const last = 24*60 - 1
	first := []ledger.Installment{
		chargedAt(day(1), "1", "a", 600), chargedAt(day(1), "2", "b", 600), chargedAt(day(1), "3", "a", 900),
		chargedAt(day(2), "4", "c", last), chargedAt(day(2), "5", "c", 600), chargedAt(day(2), "6", "d", 600),
	}
	n.merge(day(1), day(3), first...)
	n.slips(ledger.SlipsDue, day(5), day(6), slip(ledger.SlipsDue, "ab", day(5)), slip(ledger.SlipsDue, "cd", day(6)))
	equal(t, "what no reconcile knows", n.scoped("a", nil, nil), "01 1+ 2+ 3+, 02 4+ 5+ 6+, ab, cd")
	equal(t, "the same run again", n.scoped("a", nil, nil), "01 1+ 2+ 3+, 02 4+ 5+ 6+, ab, cd")
	equal(t, "nothing moved", n.scoped("b", nil, nil), "")
	n.merge(day(1), day(3), first...)
	equal(t, "a pull that showed the same", n.scoped("c", nil, nil), "")
	equal(t, "what is named", n.scoped("d", []ledger.Date{day(2)}, []ledger.SaleKey{{Account: account, Day: day(1), NSU: "2", Auth: "A2"}}, "cd"),
		"01 2, [02], cd")

	first[1].Status = "Canceled"
	n.merge(day(1), day(3), first...)
	equal(t, "a new version, which nobody doubles", n.scoped("e", nil, nil), "01 2+")
	first[0].Status = "Canceled"
	n.merge(day(1), day(3), first...)
	equal(t, "a new version, and the sale of its card and total", n.scoped("f", nil, nil), "01 1+ 3+")
	n.merge(day(1), day(3), append(first, chargedAt(day(3), "7", "c", 1))...)
	equal(t, "a new sale just after midnight, and those it may double", n.scoped("g", nil, nil), "02 4+ 5+, 03 7+")
	n.merge(day(1), day(3), first...)
	equal(t, "a sale that vanished, and those it may have doubled", n.scoped("h", nil, nil), "02 4+ 5+, 03 7+")

	n.reconcile("i", func(r *results.ReconcileTx) {
		for _, s := range n.sales() {
			e := believe(s.Rows[0].Current(), ledger.Open, ledger.LineNotDue)
			switch s.Key.NSU {
			case "2":
				e.NextOn = n.asOf
			case "3":
				e.NextOn = ledger.EveryNight
			case "6": // received, and a rule waits for something
				e = believe(s.Rows[0].Current(), ledger.Received, ledger.LineReceived)
				e.NextOn = n.asOf + 1
			}
			ok(t, r.ReplaceExpectation(&e))
		}
		ok(t, r.KeepTotals(true, nil, ledger.ForecastReading{Settle: func(d ledger.Date) ledger.Date { return d }}))
		ok(t, r.ReplaceSlipExpectation(&ledger.SlipExpectation{Account: account, ID: "ab", NextOn: n.asOf}))
		ok(t, r.ReplaceSlipExpectation(&ledger.SlipExpectation{Account: account, ID: "cd", NextOn: n.asOf + 1}))
	})
	equal(t, "what time turns today", n.scoped("j", nil, nil), "01 2 3, ab")
	n.asOf++
	equal(t, "what time has turned", n.scoped("k", nil, nil), "01 2 3, 02 6, ab, cd")
	n.asOf--

	notifiedScope(t, n)
	n.slips(ledger.SlipsDue, day(6), day(6), slip(ledger.SlipsDue, "cd", day(6)))
	equal(t, "a list that shows the same slip, because of its day", n.scoped("n", nil, nil), "01 2 3, ab, cd")
	n.slips(ledger.SlipsDue, day(6), day(6))
	equal(t, "a slip that vanished", n.scoped("o", nil, nil), "01 2 3, ab, cd")
	equal(t, "a slip that is gone is looked at every night", n.scoped("p", nil, nil), "01 2 3, ab, cd")
}

// notifiedScope: a notification is looked at once it has a link, and once only.
func notifiedScope(t *testing.T, n *night) {
	t.Helper()
	told := notificationOf(account, 1, "5", 1, day(2), "Canceled")
	receive(t, n.l, 1, told)
	equal(t, "a notification of nothing yet", n.scoped("l", nil, nil), "01 2 3, ab")
	var linked []ledger.LinkedNotification
	ok(t, n.l.UnlinkedNotifications(t.Context(), account, func(x *ledger.LinkedNotification, fits []ledger.InstallmentKey) error {
		x.Target, x.LinkedOn = &fits[0], n.asOf
		linked = append(linked, *x)
		return nil
	}))
	ok(t, n.l.LinkNotifications(t.Context(), &ledger.Run{ID: n.run}, account, linked))
	equal(t, "a notification that was linked", n.scoped("m", nil, nil), "01 2 3, 02 5, ab")
	equal(t, "a notification that is known", n.scoped("ma", nil, nil), "01 2 3, ab")
}
