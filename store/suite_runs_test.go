package store_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/reports"
	"concilia/store/runs"
	"concilia/store/sqldb"
)

// runRecords: a record is read back as it was written, and never changes after its end.
func runRecords(t *testing.T, open func(*testing.T) *store.Ledger) {
	l, ctx := open(t), t.Context()
	began := day(20).Time().Add(8 * time.Hour)
	whole := &ledger.Run{
		ID: "20261120T080000.000Z-abc", Kind: ledger.Nightly, Trigger: "cron nightly 2026-11-20T05:00:00-03:00", AsOf: day(20),
		Parameters: map[string]string{"as-of": "2026-11-20"}, Clock: "+24h", Previous: "before", Began: began,
		ProgramVersion: "dev", Documents: map[string]string{"contract": "aa"}, Accounts: []ledger.Account{account},
	}
	ok(t, l.BeginRun(ctx, whole))
	ok(t, l.RecordSteps(ctx, whole.ID, []ledger.RunStep{{Name: "pull", Took: 1500 * time.Microsecond}}))
	noted, err := l.RunByID(ctx, whole.ID)
	ok(t, err)
	equal(t, "a step noted meanwhile", fmt.Sprint(noted.Steps), "[{pull 1.5ms}]")
	ok(t, l.RecordExit(ctx, whole.ID, 40))
	noted, err = l.RunByID(ctx, whole.ID)
	ok(t, err)
	equal(t, "a run that stopped", fmt.Sprint(noted.ExitCode, noted.Finished()), "40 false")
	_, err = l.UnfinishedRun(ctx, ledger.Nightly, day(20))
	ok(t, err) // and that may be taken up
	ok(t, l.RecordSteps(ctx, whole.ID, noted.Steps))
	noted, err = l.RunByID(ctx, whole.ID)
	ok(t, err)
	equal(t, "once it was taken up", noted.ExitCode, 0)
	whole.Ended, whole.Resumed, whole.Verdict, whole.ExitCode = began.Add(time.Minute), true, ledger.Breaks, 20
	whole.Pulled = ledger.Counts{Requests: 9, Rows: 3, New: 2, Same: 1}
	whole.Asked = ledger.RequestCounts{Windows: 7, Failed: 1, Retries: 2, Bytes: 1 << 40}
	whole.Cases = ledger.CaseCounts{New: 1, Persisting: 2, Resolved: 3}
	whole.Figures = ledger.Figures{
		Lost: 4 * ledger.Real, Late: 5 * ledger.Real, AtRisk: 6 * ledger.Real, Claimed: 7 * ledger.Real, Waived: 8 * ledger.Real, Excess: 9 * ledger.Cent,
	}
	whole.Sums = map[string]ledger.Amount{"cards.gross": 1 << 60}
	whole.Sets = []ledger.RunReportSet{{Account: "1001", Basis: "operation", Period: ledger.Period{From: day(1), To: day(30)}, Revision: 2, New: true}}
	whole.Steps = []ledger.RunStep{{Name: "pull", Took: 1500 * time.Microsecond}, {Name: "publish", Took: time.Hour}}
	whole.Verdicts = map[ledger.Account]ledger.Verdict{account: ledger.Breaks}
	ok(t, l.EndRun(ctx, whole))
	got, err := l.RunByID(ctx, whole.ID)
	ok(t, err)
	if d := cmp.Diff(whole, got); d != "" {
		t.Error(d)
	}
	again := *whole
	again.Cases.New = 8
	ok(t, l.EndRun(ctx, &again)) // its first time may have been kept by a server that could not say so
	again.Ended = whole.Ended.Add(time.Second)
	if err := l.EndRun(ctx, &again); err == nil {
		t.Error("a record was written again after its end")
	}
	ok(t, l.RecordSteps(ctx, whole.ID, nil))
	ok(t, l.RecordExit(ctx, whole.ID, 50))
	got, err = l.RunByID(ctx, whole.ID)
	ok(t, err)
	if d := cmp.Diff(whole, got); d != "" {
		t.Errorf("changed after its end:\n%s", d)
	}

	for i, r := range []ledger.Run{
		{ID: "20261121T080000.000Z-abc", Kind: ledger.PullRun, AsOf: day(21)},
		{ID: "20261121T090000.000Z-abd", Kind: ledger.Nightly, AsOf: day(21)},
	} {
		r.Began = began.AddDate(0, 0, 1).Add(time.Duration(i) * time.Hour)
		ok(t, l.BeginRun(ctx, &r))
	}
	for _, c := range []struct {
		says   string
		filter runs.RunFilter
		want   []string
	}{
		{"all, those not ended too, the last first", runs.RunFilter{}, []string{"20261121T090000.000Z-abd", "20261121T080000.000Z-abc", whole.ID}},
		{"of a kind", runs.RunFilter{Kinds: []ledger.RunKind{ledger.Nightly}}, []string{"20261121T090000.000Z-abd", whole.ID}},
		{"the last one", runs.RunFilter{Limit: 1}, []string{"20261121T090000.000Z-abd"}},
		{"from a morning on", runs.RunFilter{AsOf: ledger.Period{From: day(21)}}, []string{"20261121T090000.000Z-abd", "20261121T080000.000Z-abc"}},
		{"up to a morning", runs.RunFilter{AsOf: ledger.Period{To: day(20)}}, []string{whole.ID}},
	} {
		runs, err := l.Runs(ctx, c.filter)
		ok(t, err)
		var ids []string
		for _, r := range runs {
			ids = append(ids, r.ID)
		}
		if d := cmp.Diff(c.want, ids); d != "" {
			t.Errorf("%s:\n%s", c.says, d)
		}
	}
	for _, c := range []struct{ text, want string }{{whole.ID, whole.ID}, {"20261120", whole.ID}, {"20261121T09", "20261121T090000.000Z-abd"}} {
		r, err := l.FindRun(ctx, c.text)
		ok(t, err)
		equal(t, c.text, r.ID, c.want)
	}
	var many *runs.AmbiguousError
	if _, err := l.FindRun(ctx, "20261121T0"); !errors.As(err, &many) || many.One == many.Other {
		t.Errorf("a beginning of two: %v", err)
	}
	for _, text := range []string{"", "2027", "%", "20261120T080000.000Z-abcd"} {
		if _, err := l.FindRun(ctx, text); !errors.Is(err, sqldb.ErrNotFound) {
			t.Errorf("no run begins with %q: %v", text, err)
		}
	}
}

