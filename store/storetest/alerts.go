package storetest

import (
	"strings"
	"testing"
	"time"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/results"
	"concilia/store/runs"
)

func alerts(t *testing.T, open func(*testing.T) *store.Ledger) {
	l := open(t)
	now := time.Date(2026, 11, 18, 9, 0, 0, 0, time.UTC)
	first := ledger.Alert{
		Account: account, Happened: "first_break", Run: "r1", Receiver: "ab", Body: `{"on":"first_break"}`, Raised: now,
	}
	raise := func(a ledger.Alert) bool {
		isNew, err := l.RaiseAlert(t.Context(), a)
		ok(t, err)
		return isNew
	}
	claim := func(since, now time.Time, receivers ...string) (said string) {
		got, err := l.ClaimAlerts(t.Context(), receivers, since, now, now.Add(time.Minute))
		ok(t, err)
		for _, a := range got {
			said += a.Happened + " " + a.Run + a.Cause + " " + a.Failure + ";"
		}
		return said
	}
	equal(t, "a first alert is new", raise(first), true)
	equal(t, "raised again it is not", raise(first), false)
	other := first
	other.Happened, other.Cause, other.Run, other.Raised = "no_run", "2026-11-18", "", now.Add(time.Second)
	equal(t, "what happened makes another", raise(other), true)
	another := other
	another.Receiver = "cd"
	equal(t, "so does who is told", raise(another), true)

	equal(t, "nobody asks for nobody's", claim(now, now), "")
	equal(t, "one receiver's, oldest first", claim(now, now, "ab"), "first_break r1 ;no_run 2026-11-18 ;")
	equal(t, "nobody else is given them meanwhile", claim(now, now.Add(time.Minute), "ab"), "")
	ok(t, l.RecordAlertDelivery(t.Context(), first, now, ""))
	ok(t, l.RecordAlertDelivery(t.Context(), other, time.Time{}, "answered 500"))
	equal(t, "what failed is anybody's again", claim(now, now, "ab", "cd"), "no_run 2026-11-18 answered 500;no_run 2026-11-18 ;")
	equal(t, "so is what its holder let lie", claim(now, now.Add(2*time.Minute), "cd"), "no_run 2026-11-18 ;")
	equal(t, "what was told stays told", raise(first), false)
	equal(t, "what is too old is left", claim(now.Add(time.Hour), now.Add(time.Hour), "ab", "cd"), "")
}

// breaking: what came to break in a run, and whether it had before.
func breaking(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	see := func(run string, asOf ledger.Date, state ledger.State, severity ledger.Severity, subject, code string) {
		f := finding(subject, code, severity, ledger.Some(5*ledger.Real))
		f.State, f.LastRun = state, run
		n.asOf = asOf
		n.reconcile(run, func(r *results.ReconcileTx) { ok(t, r.WriteCase(f, true)) })
	}
	broke := func(run string, since ledger.Date) string {
		got, err := n.l.OpenedCases(t.Context(), account, run, since)
		ok(t, err)
		var out []string
		for _, b := range got {
			first := "again"
			if b.FirstInPeriod {
				first = "first"
			}
			out = append(out, strings.Join([]string{first, b.Code, b.Impact.String()}, " "))
		}
		return strings.Join(out, ", ")
	}
	see("r1", day(1), ledger.Opened, ledger.Error, "s1", "A")
	see("r1", day(1), ledger.Opened, ledger.Warning, "s2", "W")
	see("r1", day(1), ledger.Pending, ledger.Error, "s3", "P")
	equal(t, "a warning and what is pending break nothing", broke("r1", day(1)-30), "first A 5.00")
	see("r2", day(2), ledger.Opened, ledger.Error, "s4", "A")
	equal(t, "a second case of a code that stands open", broke("r2", day(2)-30), "again A 5.00")
	see("r3", day(3), ledger.Resolved, ledger.Error, "s1", "A")
	see("r3", day(3), ledger.Resolved, ledger.Error, "s4", "A")
	equal(t, "what is resolved breaks nothing", broke("r3", day(3)-30), "")
	see("r4", day(10), ledger.Reopened, ledger.Error, "s1", "A")
	equal(t, "broken within the time before", broke("r4", day(10)-30), "again A 5.00")
	equal(t, "the time before begins after it was over", broke("r4", day(4)), "first A 5.00")
	equal(t, "the time before begins on the day it ended", broke("r4", day(3)), "first A 5.00")
	equal(t, "open on the day before that", broke("r4", day(2)), "again A 5.00")
	see("r5", day(11), ledger.Opened, ledger.Error, "s3", "P")
	equal(t, "what was pending breaks when it opens", broke("r5", day(11)-30), "first P 5.00")
	see("r6", day(25), ledger.Opened, ledger.Error, "s5", "A")
	equal(t, "open all along since before the time before", broke("r6", day(20)), "again A 5.00")
}

