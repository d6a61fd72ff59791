package store_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/reports"
	"concilia/store/results"
	"concilia/store/runs"
	"concilia/store/sqldb"
)

// reconcile commits what fn believes in a run of its own that begins and ends.
func (n *night) reconcile(run string, fn func(*results.ReconcileTx)) {
	n.t.Helper()
	ctx := context.Background()
	r := &ledger.Run{ID: run, Kind: ledger.ReconcileRun, AsOf: n.asOf, Began: n.asOf.Time().Add(time.Duration(len(run)))}
	// The suite's own run holds the account; this one takes it over as the next night would.
	ok(n.t, n.lease.Release(ctx))
	lease, err := n.l.LeaseAccounts(ctx, run, []ledger.Account{n.account}, time.Hour)
	ok(n.t, err)
	defer func() {
		ok(n.t, lease.Release(ctx))
		n.hold()
	}()
	if _, err := n.l.RunByID(ctx, run); errors.Is(err, sqldb.ErrNotFound) {
		ok(n.t, n.l.BeginRun(ctx, r))
	}
	work, err := n.l.BeginReconcile(ctx, r, n.account)
	ok(n.t, err)
	defer func() { _ = work.Rollback() }() // a test that fails in fn must not wait for its own transaction
	fn(work)
	ok(n.t, work.Commit())
	ok(n.t, work.Rollback())
}

// believe is an expectation of a row, with a value in every member.
func believe(v *ledger.InstallmentVersion, class ledger.Class, rest ledger.BridgeLine) ledger.Expectation {
	return ledger.Expectation{
		Key: v.Key(), Version: v.Version, Inputs: "in", Class: class, Unmapped: true, Brand: "visa",
		Product: ledger.Credit, Band: "2-6", Net: v.Gross - 234, NetContract: v.Gross - 230, GrossCents: int64(v.Gross / 100),
		Received: v.Received.Or(0), ContractLine: "l1", ContractMDRRate: ledger.Some(ledger.Rate(2_300_000)),
		ExpectedDate: v.Forecast + 1, DaysLate: ledger.Some(int64(2)), DaysAnticipated: ledger.Some(int64(0)), Rest: rest,
		Brackets: []ledger.Bracket{{Line: ledger.LineMDR, Amount: 4, Code: "A", Case: "c1"}, {Line: ledger.LineNotAttributed, Reason: "shadow", Origin: ledger.LineFee, Amount: -1}},
		Verdict:  ledger.RowBreak, Codes: []string{"A", "B"}, Impact: ledger.Some(ledger.Amount(4)),
		Splits: []ledger.SplitExpectation{{Expected: ledger.Some(ledger.Amount(100)), Verdict: ledger.RowOK}},
	}
}

func (n *night) beliefs() []ledger.Expectation {
	n.t.Helper()
	var out []ledger.Expectation
	ok(n.t, n.l.Installments(n.t.Context(), november("operation"), func(_ *ledger.InstallmentVersion, e *ledger.Expectation) error {
		if e != nil {
			out = append(out, *e)
		}
		return nil
	}))
	return out
}

func november(basis string) reports.Query {
	return reports.Query{Account: account, Basis: basis, Period: ledger.Period{From: day(1), To: day(30)}}
}

