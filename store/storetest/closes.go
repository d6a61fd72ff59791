package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/reports"
	"concilia/store/results"
)

func sorted(lines []string) string {
	slices.Sort(lines)
	return strings.Join(lines, "; ")
}

// monthClose is the close of the suite's month on a basis, and the act that says so.
func monthClose(basis, run string) (*ledger.PeriodClose, func(verb ledger.Verb) ledger.Act) {
	c := &ledger.PeriodClose{
		Account: account, Basis: basis, Period: ledger.Period{From: day(1), To: day(30)}, Revision: 2, Run: run, AsOf: day(20), Digest: "d",
	}
	return c, func(verb ledger.Verb) ledger.Act {
		return ledger.Act{
			Account: account, Verb: verb, Stage: ledger.Done, Subject: c.Subject(), Actor: "ana", Reason: "mês fechado",
			Parameters: results.EncodeCloseParameters(c), At: wall,
		}
	}
}

// closeMonth closes the month by an act.
func closeMonth(t *testing.T, l *store.Ledger, basis, run string) (*ledger.PeriodClose, func(ledger.Verb) ledger.Act) {
	t.Helper()
	c, act := monthClose(basis, run)
	ok(t, l.TransactActs(t.Context(), []ledger.Account{account}, func(a *results.ActTx) error {
		closing := act(ledger.ClosePeriod)
		ok(t, a.AppendAct(&closing))
		return a.ClosePeriod(c, &closing)
	}))
	return c, act
}

// finished reconciles as a run that ends: what people do then is done after it.
func (n *night) finished(run string, fn func(*results.ReconcileTx)) *ledger.Run {
	n.t.Helper()
	n.reconcile(run, fn)
	r, err := n.l.RunByID(n.t.Context(), run)
	ok(n.t, err)
	r.Ended = r.Began.Add(1)
	r.Verdicts = map[ledger.Account]ledger.Verdict{n.account: ledger.Reconciled}
	ok(n.t, n.l.EndRun(n.t.Context(), r))
	return r
}

// periodCloses are closes as they stand, and as they stood when a run had reconciled.
func periodCloses(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	n.finished("a", func(*results.ReconcileTx) {})
	c, act := closeMonth(t, n.l, "operation", "a")
	credit, _ := closeMonth(t, n.l, "credit", "a")
	n.finished("b", func(*results.ReconcileTx) {})
	err := n.l.TransactActs(t.Context(), []ledger.Account{account}, func(a *results.ActTx) error {
		again, twice := *c, act(ledger.ClosePeriod)
		ok(t, a.AppendAct(&twice))
		return a.ClosePeriod(&again, &twice)
	})
	if err == nil || !strings.Contains(err.Error(), "is closed already") {
		t.Errorf("a month that is closed was closed again: %v", err)
	}
	ok(t, n.l.TransactActs(t.Context(), []ledger.Account{account}, func(a *results.ActTx) error {
		reopening := act(ledger.ReopenPeriod)
		ok(t, a.AppendAct(&reopening))
		seen, err := a.PeriodCloses(results.PeriodFilter{InForce: true})
		ok(t, err)
		equal(t, "closes before the act", len(seen), 2)
		return a.ReopenPeriod(c, &reopening)
	}))
	n.finished("c", func(*results.ReconcileTx) {})
	for _, x := range []struct {
		name   string
		filter results.PeriodFilter
		want   string
	}{
		{"all, reopened ones too", results.PeriodFilter{}, "credit; operation"},
		{"those that stand", results.PeriodFilter{InForce: true}, "credit"},
		{"of a basis", results.PeriodFilter{Basis: "operation"}, "operation"},
		{"of another account", results.PeriodFilter{Accounts: []ledger.Account{1}}, ""},
		{"when the first run had reconciled nobody had closed any", results.PeriodFilter{AsOfRun: "a"}, ""},
		{"when the second had, both stood: it was reopened after it", results.PeriodFilter{AsOfRun: "b"}, "credit; operation"},
		{"when the third had, one", results.PeriodFilter{AsOfRun: "c"}, "credit"},
	} {
		got, err := n.l.PeriodCloses(t.Context(), x.filter)
		ok(t, err)
		var bases []string
		for i := range got {
			bases = append(bases, got[i].Basis)
			want := c
			if got[i].Basis == "credit" {
				want = credit
			}
			if d := cmp.Diff(want, &got[i]); d != "" {
				t.Errorf("%s: %s", x.name, d)
			}
		}
		equal(t, x.name, sorted(bases), x.want)
	}
	equal(t, "run of the reopening", c.ReopenedIn, "b")
	faults, err := n.l.VerifyActs(t.Context())
	ok(t, err)
	if len(faults) > 0 {
		t.Error(faults)
	}
}

