package store_test

import (
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/results"
)

// lastShown is what an answer says of the pull that showed a row last as of a past night, and the tallies of that night: a prune may
// leave an earlier pull of the same rows, and no tallies.
var lastShown = regexp.MustCompile(`"(LastPull|LastRun|SeenAt)":"[^"]*"|\[\{"Code":"[A-Z_]*","Eligible".*?\}\]|null`)

// pruned: nights on which nothing changed are compacted, and everything that the ledger says, now and as of every night, stays; what it
// counts first is what it deletes, and deleting again finds nothing.
func pruned(t *testing.T, open func(*testing.T) *store.Ledger) {
	s := newStory(t, open(t), 4)
	l, ctx := s.n.l, t.Context()
	var runs, saw []string
	said := func(asOf, last string) string { return lastShown.ReplaceAllString(s.snapshot(asOf, last), "") }
	keep := func(run string) { runs, saw = append(runs, run), append(saw, said("", run)) }
	for range 3 {
		keep(s.Night())
	}
	s.Pull() // what no reconcile knows yet
	for range 6 {
		keep(s.quietNight())
	}
	before := s.n.asOf - 1
	now := s.snapshot("", runs[len(runs)-1])
	pulls := func() int64 {
		r, err := l.Check(ctx)
		ok(t, err)
		for _, f := range r.Faults {
			t.Error(f)
		}
		return r.Pulls
	}
	had := pulls()
	ok(t, l.PlanUnits(ctx, []ledger.WorkUnit{{Account: s.n.account, Run: s.n.run, Kind: ledger.RenderUnit, What: "set"}}))
	raised := ledger.Alert{Account: s.n.account, Happened: "incomplete", Raised: day(1).Time(), Receiver: "r", Body: "{}"}
	_, err := l.RaiseAlert(ctx, raised)
	ok(t, err)

	counted, err := l.Prune(ctx, before, true)
	ok(t, err)
	if counted.Pulls < 20 || counted.Units == 0 || counted.Tallies == 0 || counted.Alerts != 1 || pulls() != had {
		t.Errorf("would delete %+v of %d pulls, and there are %d", counted, had, pulls())
	}
	done, err := l.Prune(ctx, before, false)
	ok(t, err)
	if d := cmp.Diff(counted, done); d != "" || pulls() != had-done.Pulls {
		t.Errorf("counted first (-) and deleted (+): %s; %d pulls are left of %d", d, pulls(), had)
	}
	if again, err := l.Prune(ctx, before, false); err != nil || *again != (store.PrunedRows{}) {
		t.Errorf("again: %+v, %v", again, err)
	}
	if d := cmp.Diff(now, s.snapshot("", runs[len(runs)-1])); d != "" {
		t.Errorf("now, before (-) and after (+):\n%s", d)
	}
	for i, run := range runs {
		if d := cmp.Diff(saw[i], said(run, run)); d != "" {
			t.Errorf("as of night %d, before (-) and after (+):\n%s", i, d)
		}
	}
	keep(s.Night()) // life goes on
	pulls()
}

// quietNight pulls every day of every list by itself, and finds nothing that its first call did not.
func (s *story) quietNight() string {
	s.n.t.Helper()
	ctx := s.n.t.Context()
	s.n.asOf++
	run := ledger.RunID(s.n.asOf.Time().Add(5*time.Hour), "quiet")
	ok(s.n.t, s.n.lease.Release(ctx))
	s.n.run = run
	s.n.hold()
	ok(s.n.t, s.n.l.PlanUnits(ctx, []ledger.WorkUnit{{Account: s.n.account, Run: run, Kind: ledger.PullUnit, What: "all"}}))
	for d := day(1); d <= day(storyDays); d++ {
		var rows []ledger.Installment
		for _, c := range s.cards {
			if c.SoldAt.Date() == d {
				rows = append(rows, c)
			}
		}
		s.n.merge(d, d, rows...)
		for _, list := range ledger.SlipLists() {
			var views []ledger.SlipView
			for _, v := range s.views[list] {
				if v.ListDay() == d {
					views = append(views, v)
				}
			}
			s.n.slips(list, d, d, views...)
		}
	}
	failed := s.n.pull(ledger.Cards, day(1), day(1))
	failed.Complete, failed.Failure = false, "the service was away"
	ok(s.n.t, s.n.l.StorePull(ctx, failed))
	s.n.finished(run, func(r *results.ReconcileTx) {
		ok(s.n.t, r.RecordRuleCounts([]ledger.RuleCounts{{Code: "X", Eligible: 3}}))
	})
	return run
}