func expectations(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	n.merge(day(1), day(1), row(day(1), "7", 1, 2))
	first := n.sales()[0].Rows[0].Current()
	e := believe(first, ledger.Open, ledger.LineNotDue)
	n.reconcile("a", func(r *results.ReconcileTx) { ok(t, r.ReplaceExpectation(&e)) })
	e.Run = "a"
	if d := cmp.Diff([]ledger.Expectation{e}, n.beliefs()); d != "" {
		t.Error(d)
	}
	n.reconcile("b", func(r *results.ReconcileTx) { ok(t, r.ReplaceExpectation(&e)) })
	equal(t, "the same belief stays the first run's", n.beliefs()[0].Run, "a")
	changed := e
	changed.Rest = ledger.LineOverdue
	n.reconcile("c", func(r *results.ReconcileTx) {
		ok(t, r.ReplaceExpectation(&e))
		ok(t, r.ReplaceExpectation(&changed))
	})
	got := n.beliefs()
	equal(t, "beliefs", len(got), 1)
	equal(t, "another belief is the next run's", got[0].Run+" "+string(got[0].Rest), "c overdue")
	n.reconcile("c", func(r *results.ReconcileTx) { ok(t, r.ReplaceExpectation(&e)) })
	equal(t, "the same run again replaces its own", n.beliefs()[0].Rest, ledger.LineNotDue)

	n.merge(day(1), day(1), received(first.Installment, 1))
	equal(t, "a version no run has judged has none", len(n.beliefs()), 0)
	last, err := n.l.LastReconcileRun(t.Context(), account)
	if !errors.Is(err, sqldb.ErrNotFound) {
		t.Errorf("no reconcile has finished: %v, %v", last, err)
	}
	run, err := n.l.RunByID(t.Context(), "c")
	ok(t, err)
	run.Ended = run.Began.Add(time.Second)
	ok(t, n.l.EndRun(t.Context(), run))
	last, err = n.l.LastReconcileRun(t.Context(), account)
	ok(t, err)
	equal(t, "last reconciled", last.ID, "c")

	work, err := n.l.BeginReconcile(t.Context(), &ledger.Run{ID: n.run}, account)
	ok(t, err)
	other := e
	other.Key.Account++
	if err := work.ReplaceExpectation(&other); err == nil {
		t.Error("a row of another account was taken")
	}
	second := believe(n.sales()[0].Rows[0].Current(), ledger.Open, ledger.LineNotDue)
	ok(t, work.ReplaceExpectation(&second))
	ok(t, work.Rollback())
	equal(t, "what was rolled back is not there", len(n.beliefs()), 0)
	var locked *runs.LockedError
	if _, err := n.l.BeginReconcile(t.Context(), &ledger.Run{ID: "stranger"}, account); !errors.As(err, &locked) {
		t.Errorf("a run without the account: %v", err)
	}
}

func finding(subject, code string, severity ledger.Severity, impact ledger.Opt[ledger.Amount]) ledger.Finding {
	return ledger.Finding{
		Case: ledger.CaseID(account, subject, code), Account: account, Code: code, RuleVersion: 1, Subject: subject,
		Severity: severity, State: ledger.Opened, Expected: ledger.Money(100), Actual: ledger.Day(day(3)), Impact: impact,
		Exposure: true, ExplainedBy: "ROOT", Related: []string{"x", "y"}, BreakOn: day(4), FirstSeen: day(5),
		OpenedOn: day(6), FirstRun: "a", LastRun: "a", Day: day(1), DueOn: day(2), Brand: "visa", Product: ledger.Credit,
		ContractLine: "l", Calendar: "c", Hint: "under", Numbers: []ledger.Number{{Name: "mdr", Value: "2.34"}},
	}
}

func findings(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	f := finding("s1", "C1", ledger.Warning, ledger.Some(ledger.Amount(5)))
	all := []ledger.Finding{
		finding("s2", "C1", ledger.Error, ledger.Some(ledger.Amount(1))), finding("s3", "C2", ledger.Error, ledger.Some(ledger.Amount(9))),
		finding("s4", "C2", ledger.Error, ledger.Opt[ledger.Amount]{}), f,
	}
	all[2].Expected, all[2].Actual, all[2].Related, all[2].Numbers = ledger.Text("x"), ledger.Value{}, nil, nil
	n.reconcile("a", func(r *results.ReconcileTx) {
		for _, f := range all {
			ok(t, r.WriteCase(f, true))
		}
		standing, err := r.CurrentCases()
		ok(t, err)
		equal(t, "standing", len(standing), 4)
	})
	list := func(filter caselog.FindingFilter) (subjects string) {
		ok(t, n.l.Findings(t.Context(), filter, func(f *ledger.Finding) error {
			subjects += f.Subject
			return nil
		}))
		return subjects
	}
	for _, c := range []struct {
		name   string
		filter caselog.FindingFilter
		want   string
	}{
		{"all, gravest and largest first", caselog.FindingFilter{}, "s3s2s4s1"},
		{"by code and severity", caselog.FindingFilter{Codes: []string{"C1"}, Severities: []ledger.Severity{ledger.Error, ledger.Critical}}, "s2"},
		{"by impact", caselog.FindingFilter{MinImpact: 5}, "s3s1"},
		{"by state", caselog.FindingFilter{States: []ledger.State{ledger.Resolved}}, ""},
		{"by account and case", caselog.FindingFilter{Accounts: []ledger.Account{account}, Cases: []string{f.Case}}, "s1"},
		{"of another account", caselog.FindingFilter{Accounts: []ledger.Account{1}}, ""},
	} {
		equal(t, c.name, list(c.filter), c.want)
	}
	for _, want := range all {
		got, err := n.l.FindingByCase(t.Context(), want.Case)
		ok(t, err)
		if d := cmp.Diff(&want, got); d != "" {
			t.Error(d)
		}
	}
	if _, err := n.l.FindingByCase(t.Context(), "none"); !errors.Is(err, sqldb.ErrNotFound) {
		t.Errorf("an unknown case: %v", err)
	}

	n.reconcile("a", func(r *results.ReconcileTx) { ok(t, r.WriteCase(f, true)) })
	f.LastRun = "b"
	n.reconcile("b", func(r *results.ReconcileTx) { ok(t, r.WriteCase(f, false)) })
	events := func() []caselog.FindingEvent {
		e, err := n.l.FindingEvents(t.Context(), f.Case)
		ok(t, err)
		return e
	}
	equal(t, "events, the same run again", len(events()), 1)
	n.reconcile("bb", func(r *results.ReconcileTx) { ok(t, r.WriteUnchangedCase(&f)) })
	f.LastRun, f.LastSeen = "bb", n.asOf
	again, err := n.l.FindingByCase(t.Context(), f.Case)
	ok(t, err)
	if d := cmp.Diff(&f, again); d != "" {
		t.Error("a case seen as it stood: ", d)
	}
	equal(t, "events, seen as it stood", len(events()), 1)
	f.State = ledger.Resolved
	n.reconcile("c", func(r *results.ReconcileTx) { ok(t, r.WriteCase(f, true)) })
	got := events()
	equal(t, "events", len(got), 2)
	equal(t, "second event", got[1].Run+" "+string(got[1].Finding.State), "c resolved")
	equal(t, "as of", got[1].AsOf, n.asOf)
	equal(t, "the first stays as it was", got[0].Finding.State, ledger.Opened)
}

