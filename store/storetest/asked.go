package storetest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/store"
	"concilia/store/ledger"
)

// asked checks what is kept of questions beside their rows.
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
