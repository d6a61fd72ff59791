package store_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/results"
	"concilia/store/runs"
	"concilia/store/sqldb"
)

func quarantine(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	a, b := row(day(1), "7", 1, 1), row(day(1), "8", 1, 1)
	n.merge(day(1), day(1), a, b)
	equal(t, "complete", n.sales()[0].Complete, true)

	p := n.pull(ledger.Cards, day(1), day(1))
	bad := ledger.Quarantined{
		Account: account, Source: ledger.Cards, Day: day(1), Hash: "aa11", Body: []byte("{}"), Reason: "nsu: not a text",
		Gross: ledger.Some(5 * ledger.Real), KeyRead: true, Key: b.Key(),
	}
	ok(t, n.l.MergeInstallments(t.Context(), p, []ledger.Installment{a}, []ledger.Quarantined{bad}))
	equal(t, "a row that came back unreadable is not vanished", p.Counts.Vanished, 0)
	equal(t, "quarantined", p.Counts.Quarantined, 1)
	equal(t, "rows", p.Counts.Rows, 2)
	equal(t, "complete", n.sales()[0].Complete, false)
	got, err := n.l.QuarantinedRows(t.Context(), account)
	ok(t, err)
	bad.Key = ledger.InstallmentKey{}
	if d := cmp.Diff([]ledger.Quarantined{bad}, got); d != "" {
		t.Error(d)
	}

	p = n.pull(ledger.Cards, day(1), day(1))
	ok(t, n.l.MergeInstallments(t.Context(), p, []ledger.Installment{a}, []ledger.Quarantined{bad}))
	equal(t, "without its key at hand nothing is called vanished", p.Counts.Vanished, 0)
	bad.KeyRead = false
	p = n.pull(ledger.Cards, day(1), day(1))
	ok(t, n.l.MergeInstallments(t.Context(), p, []ledger.Installment{a}, []ledger.Quarantined{bad}))
	equal(t, "without a key the absent row is", p.Counts.Vanished, 1)

	n.merge(day(1), day(1), a, b)
	got, err = n.l.QuarantinedRows(t.Context(), account)
	ok(t, err)
	equal(t, "the answer is readable again", len(got), 0)
	equal(t, "complete", n.sales()[0].Complete, true)
}

func coverage(t *testing.T, open func(*testing.T) *store.Ledger) {
	zone, err := time.LoadLocation("America/Sao_Paulo")
	ok(t, err)
	n := begin(t, open(t))
	add := func(id string, began time.Time, complete bool, from, to ledger.Date) {
		p := n.pull(ledger.Cards, from, to)
		p.ID, p.Began, p.Complete, p.On = id, began, complete, ledger.DateOf(began, zone)
		if !complete {
			ok(t, n.l.StorePull(t.Context(), p))
			return
		}
		ok(t, n.l.MergeInstallments(t.Context(), p, nil, nil))
	}
	end := (day(3) + 1).In(zone) // the first instant after the third
	add("early", end.Add(-time.Second), true, day(2), day(3))
	add("failed", end.Add(time.Hour), false, day(1), day(1))
	cover := func() map[ledger.Date]facts.DayCoverage {
		c, err := n.l.Coverage(t.Context(), account, ledger.Cards, ledger.Period{From: day(1), To: day(4)})
		ok(t, err)
		return c
	}
	got := cover()
	equal(t, "a day whose pull began before it had ended", got[day(3)].Complete, false)
	equal(t, "the day before it", got[day(2)].Complete, true)
	equal(t, "a day whose pull failed", got[day(1)], facts.DayCoverage{Pull: "failed", Began: end.Add(time.Hour).UTC(), On: day(4)})
	_, asked := got[day(4)]
	equal(t, "a day never asked for", asked, false)

	add("exact", end, true, day(3), day(3))
	equal(t, "a pull begun as the day ended", cover()[day(3)], facts.DayCoverage{Complete: true, Pull: "exact", Began: end.UTC(), On: day(4), RowsUnchanged: true, CompletePulls: 2, FirstProof: "exact", FirstProofOn: day(4)})
	add("failed later", end.Add(2*time.Hour), false, day(3), day(3))
	equal(t, "a later failure takes nothing back", cover()[day(3)].Pull, "exact")
	last, err := n.l.LastPull(t.Context(), account, ledger.Cards, ledger.Period{From: day(3), To: day(3)})
	ok(t, err)
	equal(t, "but is the last pull", last.ID, "failed later")
	if _, err := n.l.LastPull(t.Context(), account, ledger.SlipsDue, ledger.Period{From: day(3), To: day(3)}); !errors.Is(err, sqldb.ErrNotFound) {
		t.Errorf("a list never asked: %v", err)
	}
	pulls, err := n.l.PullsOfRun(t.Context(), account, n.run)
	ok(t, err)
	equal(t, "pulls", len(pulls), 4)

	for i, c := range []struct {
		says string
		rows []ledger.Installment
		want bool
	}{
		{"a new row", []ledger.Installment{row(day(1), "1", 1, 1)}, false},
		{"the same again", []ledger.Installment{row(day(1), "1", 1, 1)}, true},
		{"paid: another version of the same row", []ledger.Installment{received(row(day(1), "1", 1, 1), 1)}, true},
		{"the row lacks", nil, false},
	} {
		p := n.pull(ledger.Cards, day(1), day(1))
		p.Began = end.Add(time.Duration(3+i) * time.Hour)
		p.On = ledger.DateOf(p.Began, zone)
		ok(t, n.l.MergeInstallments(t.Context(), p, c.rows, nil))
		equal(t, "alike, with "+c.says, cover()[day(1)].RowsUnchanged, c.want)
	}
}