func bridges(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	a, b := row(day(1), "7", 1, 1), received(row(day(1), "8", 1, 1), 900)
	clawed := received(row(day(2), "9", 1, 1), 500)
	n.merge(day(1), day(2), a, b, clawed)
	back := clawed
	back.Received, back.Status = ledger.Some(ledger.Amount(-480)), "Canceled"
	n.merge(day(1), day(2), a, b, back)
	v := slip(ledger.SlipsDue, "ab", day(5))
	n.slips(ledger.SlipsDue, day(5), day(5), v, slip(ledger.SlipsDue, "cd", day(5)))
	credited := paid(slip(ledger.SlipsCredit, "cd", day(5)), day(5))
	credited.CreditedOn = day(6)
	n.slips(ledger.SlipsCredit, day(6), day(6), credited)

	lines := []ledger.BridgeRow{
		{Account: account, Side: "cards", Day: day(1), Brand: "visa", Product: ledger.Credit, Line: ledger.LineMDR, Amount: 5},
		{Account: account, Side: "cards", Day: day(1), Brand: "visa", Product: ledger.Credit, Line: ledger.LineMDR, Amount: -2, Excess: 2},
	}
	for range 2 {
		n.reconcile("a", func(r *results.ReconcileTx) {
			for _, s := range n.sales() {
				cur := s.Rows[0].Current()
				e := believe(cur, ledger.Open, ledger.LineNotDue)
				if e.NetContract = 1000; cur.NSU == "9" {
					e.Class, e.NetContract = ledger.Cancelled, 0
				}
				ok(t, r.ReplaceExpectation(&e))
			}
			for _, s := range n.allSlips() {
				ok(t, r.ReplaceSlipExpectation(&ledger.SlipExpectation{Account: account, ID: s.ID, Day: s.Due, Face: s.Value + 1}))
			}
			ok(t, r.UpdateBridge(false, lines))
			ok(t, r.RecordRuleCounts([]ledger.RuleCounts{{Code: "X", Eligible: 3, Window: 1}}))
			ok(t, r.UpdateRounding(false, []ledger.ToleratedAmount{{Code: "X", Month: day(7), Amount: 1}, {Code: "X", Month: day(9), Amount: 2}}))
			ok(t, r.SumCardsAhead([]ledger.Date{day(1)}))
			ok(t, r.SumCardsAhead(nil))
			cards, err := r.CardSums(nil)
			ok(t, err)
			want := []ledger.DaySum{
				{Day: day(1), Brand: "visa", Product: ledger.Credit, Difference: 1000 + 100, Open: a.Gross + b.Gross},
				{Day: day(2), Brand: "visa", Product: ledger.Credit, Difference: -20},
			}
			ok(t, r.SumCardsAhead([]ledger.Date{day(1), day(2)}))
			some, err := r.CardSums([]ledger.Date{day(2), day(9)})
			ok(t, err)
			equal(t, "sums of one day", len(some), 1)
			again, err := r.CardSums(nil)
			ok(t, err)
			equal(t, "sums asked for anew", len(again), 2)
			if d := cmp.Diff(want, cards); d != "" {
				t.Error(d)
			}
			slips, err := r.SlipSums()
			ok(t, err)
			equal(t, "slip days", len(slips), 1)
			equal(t, "slips", slips[0].Difference, v.Value+1+1)
		})
	}
	n.differences()
	got, err := n.l.BridgeLines(t.Context(), account, "a")
	ok(t, err)
	lines[0].Amount, lines[0].Excess = 3, 2
	if d := cmp.Diff(lines[:1], got); d != "" {
		t.Error(d)
	}
	tallies, err := n.l.RuleCountsOfRun(t.Context(), account, "a")
	ok(t, err)
	if d := cmp.Diff([]ledger.RuleCounts{{Code: "X", Eligible: 3, Window: 1}}, tallies); d != "" {
		t.Error(d)
	}
	tolerated, err := n.l.RoundingOfRun(t.Context(), account, "a")
	ok(t, err)
	if d := cmp.Diff([]ledger.ToleratedAmount{{Code: "X", Month: day(1), Amount: 3}}, tolerated); d != "" {
		t.Error(d)
	}
}

