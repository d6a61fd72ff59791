package jobs_test

import (
	"crypto/sha256"
	"encoding/csv"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/cmd/sandbox/world"
	"concilia/jobs"
	"concilia/jobs/jobstest"
	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
	"concilia/store/runs"
)

func everySource() []ledger.Source {
	return append([]ledger.Source{ledger.Cards}, ledger.SlipLists()...)
}

// rows hashes, account by account, what is in the ledger, by content and not by how it came.
func (m *merchant) rows(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, a := range m.Accounts {
		h := sha256.New()
		n := 0
		err := m.Ledger.Sales(t.Context(), a.Number, func(s *ledger.Sale) error {
			for _, r := range s.Rows {
				n++
				c := r.Current()
				fmt.Fprintf(h, "%s %x\n", c.Key().Subject(), c.Content)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		err = m.Ledger.Slips(t.Context(), a.Number, func(s *ledger.Slip) error {
			views := []string{}
			for _, v := range s.Views {
				views = append(views, fmt.Sprintf("%s %s %x", v.List, v.ID, v.Content))
			}
			slices.Sort(views)
			n += len(views)
			fmt.Fprintln(h, views)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			t.Fatalf("account %s has no rows", a.Number)
		}
		out[a.Number.String()] = fmt.Sprintf("%d rows %x", n, h.Sum(nil))
	}
	return out
}

// backfill pulls the period and evaluates.
func (m *merchant) backfill(t *testing.T, req jobs.BackfillRequest) *jobs.Summary {
	t.Helper()
	if req.Sources == nil {
		req.Sources = everySource()
	}
	s, err := m.Backfill(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A range asked for at once is the same ledger and the same reports as its nights one by one, but for what tells of the
// nights themselves.
func TestBackfillIsNightByNight(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	o := world.Options{Seed: 91, Days: 30, Installments: 200}
	nights := int(jobstest.Long(3, 20))
	slow, fast := newMerchant(t, o), newMerchant(t, o)
	since := slow.Today() - ledger.Date(jobstest.Long(14, 20))
	for _, m := range []*merchant{slow, fast} {
		for i := range m.Accounts {
			m.Accounts[i].Since = since
		}
	}
	for i := range nights {
		if i > 0 {
			slow.World.SetNow(slow.World.Now().AddDate(0, 0, 1))
		}
		slow.RunNight(t)
	}
	fast.World.SetNow(slow.World.Now())
	s := fast.backfill(t, jobs.BackfillRequest{Period: ledger.Period{From: since, To: fast.Today() - 1}})
	if s.Verdict != ledger.Reconciled || len(s.FailedWindows) > 0 {
		t.Errorf("the backfill ends %s, failed %v", s.Verdict, s.FailedWindows)
	}
	fast.RunNight(t)
	if d := cmp.Diff(slow.rows(t), fast.rows(t)); d != "" {
		t.Errorf("night by night (-) and at once (+) the ledger holds:\n%s", d)
	}
	nightly, atOnce := slow.reports(t), fast.reports(t)
	// The months that only earlier nights published are not the last one's.
	maps.DeleteFunc(nightly, func(name string, _ []string) bool { _, ok := atOnce[name]; return !ok })
	if d := cmp.Diff(nightly, atOnce); d != "" {
		t.Errorf("night by night (-) and at once (+) the reports say:\n%s", d)
	}
}

// ofNights are the columns that tell of the nights themselves; a row's hash is over them, too.
func ofNights() []string {
	return []string{"title_number", "version", "first_seen", "last_changed", "revision", "row_hash"}
}

// reports are the rows of the newest revision of every file that is not about its run, without what tells of nights.
func (m *merchant) reports(t *testing.T) map[string][]string {
	t.Helper()
	newest, paths := map[string]int{}, map[string]string{}
	revision := regexp.MustCompile(`_r(\d+)\.csv$`)
	err := filepath.WalkDir(m.Out, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		r := revision.FindStringSubmatch(path)
		if r == nil || strings.HasPrefix(d.Name(), "control") || strings.HasPrefix(d.Name(), "agenda-roll") {
			return nil
		}
		n, err := strconv.Atoi(r[1])
		name := strings.TrimSuffix(d.Name(), r[0])
		if n >= newest[name] {
			newest[name], paths[name] = n, path
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for name, path := range paths {
		// The state of earlier days is of nights that the other had none of.
		if strings.Contains(name, "_asof_") && !strings.HasSuffix(name, m.Today().Compact()) {
			continue
		}
		out[name] = lasting(t, path)
	}
	if len(out) < 10 {
		t.Fatalf("only %d reports", len(out))
	}
	return out
}

// lasting are the lines of a file without the columns that tell of nights.
func lasting(t *testing.T, path string) []string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.FieldsPerRecord = -1
	records, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	drop := map[int]bool{}
	for n, record := range records {
		var kept []string
		for i, cell := range record {
			if n == 0 && slices.Contains(ofNights(), strings.TrimPrefix(cell, "\ufeff")) {
				drop[i] = true
			}
			if !drop[i] {
				kept = append(kept, cell)
			}
		}
		lines = append(lines, strings.Join(kept, "|"))
	}
	return lines
}

// A backfill that may begin few requests at a time goes on in one run, asks for no day twice, and ends as one that was
// never stopped.
func TestBackfillGoesOn(t *testing.T) {
	t.Parallel()
	o := world.Options{Seed: 92, Days: 40, Installments: 250}
	whole, pieces := newMerchant(t, o), newMerchant(t, o)
	for _, m := range []*merchant{whole, pieces} {
		m.SkipReports()
		for i := range m.Accounts {
			m.Accounts[i].Since = m.Today() - 3
		}
	}
	req := jobs.BackfillRequest{Period: ledger.Period{From: whole.Today() - 38, To: whole.Today() - 1}}
	want := whole.backfill(t, req)
	for _, a := range whole.Accounts {
		if since, err := whole.Ledger.FirstDay(t.Context(), a.Number); err != nil || since != req.Period.From {
			t.Errorf("account %s is answered for from %s on, %v", a.Number, since, err)
		}
	}

	req.MaxRequests = 7
	var last *jobs.Summary
	left := 1 << 20
	for calls := 0; last == nil || last.Left > 0; calls++ {
		s := pieces.backfill(t, req)
		if last != nil && s.Run != last.Run {
			t.Fatalf("run %s went on as %s", last.Run, s.Run)
		}
		if s.Left > 0 && (s.ExitCode() != jobs.ExitIncomplete || s.Left >= left || len(s.Accounts) > 0) {
			t.Fatalf("%d days left after %d, exit %d", s.Left, left, s.ExitCode())
		}
		if calls == 0 && s.Pulled.Requests > req.MaxRequests {
			t.Errorf("%d requests, at most %d were asked for", s.Pulled.Requests, req.MaxRequests)
		}
		last, left = s, s.Left
	}
	if d := cmp.Diff(whole.rows(t), pieces.rows(t)); d != "" {
		t.Errorf("at once (-) and in pieces (+) the ledger holds:\n%s", d)
	}
	if d := cmp.Diff(want.Pulled.New, last.Pulled.New); d != "" || last.Verdict != want.Verdict {
		t.Errorf("verdicts %s and %s, rows:\n%s", want.Verdict, last.Verdict, d)
	}
	pieces.askedOnce(t, last.Run)

	// All of it is there: asked again only when told so.
	if s := pieces.backfill(t, jobs.BackfillRequest{Period: req.Period}); s.Pulled.Requests != 0 {
		t.Errorf("%d requests for days that are complete", s.Pulled.Requests)
	}
	s := pieces.backfill(t, jobs.BackfillRequest{Period: req.Period, Recheck: true})
	if s.Windows != 2*4*req.Period.Days() || s.Pulled.New+s.Pulled.Changed+s.Pulled.Vanished > 0 {
		t.Errorf("told to, %d days were asked again: %+v", s.Windows, *s.Pulled)
	}
}

// askedOnce checks that no two windows that the run kept share a day of a list.
func (m *merchant) askedOnce(t *testing.T, run string) {
	t.Helper()
	for _, a := range m.Accounts {
		pulls, err := m.Ledger.PullsOfRun(t.Context(), a.Number, run)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]string{}
		for _, p := range pulls {
			for d := p.Window.Period.From; p.Complete && d <= p.Window.Period.To; d++ {
				key := string(p.Window.Source) + " " + d.String()
				if seen[key] != "" {
					t.Errorf("%s was asked for by %s and by %s", key, seen[key], p.ID)
				}
				seen[key] = p.ID
			}
		}
	}
}

// What the service does not answer fails and is asked for again the next time; days behind a gap are not answered for.
func TestBackfillOfAServiceThatFails(t *testing.T) {
	t.Parallel()
	m := newMerchant(t, world.Options{Seed: 93, Days: 20, Installments: 200})
	m.SkipReports()
	for i := range m.Accounts {
		m.Accounts[i].Since = m.Today() - 2
	}
	req := jobs.BackfillRequest{Period: ledger.Period{From: m.Today() - 15, To: m.Today() - 1}}
	m.arm(t, `{"endpoint": "search", "kind": "content-type", "count": -1}`)
	s := m.backfill(t, req)
	if s.ExitCode() != jobs.ExitIncomplete || len(s.FailedWindows) == 0 {
		t.Errorf("exit %d with %d failed days", s.ExitCode(), len(s.FailedWindows))
	}
	since, err := m.Ledger.FirstDay(t.Context(), m.Accounts[0].Number)
	if err != nil || since != m.Today()-2 {
		t.Errorf("answered for from %s on, %v", since, err)
	}
	m.disarm(t)
	s = m.backfill(t, req)
	if s.Verdict != ledger.Reconciled || s.Windows != 2*req.Period.Days() {
		t.Errorf("the second time: %s, %d days of cards asked for", s.Verdict, s.Windows)
	}
	if since, err = m.Ledger.FirstDay(t.Context(), m.Accounts[0].Number); err != nil || since != req.Period.From {
		t.Errorf("then answered for from %s on, %v", since, err)
	}
}

// One list alone proves no day, and a range apart from what is answered for is kept and not answered for.
func TestBackfillMovesSince(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	m := newMerchant(t, world.Options{Seed: 94, Days: 30, Installments: 200})
	m.SkipReports()
	for i := range m.Accounts {
		m.Accounts[i].Since = m.Today() - 5
	}
	back := func(days int) ledger.Date { return m.Today() - ledger.Date(days) }
	for _, c := range []struct {
		says     string
		from, to int
		sources  []ledger.Source
		since    int
	}{
		{"cards alone", 12, 1, []ledger.Source{ledger.Cards}, 5},
		{"and the slips of half of it", 8, 1, ledger.SlipLists(), 8},
		{"a range before a gap", 25, 20, nil, 8},
		{"and the gap", 19, 9, nil, 19},
	} {
		s := m.backfill(t, jobs.BackfillRequest{Period: ledger.Period{From: back(c.from), To: back(c.to)}, Sources: c.sources})
		if want := back(c.to - 1); s.AsOf != want {
			t.Errorf("%s: as of %s, want %s", c.says, s.AsOf, want)
		}
		since, err := m.Ledger.FirstDay(t.Context(), m.Accounts[0].Number)
		if err != nil || since != back(c.since) {
			t.Errorf("%s: answered for from %s on, want %s, %v", c.says, since, back(c.since), err)
		}
	}
}

// A backfill of an older range leaves the latest state evaluated by the next night as if it had never been.
func TestBackfillThenNight(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	m := newMerchant(t, world.Options{Seed: 95, Days: 30, Installments: 200, Plant: true})
	m.SkipReports()
	m.RunNight(t)
	want := m.FoundDifferences(t)
	m.backfill(t, jobs.BackfillRequest{Period: ledger.Period{From: m.Today() - 30, To: m.Today() - 20}, Recheck: true})
	m.RunNight(t)
	if d := cmp.Diff(want, m.FoundDifferences(t)); d != "" {
		t.Errorf("found before (-) and after (+):\n%s", d)
	}
}

// What would be asked is planned without a ledger, and with one.
func TestPlanBackfill(t *testing.T) {
	t.Parallel()
	m := newMerchant(t, world.Options{Seed: 96, Days: 20, Installments: 100})
	m.SkipReports()
	m.Accounts = m.Accounts[:1]
	req := jobs.BackfillRequest{
		Period: ledger.Period{From: m.Today() - 14, To: m.Today() - 1}, Sources: []ledger.Source{ledger.Cards},
	}
	kept := m.Ledger
	m.Ledger = nil
	plan, err := m.PlanBackfill(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	back := func(from, to int) jobs.BackfillRange {
		return jobs.BackfillRange{From: m.Today() - ledger.Date(from), To: m.Today() - ledger.Date(to)}
	}
	want := []jobs.BackfillList{{
		Account: m.Accounts[0].Number, Source: ledger.Cards, Days: 14, Most: 14,
		Windows: []jobs.BackfillRange{back(1, 1), back(3, 2), back(7, 4), back(14, 8)},
	}}
	if d := cmp.Diff(want, plan); d != "" {
		t.Errorf("without a ledger:\n%s", d)
	}
	m.Ledger = kept
	m.backfill(t, jobs.BackfillRequest{Period: ledger.Period(back(5, 4)), Sources: req.Sources})
	if plan, err = m.PlanBackfill(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	want[0].Days, want[0].Most, want[0].Complete = 12, 12, 2
	want[0].Windows = []jobs.BackfillRange{back(1, 1), back(3, 2), back(9, 6), back(14, 10)}
	if d := cmp.Diff(want, plan); d != "" {
		t.Errorf("with two days there:\n%s", d)
	}
	if _, err := m.Ledger.LastRun(t.Context(), ledger.Nightly); err == nil {
		t.Error("a night was run")
	}
	units, err := m.Ledger.Units(t.Context(), "", runs.UnitFilter{Accounts: []ledger.Account{m.Accounts[0].Number}})
	if err != nil || len(units) > 0 {
		t.Errorf("planning wrote %v, %v", units, err)
	}
}

// TestBackfillOfYearsTellsNothingOld: 400 days (40, without CONCILIA_LONG) that a backfill brings after the first set are reported only as
// far as they go on since: nothing of before its first day, each event in one file, and all of them add up to what the ledger has.
func TestBackfillOfYearsTellsNothingOld(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	days := max(40, int(jobstest.Long(40, 400)))
	m := moving(t, world.Options{Seed: 93, Days: days, Installments: 1, SlipsPerDay: 1, AsOf: movementDay, To: movementDay + 6})
	m.Accounts = m.Accounts[:1]
	m.Accounts[0].Since = m.Today() - 3
	m.RunNight(t)
	before := jobstest.CheckTold(t, m.Worker, m.Out)
	m.Accounts[0].Since = m.Today() - ledger.Date(days)
	m.backfill(t, jobs.BackfillRequest{Period: ledger.Period{From: m.Accounts[0].Since, To: m.Today() - 1}})
	for range 3 {
		m.nextDay()
		m.RunNight(t)
	}
	told := jobstest.CheckTold(t, m.Worker, m.Out)
	cuts, err := m.Ledger.Cuts(t.Context(), m.Accounts[0].Number)
	if err != nil {
		t.Fatal(err)
	}
	old := int64(0) // events of what was sold before the first day
	for i := range cuts {
		c := &cuts[i]
		err := m.Ledger.Events(t.Context(), c, func(e *bookkeeping.Event) error {
			if e.Occurred < cuts[0].From {
				t.Errorf("set %d tells what %s %s on %s", c.Set, e.Subject, e.Type, e.Occurred)
			}
			if s := e.State(); s.Card != nil && s.Card.SoldAt.Date() < m.Today()-10 {
				old++
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(before.Events) != 0 || len(told.Events) < 20 || old == 0 || cuts[len(cuts)-1].Set < 3 {
		t.Errorf("%d events before, %d in %d cuts, %d of older sales: too few to show it", len(before.Events), len(told.Events), len(cuts), old)
	}
}