func leases(t *testing.T, open func(*testing.T) *store.Ledger) {
	l := open(t)
	ctx := t.Context()
	both := []ledger.Account{account, account + 1}
	first, err := l.LeaseAccounts(ctx, "run-a", both, time.Hour)
	ok(t, err)
	_, err = l.LeaseAccounts(ctx, "run-b", both[1:], time.Hour)
	var locked *runs.LockedError
	if !errors.As(err, &locked) || locked.Holder != "run-a" || locked.Account != account+1 || locked.Since.IsZero() {
		t.Fatalf("a second run: %v", err)
	}
	merge := func(run string) error {
		p := (&night{t: t, l: l, account: account, run: run, asOf: day(20)}).pull(ledger.Cards, day(1), day(1))
		p.ID = "pull of " + run
		return l.MergeInstallments(ctx, p, nil, nil)
	}
	if err := merge("run-b"); !errors.As(err, &locked) {
		t.Errorf("a merge of a run that holds nothing: %v", err)
	}
	ok(t, merge("run-a"))
	ok(t, first.Release(ctx))
	ok(t, first.Release(ctx))
	second, err := l.LeaseAccounts(ctx, "run-b", both, time.Hour)
	ok(t, err)
	if err := merge("run-a"); !errors.As(err, &locked) || locked.Holder != "run-b" {
		t.Errorf("a merge of the run that held it before: %v", err)
	}
	ok(t, second.Release(ctx))
	if err := merge("run-a"); err == nil {
		t.Error("the next holder is gone, and the one before could still write")
	}

	// A holder that does nothing loses its lease to the next one, and gets an error.
	still, cancel := context.WithCancel(ctx)
	slow, err := l.LeaseAccounts(still, "run-c", both, 30*time.Millisecond)
	ok(t, err)
	cancel()
	deadline := time.Now().Add(10 * time.Second)
	for {
		third, err := l.LeaseAccounts(ctx, "run-d", both, time.Hour)
		if err == nil {
			ok(t, third.Release(ctx))
			break
		}
		if !errors.As(err, &locked) || time.Now().After(deadline) {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
	ok(t, slow.Release(ctx))

	// One that renews keeps it past its time to live.
	kept, err := l.LeaseAccounts(ctx, "run-e", both, 8*time.Second) // a busy machine may be late with its word, by seconds
	ok(t, err)
	time.Sleep(9 * time.Second)
	if _, err := l.LeaseAccounts(ctx, "run-f", both, time.Hour); !errors.As(err, &locked) {
		t.Errorf("a lease that is renewed: %v", err)
	}
	ok(t, kept.Release(ctx))
	if err := l.MergeSlips(ctx, &ledger.Pull{ID: "x", Run: "r", Window: ledger.Window{Account: 77, Source: ledger.SlipDetail}}, nil, nil); !errors.Is(err, runs.ErrNoLease) {
		t.Errorf("an account nobody ever held: %v", err)
	}
}

func records(t *testing.T, open func(*testing.T) *store.Ledger) {
	l, ctx := open(t), t.Context()
	if _, err := l.FirstDay(ctx, account); !errors.Is(err, sqldb.ErrNotFound) {
		t.Errorf("since of an unknown account: %v", err)
	}
	for _, c := range []struct{ set, want ledger.Date }{{day(9), day(9)}, {day(5), day(5)}, {day(7), day(5)}} {
		ok(t, l.SetFirstDay(ctx, account, c.set))
		got, err := l.FirstDay(ctx, account)
		ok(t, err)
		equal(t, "since", got, c.want)
	}

	ok(t, l.StoreDocument(ctx, "contract", "aa", []byte("body")))
	ok(t, l.StoreDocument(ctx, "mapping", "aa", []byte("other")))
	kind, body, err := l.Document(ctx, "aa")
	ok(t, err)
	equal(t, "document", kind+" "+string(body), "contract body")
	if _, _, err := l.Document(ctx, "bb"); !errors.Is(err, sqldb.ErrNotFound) {
		t.Errorf("an unknown document: %v", err)
	}

	began := day(20).Time().Add(5 * time.Hour)
	run := &ledger.Run{
		ID: "r1", Kind: ledger.Nightly, Trigger: "ana", AsOf: day(20), Began: began, ProgramVersion: "dev",
		Documents: map[string]string{"contract": "aa"}, Accounts: []ledger.Account{account},
	}
	ok(t, l.BeginRun(ctx, run))
	if _, err := l.LastRun(ctx); !errors.Is(err, sqldb.ErrNotFound) {
		t.Errorf("no run has finished: %v", err)
	}
	if err := l.BeginRun(ctx, run); err == nil {
		t.Error("one run began twice")
	}
	run.Ended, run.Verdict, run.ExitCode = began.Add(time.Hour), ledger.Breaks, 10
	run.Verdicts = map[ledger.Account]ledger.Verdict{account: ledger.Breaks}
	run.Pulled = ledger.Counts{Rows: 3, New: 2, Same: 1, Requests: 4}
	ok(t, l.EndRun(ctx, run))
	anew := *run
	anew.Ended = anew.Ended.Add(time.Second)
	if err := l.EndRun(ctx, &anew); err == nil {
		t.Error("one run ended twice")
	}
	got, err := l.RunByID(ctx, "r1")
	ok(t, err)
	if d := cmp.Diff(run, got); d != "" {
		t.Error(d)
	}
	later := &ledger.Run{ID: "r2", Kind: ledger.PullRun, Began: began.Add(2 * time.Hour), Ended: began.Add(3 * time.Hour)}
	ok(t, l.BeginRun(ctx, later))
	for _, c := range []struct {
		kinds []ledger.RunKind
		want  string
	}{{nil, "r2"}, {[]ledger.RunKind{ledger.Nightly, ledger.Backfill}, "r1"}} {
		got, err := l.LastRun(ctx, c.kinds...)
		ok(t, err)
		equal(t, "last run", got.ID, c.want)
	}
	if _, err := l.LastReconcileRun(ctx, account); !errors.Is(err, sqldb.ErrNotFound) {
		t.Errorf("nothing was reconciled: %v", err)
	}
}

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

	if _, err := l.LastAlert(t.Context(), "digest", "ab"); !errors.Is(err, sqldb.ErrNotFound) {
		t.Errorf("no digest was raised, and the last is asked for: %v", err)
	}
	for i, cause := range []string{"2026-11-17 1", "2026-11-18 1", "2026-11-18 2"} {
		equal(t, "a digest", raise(ledger.Alert{Happened: "digest", Cause: cause, Receiver: "ab", Body: cause, Raised: now.Add(time.Duration(i/2) * time.Hour)}), true)
	}
	last, err := l.LastAlert(t.Context(), "digest", "ab")
	ok(t, err)
	equal(t, "the last digest, told or not", last.Body, "2026-11-18 2")
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

// snapshots: what is read in one is of one instant, whatever is written meanwhile, by statements and by streams.
func snapshots(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	n.reconcile("a", func(r *results.ReconcileTx) {
		ok(t, r.WriteCase(finding("card:1001:2026-11-01:one:A:1", "C1", ledger.Error, ledger.Some(ledger.Real)), true))
	})
	read := func(l *store.Ledger) (cases int, latest string) {
		ok(t, l.Findings(t.Context(), caselog.FindingFilter{}, func(*ledger.Finding) error {
			cases++
			return nil
		}))
		latest, err := l.LastReconcilingRun(t.Context(), 1001)
		ok(t, err)
		ok(t, l.Sales(t.Context(), 1001, func(*ledger.Sale) error { return nil }))
		return cases, latest
	}
	ok(t, n.l.Snapshot(t.Context(), func(at *store.Ledger) error {
		cases, latest := read(at)
		n.reconcile("b", func(r *results.ReconcileTx) {
			ok(t, r.WriteCase(finding("card:1001:2026-11-01:two:A:1", "C1", ledger.Error, ledger.Some(ledger.Real)), true))
		})
		if again, run := read(at); again != cases || run != latest {
			t.Errorf("%d cases of %s, then %d of %s in one snapshot", cases, latest, again, run)
		}
		return nil
	}))
	if cases, latest := read(n.l); cases != 2 || latest != "b" {
		t.Errorf("%d cases of %s behind the snapshot", cases, latest)
	}
}