// restatements are what changed of a closed month: kept once per run, read back, and as adjustments of the next month.
func restatements(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	n.merge(day(2), day(2), row(day(2), "1", 1, 1), row(day(2), "2", 1, 1))
	n.finished("a", func(r *results.ReconcileTx) {
		for _, s := range n.sales() {
			e := believe(s.Rows[0].Current(), ledger.Open, ledger.LineNotDue)
			ok(t, r.ReplaceExpectation(&e))
		}
	})
	c, _ := closeMonth(t, n.l, "operation", "a")
	to, err := n.l.RestatedTo(t.Context(), c)
	ok(t, err)
	equal(t, "restated to, before any is", to, "a")
	changed := received(row(day(2), "2", 1, 1), 90*ledger.Real)
	n.asOf = day(35)
	n.merge(day(2), day(2), row(day(2), "1", 1, 1), changed)
	run := n.finished("b", func(r *results.ReconcileTx) {
		for _, s := range n.sales() {
			if v := s.Rows[0].Current(); v.NSU == "2" {
				e := believe(v, ledger.Received, ledger.LineReceived)
				ok(t, r.ReplaceExpectation(&e))
			}
		}
	})
	for asOf, want := range map[string]string{"a": "2 v1 open", "b": "2 v2 received"} {
		moved := ""
		ok(t, n.l.MovedCards(t.Context(), c, "a", "b", asOf, func(k *ledger.ReportedCard) error {
			moved += fmt.Sprintf("%s v%d %s", k.Key.NSU, k.Version, k.Class)
			return nil
		}))
		equal(t, "moved as of "+asOf, moved, want)
	}
	ok(t, n.l.MovedCards(t.Context(), c, "b", "b", "b", func(*ledger.ReportedCard) error {
		t.Error("something moved after the last run")
		return nil
	}))
	change := func(nsu string, net ledger.Amount) ledger.Restatement {
		return ledger.Restatement{
			Subject: "card:1001:2026-11-02:" + nsu + ":A" + nsu + ":1", Cause: ledger.CauseRestated,
			Fields:  []ledger.RestatedField{{Name: "received", Old: "", New: "90.0000"}, {Name: "class", Old: "open", New: "received"}},
			Changes: ledger.RestatedSums{Gross: 1, Net: net, Received: 3, Contract: 4, Came: 5, NotDue: 6, Overdue: 7, Blocked: 8, ShortBy: 9, OverBy: 10},
		}
	}
	ok(t, n.l.KeepRestated(t.Context(), c, run, []ledger.Restatement{change("9", 7)}, 700))
	kept := []ledger.Restatement{change("1", 50), change("2", 50)}
	ok(t, n.l.KeepRestated(t.Context(), c, run, kept, -5)) // in place of what it kept before
	to, err = n.l.RestatedTo(t.Context(), c)
	ok(t, err)
	equal(t, "restated to", to, "b")
	for run, want := range map[string]ledger.Amount{"a": 0, "b": -5, "c": -5} {
		moved, err := n.l.RestatedAgenda(t.Context(), c, run)
		ok(t, err)
		equal(t, "moved besides, up to run "+run, moved, want)
	}
	for i := range kept {
		kept[i].Close, kept[i].Run, kept[i].SeenOn = *c, "b", day(35)
		kept[i].Close.Acted = ""
	}
	november := reports.Query{Account: account, Basis: "operation", Period: ledger.Period{From: day(1), To: day(30)}}
	restated := func(q reports.Query) (out []ledger.Restatement) {
		ok(t, n.l.Restatements(t.Context(), q, func(r *ledger.Restatement) error {
			r.Close.Digest, r.Close.Acted = c.Digest, ""
			out = append(out, *r)
			return nil
		}))
		return out
	}
	if d := cmp.Diff(kept, restated(november)); d != "" {
		t.Error(d)
	}
	december := november
	december.Period = ledger.Period{From: day(31), To: day(61)}
	before, credit, filtered := november, november, november
	before.AsOfRun, credit.Basis, filtered.Brands = "a", "credit", []string{"visa"}
	for name, q := range map[string]reports.Query{
		"of another month": december, "as of the run that was closed": before, "on another basis": credit, "of a brand": filtered,
	} {
		equal(t, name, len(restated(q)), 0)
	}
	adjusted := func(q reports.Query) (out string) {
		ok(t, n.l.Adjustments(t.Context(), q, func(d ledger.Date, printed, exact ledger.RestatedSums) error {
			out += fmt.Sprint(d, " ", int64(printed.Net), " ", int64(exact.Net), " ", int64(exact.OverBy))
			return nil
		}))
		return out
	}
	equal(t, "each change is rounded by itself", adjusted(december), "2026-12-05 200 100 20")
	equal(t, "what a month shows of its own days is as it stands", adjusted(november), "")
}