// runsBetween: what changed from one run to another is the difference of what is answered as of both.
func runsBetween(t *testing.T, open func(*testing.T) *store.Ledger) {
	s := newStory(t, open(t), 1)
	l, a, ctx := s.n.l, s.n.account, t.Context()
	var runs []string
	for range 5 {
		runs = append(runs, s.Night())
		s.Pull()
	}
	cases := func(run string) map[string]ledger.Finding {
		out := map[string]ledger.Finding{}
		if run == "" {
			return out
		}
		ok(t, l.Findings(ctx, caselog.FindingFilter{Accounts: []ledger.Account{a}, AsOfRun: run}, func(f *ledger.Finding) error {
			out[f.Case] = *f
			return nil
		}))
		return out
	}
	changed := 0
	for i, from := range append([]string{""}, runs...) {
		for _, to := range runs[max(i-1, 0):] {
			before, after := cases(from), cases(to)
			seen := map[string]bool{}
			ok(t, l.CaseChanges(ctx, a, from, to, func(c *reports.CaseChange) error {
				f, g := before[c.Case], after[c.Case]
				seen[c.Case] = true
				changed++
				if c.Before != f.State || c.After != g.State || c.Impact != g.Impact || c.ImpactBefore != f.Impact || c.Code != g.Code {
					t.Errorf("%s to %s: %+v, before %+v, after %+v", from, to, c, f, g)
				}
				return nil
			}))
			for id, g := range after {
				if f := before[id]; !seen[id] && (f.State != g.State || f.Impact != g.Impact) {
					t.Errorf("%s to %s: case %s went from %s to %s, and nobody told", from, to, id, f.State, g.State)
				}
			}
		}
	}
	if changed == 0 {
		t.Error("no case changed in this story")
	}
	var total ledger.Counts
	for i, from := range append([]string{""}, runs[:len(runs)-1]...) {
		c, err := l.PulledBetween(ctx, a, from, runs[i])
		ok(t, err)
		total.Add(c)
	}
	all, err := l.PulledBetween(ctx, a, "", runs[len(runs)-1])
	ok(t, err)
	equal(t, "what was pulled night by night", total, all)
	if all.New == 0 || all.Changed == 0 || all.Vanished == 0 {
		t.Errorf("little happened in this story: %+v", all)
	}
}