// standingBeliefs are more than are read at once: each row of a scope comes with its own, wherever a page of them ends.
func standingBeliefs(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	const count = 4200
	rows := make([]ledger.Installment, count)
	for i := range rows {
		rows[i] = row(day(2), fmt.Sprintf("%06d", i/2), 1+i%2, 2)
	}
	n.merge(day(1), day(1), row(day(1), "7", 1, 1))
	n.merge(day(2), day(2), rows...)
	n.merge(day(3), day(3), row(day(3), "7", 1, 1))
	believed := map[ledger.InstallmentKey]bool{}
	n.reconcile("a", func(r *results.ReconcileTx) {
		for _, s := range n.sales() {
			for k, h := range s.Rows {
				// Some rows no run has evaluated: the expectation of the next row is not theirs.
				if s.Key.NSU == "000003" && k == 0 || s.Key.NSU == "001500" {
					continue
				}
				e := believe(h.Current(), ledger.Open, ledger.LineNotDue)
				e.Brand, believed[e.Key] = fmt.Sprint(e.Key.NSU, e.Key.Number), true
				_, err := r.WriteExpectation(&e, nil)
				ok(t, err)
			}
		}
	})
	for _, whole := range []struct {
		says  string
		scope *ledger.Scope
		rows  int
	}{
		{"everything", nil, count + 2},
		{"a day", &ledger.Scope{Days: []ledger.ScopeDay{{Day: day(2), Whole: true}}}, count},
		{"two days apart", &ledger.Scope{Days: []ledger.ScopeDay{{Day: day(1), Whole: true}, {Day: day(3), Whole: true}}}, 2},
	} {
		seen, wrong := 0, 0
		ok(t, n.l.SalesInScope(t.Context(), n.account, whole.scope, func(s *ledger.Sale) error {
			for _, h := range s.Rows {
				seen++
				v := h.Current()
				key := v.Key()
				if (v.Stored != nil) != believed[key] || v.Stored != nil && v.Stored.Brand != fmt.Sprint(key.NSU, key.Number) {
					wrong++
				}
			}
			return nil
		}))
		equal(t, whole.says+": rows", seen, whole.rows)
		equal(t, whole.says+": rows with what is believed of another", wrong, 0)
	}
}