// watched: the figures of an account, and the days that have rows.
func watched(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	empty, err := n.l.AccountStatus(t.Context(), account)
	ok(t, err)
	equal(t, "nothing open", len(empty.Open)+len(empty.Bridge)+len(empty.Tolerated)+len(empty.Complete), 0)
	equal(t, "no day of the oldest", empty.Oldest, 0)

	n.merge(day(1), day(2), row(day(1), "7", 1, 1), row(day(1), "8", 1, 1))
	n.merge(day(1), day(2), row(day(1), "7", 1, 1))
	old := finding("s1", "A", ledger.Error, ledger.Some(2*ledger.Real))
	old.OpenedOn = day(3)
	young := finding("s2", "A", ledger.Error, ledger.Some(3*ledger.Real))
	young.OpenedOn = day(5)
	over := finding("s3", "B", ledger.Error, ledger.Some(9*ledger.Real))
	over.State = ledger.Resolved
	n.reconcile("a", func(r *results.ReconcileTx) {
		for _, f := range []ledger.Finding{old, young, over} {
			ok(t, r.WriteCase(f, true))
		}
		ok(t, r.UpdateBridge(true, []ledger.BridgeRow{
			{Account: account, Side: "cards", Day: day(1), Line: "overdue", Amount: -30 * ledger.Real},
			{Account: account, Side: "cards", Day: day(1), Line: ledger.LineNotAttributed, Amount: 10 * ledger.Real},
		}))
		ok(t, r.UpdateRounding(true, []ledger.ToleratedAmount{
			{Code: "A", Month: day(1) - 31, Amount: 7 * ledger.Cent}, {Code: "A", Month: day(1), Amount: 2 * ledger.Cent},
		}))
	})
	w, err := n.l.AccountStatus(t.Context(), account)
	ok(t, err)
	equal(t, "codes with open cases", len(w.Open), 1)
	equal(t, "open cases of it", w.Open[0], store.OpenCases{Code: "A", Severity: ledger.Error, Cases: 2, Impact: 5 * ledger.Real})
	equal(t, "the oldest", w.Oldest, day(3))
	equal(t, "bridge", w.Bridge[0], store.Explained{Side: "cards", Total: 40 * ledger.Real, Unattributed: 10 * ledger.Real})
	equal(t, "tolerated of the newest month", w.Tolerated[0].Amount, 2*ledger.Cent)
	equal(t, "months", len(w.Tolerated), 1)
	equal(t, "vanished cards", w.Vanished["cards"], 1)
	equal(t, "the last whole pull", w.Complete[ledger.Cards], n.asOf.Time().Add(2*time.Hour))
	ok(t, n.l.Ping(t.Context()))

	slot := day(18).Time()
	ok(t, n.l.SkipOccurrences(t.Context(), []runs.CronOccurrence{
		{Schedule: "nightly", Slot: slot.Add(-time.Hour), Job: "nightly", State: "skipped"},
		{Schedule: "nightly", Slot: slot, Job: "nightly", State: "skipped"},
		{Schedule: "nightly", Slot: slot.Add(time.Hour), Job: "nightly", State: "skipped"},
	}))
	ticks, err := n.l.CronOccurrenceCounts(t.Context(), slot)
	ok(t, err)
	equal(t, "jobs and states", len(ticks), 1)
	equal(t, "occurrences from an instant on", ticks[0], store.CronOccurrenceCount{Job: "nightly", State: "skipped", Count: 2})

	days, err := n.l.DaysWithRows(t.Context(), account, ledger.Cards, ledger.Period{From: day(1), To: day(2)})
	ok(t, err)
	equal(t, "a day with a row", days[day(1)], true)
	equal(t, "a day without", days[day(2)], false)
	days, err = n.l.DaysWithRows(t.Context(), account, ledger.SlipsPayment, ledger.Period{From: day(1), To: day(1)})
	ok(t, err)
	equal(t, "a list of slips without rows", days[day(1)], false)
}