// caseSums: the counts of the cases are those of the cases, and what a run resolved counts once.
func caseSums(t *testing.T, open func(*testing.T) *store.Ledger) {
	s := newStory(t, open(t), 2)
	l, a, ctx := s.n.l, s.n.account, t.Context()
	var resolved int64
	for range 6 {
		run := s.Night()
		want := map[[2]string]caselog.CaseCount{}
		var gone int64
		var oldest ledger.Date
		ok(t, l.Findings(ctx, caselog.FindingFilter{Accounts: []ledger.Account{a}}, func(f *ledger.Finding) error {
			events, err := l.FindingEvents(ctx, f.Case)
			ok(t, err)
			if f.State == ledger.Resolved && slices.ContainsFunc(events, func(e caselog.FindingEvent) bool {
				return e.Run == run && e.Finding.State == ledger.Resolved
			}) {
				gone++
			}
			if !f.State.IsUnresolved() {
				return nil
			}
			k := [2]string{string(f.Severity), string(f.State)}
			c := want[k]
			c.Severity, c.State, c.Cases = f.Severity, f.State, c.Cases+1
			if f.FirstRun == run {
				c.New++
			}
			if f.OpenedOn != 0 && (c.Oldest == 0 || f.OpenedOn < c.Oldest) {
				c.Oldest = f.OpenedOn
			}
			if f.State.CountsInVerdict() && f.OpenedOn != 0 && (oldest == 0 || f.OpenedOn < oldest) {
				oldest = f.OpenedOn
			}
			want[k] = c
			return nil
		}))
		sums, err := l.CaseCounts(ctx, []ledger.Account{a}, run)
		ok(t, err)
		got := map[[2]string]caselog.CaseCount{}
		for _, c := range sums {
			got[[2]string{string(c.Severity), string(c.State)}] = c
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("run %s, one by one (-) and summed (+):\n%s", run, d)
		}
		n, err := l.CountResolved(ctx, []ledger.Account{a}, run)
		ok(t, err)
		equal(t, "resolved by "+run, n, gone)
		resolved += n
		first, err := l.OldestOpenCase(ctx, []ledger.Account{a})
		switch {
		case oldest == 0 && !errors.Is(err, sqldb.ErrNotFound):
			t.Errorf("no case is open: %v", err)
		case oldest != 0:
			ok(t, err)
			equal(t, "the oldest", first.OpenedOn, oldest)
		}
	}
	if resolved == 0 {
		t.Error("no case was resolved in this story")
	}
	if none, err := l.CaseCounts(ctx, []ledger.Account{a + 1}, ""); err != nil || len(none) > 0 {
		t.Errorf("an account without cases: %v, %v", none, err)
	}
}

// waits: who holds what, and what waits for what, as status asks.
func waits(t *testing.T, open func(*testing.T) *store.Ledger) {
	l, ctx := open(t), t.Context()
	if held, err := l.AccountLeases(ctx); err != nil || len(held) > 0 {
		t.Errorf("nobody holds an account: %v, %v", held, err)
	}
	lease, err := l.LeaseAccounts(ctx, "run-a", []ledger.Account{account, account + 1}, time.Hour)
	ok(t, err)
	held, err := l.AccountLeases(ctx)
	ok(t, err)
	if len(held) != 2 || held[0].Account != account || held[1].Account != account+1 || held[0].Run != "run-a" || held[0].Since.IsZero() ||
		held[0].Process == 0 || !held[0].Until.After(held[0].Since) {
		t.Errorf("two accounts are held: %+v", held)
	}
	ok(t, lease.Release(ctx))
	if held, err = l.AccountLeases(ctx); err != nil || len(held) > 0 {
		t.Errorf("they were released: %v, %v", held, err)
	}

	early, late := notificationOf(account, 1, "7", 1, day(3), "Paid"), notificationOf(account, 2, "8", 1, day(4), "Paid")
	receive(t, l, 3, late, early, notificationOf(account+1, 1, "9", 1, day(2), "Paid"))
	n, oldest, err := l.UnlinkedCount(ctx, []ledger.Account{account})
	ok(t, err)
	equal(t, "not linked", n, 2)
	equal(t, "the first of them", oldest, early.ReceivedAt.UTC())
	n, oldest, err = l.UnlinkedCount(ctx, []ledger.Account{account + 7})
	ok(t, err)
	equal(t, "of an account without any", n, 0)
	equal(t, "the first of none", oldest.IsZero(), true)

	before, err := l.Size(ctx)
	ok(t, err)
	ok(t, l.StoreDocument(ctx, "contract", "aa", []byte(strings.Repeat("a contract of many words ", 100_000))))
	after, err := l.Size(ctx)
	ok(t, err)
	if before <= 0 || after <= before {
		t.Errorf("%d bytes, and %d with a large document", before, after)
	}
}