// cells: sums move by what is given, stand until they are others, and are answered for as each run left them.
func cells(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	count := func(item string, members int64, amount ledger.Amount) ledger.Population {
		return ledger.Population{Kind: "k", Item: item, Members: members, Amount: amount, Other: -amount}
	}
	text := func(all []ledger.Population) string {
		var parts []string
		for _, p := range all {
			parts = append(parts, fmt.Sprint(p.Item, p.Members, " ", int64(p.Amount), " ", int64(p.Other)))
		}
		return strings.Join(parts, ", ")
	}
	for _, night := range []struct {
		run, says string
		all       bool
		moved     []ledger.Population
		want      string
	}{
		{"a", "the first", false, []ledger.Population{count("x", 1, 10), count("y", 2, 20), count("x", 1, 1)}, "x2 11 -11, y2 20 -20"},
		{"b", "nothing moved", false, nil, "x2 11 -11, y2 20 -20"},
		{"c", "one moved, one is new", false, []ledger.Population{count("z", 1, 0), count("x", -1, -5)}, "x1 6 -6, y2 20 -20, z1 0 0"},
		{"d", "one came to nothing", false, []ledger.Population{count("y", -2, -20)}, "x1 6 -6, z1 0 0"},
		{"e", "moved there and back", false, []ledger.Population{count("x", 7, 7), count("x", -7, -7)}, "x1 6 -6, z1 0 0"},
		{"f", "it comes again", false, []ledger.Population{count("y", 1, 1)}, "x1 6 -6, y1 1 -1, z1 0 0"},
		{"g", "all there is", true, []ledger.Population{count("x", 1, 6), count("w", 1, 1)}, "w1 1 -1, x1 6 -6"},
		{"ga", "one below zero", false, []ledger.Population{{Kind: "k", Item: "v", Amount: -3}}, "v0 -3 0, w1 1 -1, x1 6 -6"},
		{"h", "all there is, which is nothing", true, nil, ""},
	} {
		for _, again := range []string{"", ", by the same run again"} {
			n.reconcile(night.run, func(r *results.ReconcileTx) {
				ok(t, r.UpdatePopulations(night.all, night.moved))
				now, err := r.CurrentPopulations()
				ok(t, err)
				equal(t, night.says+again, text(now), night.want)
			})
			left, err := n.l.PopulationsOfRun(t.Context(), account, night.run)
			ok(t, err)
			equal(t, night.says+again+", afterwards", text(left), night.want)
		}
	}
	for run, want := range map[string]string{"b": "x2 11 -11, y2 20 -20", "d": "x1 6 -6, z1 0 0", "f": "x1 6 -6, y1 1 -1, z1 0 0"} {
		left, err := n.l.PopulationsOfRun(t.Context(), account, run)
		ok(t, err)
		equal(t, "as run "+run+" left it", text(left), want)
	}
	n.reconcile("i", func(r *results.ReconcileTx) {
		ok(t, r.UpdatePopulations(true, []ledger.Population{count("x", 1, 1)}))
		ok(t, r.Restart())
		ok(t, r.UpdatePopulations(false, []ledger.Population{count("y", 1, 1)}))
		now, err := r.CurrentPopulations()
		ok(t, err)
		equal(t, "an attempt that was taken back", text(now), "y1 1 -1")
		if err := r.UpdateRounding(false, []ledger.ToleratedAmount{{Code: "C", Amount: math.MaxInt64}, {Code: "C", Amount: 1}}); err == nil {
			t.Error("a sum that does not fit was kept")
		}
	})
	continued(t, n)
}

// continued: a day's closing holds until a later one, and of a run that did not touch the day it is the opening too.
func continued(t *testing.T, n *night) {
	t.Helper()
	of := func(d ledger.Date, opening, closing ledger.Amount) ledger.Continuity {
		c := ledger.Continuity{Day: d, Brand: "visa", Product: ledger.Credit, Opening: opening, Closing: closing}
		c.Changes[ledger.Added] = closing - opening
		return c
	}
	text := func(all []ledger.Continuity) (s string) {
		for _, c := range all {
			s += fmt.Sprintf("%d:%d%+d=%d ", c.Day-day(0), c.Opening, c.Changes[ledger.Added], c.Closing)
		}
		return s
	}
	for _, night := range []struct {
		run              string
		rows             []ledger.Continuity
		closings, leaves string
	}{
		{"j", []ledger.Continuity{of(day(1), 0, 5), of(day(2), 0, 7)}, "", "1:0+5=5 2:0+7=7 "},
		{"k", []ledger.Continuity{of(day(2), 7, 3)}, "1:0+0=5 2:0+0=7 ", "1:5+0=5 2:7-4=3 "},
		{"l", []ledger.Continuity{of(day(1), 5, 0)}, "1:0+0=5 2:0+0=3 ", "1:5-5=0 2:3+0=3 "},
		{"m", nil, "2:0+0=3 ", "1:0+0=0 2:3+0=3 "},
	} {
		for range 2 {
			n.reconcile(night.run, func(r *results.ReconcileTx) {
				was, err := r.CurrentClosings()
				ok(t, err)
				equal(t, "open before "+night.run, text(was), night.closings)
				ok(t, r.WriteContinuity(night.rows))
			})
			left, err := n.l.ContinuityOfRun(t.Context(), account, night.run)
			ok(t, err)
			equal(t, "left by "+night.run, text(left), night.leaves)
		}
	}
}
