package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"concilia/cmd/sandbox/world"
	"concilia/jobs"
	"concilia/jobs/jobstest"
	"concilia/jobs/plan"
	"concilia/store/ledger"

	"github.com/google/go-cmp/cmp"
)

// What is planted is found, whatever the seed, and nothing else.
func TestNightFindsWhatIsPlanted(t *testing.T) {
	t.Parallel()
	for seed := range jobstest.Seeds(2, 12) {
		t.Run(fmt.Sprint("seed ", 100+seed), func(t *testing.T) {
			t.Parallel()
			if seed > 0 {
				jobstest.Spare(t)
			}
			m := newMerchant(t, world.Options{Seed: 100 + seed, Days: 40, Installments: 250, Plant: true})
			m.AskFar()
			if seed > 0 { // one publishes what it finds
				m.SkipReports()
			}
			s := m.RunNight(t)
			planted := m.PlantedDifferences()
			if len(planted) < 10 {
				t.Fatalf("only %d differences are planted", len(planted))
			}
			if diff := cmp.Diff(planted, m.FoundDifferences(t)); diff != "" {
				t.Errorf("planted (-) and found (+) differ:\n%s", diff)
			}
			if s.Verdict != ledger.Breaks || s.ExitCode() != jobs.ExitBreaks {
				t.Errorf("verdict %s, exit %d", s.Verdict, s.ExitCode())
			}
		})
	}
}

// Clean data raise no alarm of any severity.
func TestNightOfCleanData(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	for i, asOf := range []string{"2026-11-18", "2026-11-22", "2026-03-01"} {
		t.Run("as of "+asOf, func(t *testing.T) {
			t.Parallel()
			day, err := world.ParseDate(asOf)
			if err != nil {
				t.Fatal(err)
			}
			m := newMerchant(t, world.Options{Seed: 11, Days: 20, Installments: 150, AsOf: day})
			if i > 0 { // one publishes that there is nothing to find
				m.SkipReports()
			}
			s := m.RunNight(t)
			if found := m.FoundDifferences(t); len(found) > 0 {
				t.Errorf("clean data raise %v", found)
			}
			if s.Verdict != ledger.Reconciled || s.ExitCode() != jobs.ExitOK {
				t.Errorf("verdict %s, exit %d", s.Verdict, s.ExitCode())
			}
			if d := s.Totals.Cards.Difference; d != 0 {
				t.Errorf("the totals differ by %s", d)
			}
		})
	}
}

// Mornings one after the other: every settlement is seen on the next one, old days are asked again only where something falls due,
// and what was planted is found every morning.
func TestNightsInARow(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	m := newMerchant(t, world.Options{Seed: 21, Days: 40, Installments: 250, Plant: true})
	m.AskFar()
	m.SkipReports()
	m.RunNight(t)
	for range jobstest.Long(3, 10) {
		m.World.SetNow(m.World.Now().AddDate(0, 0, 1))
		windows, err := m.PlanWindows(t.Context(), m.Today())
		if err != nil {
			t.Fatal(err)
		}
		s := m.RunNight(t)
		if diff := cmp.Diff(m.PlantedDifferences(), m.FoundDifferences(t)); diff != "" {
			t.Errorf("as of %s planted (-) and found (+) differ:\n%s", m.Today(), diff)
		}
		if s.Pulled.New == 0 || s.Pulled.Quarantined+s.Pulled.Vanished > 0 {
			t.Errorf("as of %s %+v was pulled", m.Today(), *s.Pulled)
		}
		old := 0
		for _, w := range windows {
			if w.Source == ledger.Cards && w.Period.From < m.Today()-7 {
				old++
			}
		}
		if old == 0 || old >= 80 {
			t.Errorf("as of %s %d old days of cards are asked again", m.Today(), old)
		}
	}
}

// The same morning lived twice brings nothing new.
func TestSameNightTwice(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	m := newMerchant(t, world.Options{Seed: 31, Days: 14, Installments: 100, Plant: true})
	first := m.RunNight(t)
	again := m.RunNight(t)
	if p := again.Pulled; p.New+p.Changed+p.Vanished > 0 || p.Same == 0 {
		t.Errorf("the second time %+v was pulled", *p)
	}
	if len(again.NewFindings) > 0 {
		t.Errorf("the second time %v was found first", again.NewFindings)
	}
	if len(first.Files) == 0 || len(again.Files) != len(first.Files) {
		t.Errorf("%d files, then %d", len(first.Files), len(again.Files))
	}
	for _, f := range again.Files {
		if f.New {
			t.Errorf("%s was written again", f.Path)
		}
	}
}

// A day asked for before it had ended proves nothing: it is asked for again.
func TestPlanAsksAgainForAnUnfinishedDay(t *testing.T) {
	t.Parallel()
	m := newMerchant(t, world.Options{Seed: 41, Days: 10, Installments: 100})
	today := m.Today()
	if _, err := m.PullRange(t.Context(), ledger.Period{From: today, To: today}, []ledger.Source{ledger.Cards}); err != nil {
		t.Fatal(err)
	}
	m.World.SetNow(m.World.Now().Add(24 * time.Hour))
	windows, err := m.PlanWindows(t.Context(), m.Today())
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range windows {
		if w.Source == ledger.Cards && w.Period.From == today && w.Account == 1001 {
			return
		}
	}
	t.Errorf("%s is not asked for again", today)
}

// since is decided on the first run and only ever moves back.
func TestSince(t *testing.T) {
	t.Parallel()
	m := newMerchant(t, world.Options{Seed: 51, Days: 10, Installments: 100})
	m.Accounts[0].Since = 0
	m.SkipReports()
	m.RunNight(t)
	got, err := m.Ledger.FirstDay(t.Context(), m.Accounts[0].Number)
	if err != nil || got != m.Today()-plan.DefaultSinceDays {
		t.Errorf("since %s, %v", got, err)
	}
	m.Accounts[0].Since = got + 20
	m.RunNight(t)
	if later, err := m.Ledger.FirstDay(t.Context(), m.Accounts[0].Number); err != nil || later != got {
		t.Errorf("since moved forward to %s, %v", later, err)
	}
}

// A report of days before the first covered day is refused, and one of an account that was never reconciled.
func TestReportRefuses(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	m := newMerchant(t, world.Options{Seed: 61, Days: 10, Installments: 100})
	p := ledger.Period{From: m.Today() - 5, To: m.Today() - 1}
	if _, err := m.Report(t.Context(), jobs.ReportRequest{Period: p, Basis: "operation"}); err == nil {
		t.Error("a report of an account that was never reconciled")
	}
	m.RunNight(t)
	for why, r := range map[string]jobs.ReportRequest{
		"a period before since":         {Period: ledger.Period{From: m.Today() - 400, To: p.To}, Basis: "operation"},
		"a basis that does not exist":   {Period: p, Basis: "moon"},
		"a kind that does not exist":    {Period: p, Basis: "operation", Kinds: []string{"poem"}},
		"cards by payment date":         {Period: p, Basis: "payment", Kinds: []string{"summary"}},
		"a brand nobody knows":          {Period: p, Basis: "operation", Brands: []string{"monopoly"}},
		"a class nobody knows":          {Period: p, Basis: "operation", Statuses: []string{"lost"}},
		"slips, which have no brand":    {Period: p, Basis: "operation", Brands: []string{"visa"}, Kinds: []string{"slips"}},
		"a format that does not exist":  {Period: p, Basis: "operation", Formats: []string{"pdf"}},
		"an EDI file of a mere summary": {Period: p, Basis: "operation", Kinds: []string{"summary"}, Formats: []string{"edi"}},
	} {
		if _, err := m.Report(t.Context(), r); err == nil {
			t.Errorf("%s is accepted", why)
		}
	}
	if _, err := m.Report(t.Context(), jobs.ReportRequest{Period: p, Basis: "payment"}); err != nil {
		t.Errorf("by payment date without a kind, slips alone: %v", err)
	}
}

// A run that was given up is taken up under its own name; one with other documents is not.
func TestKilledNightIsTakenUp(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	m := newMerchant(t, world.Options{Seed: 71, Days: 10, Installments: 100})
	whole := m.Target
	m.Target = &nowhere{}
	if _, err := m.Night(t.Context(), m.Today()); err == nil {
		t.Fatal("a night without a target ended well")
	}
	m.Target = whole
	broken, err := m.Ledger.UnfinishedRun(t.Context(), ledger.Nightly, m.Today())
	if err != nil {
		t.Fatal(err)
	}
	s := m.RunNight(t)
	if s.Run != broken.ID {
		t.Errorf("run %s was begun anew as %s", broken.ID, s.Run)
	}
	if s.Pulled.New == 0 {
		t.Errorf("what the killed night pulled is not told: %+v", *s.Pulled)
	}
	if _, err := m.Ledger.UnfinishedRun(t.Context(), ledger.Nightly, m.Today()); err == nil {
		t.Error("the run did not end")
	}
	if _, err := m.Ledger.RunByID(t.Context(), s.Run); err != nil {
		t.Error(err)
	}
}

// nowhere is a target that is gone.
type nowhere struct{ jobstest.Folder }

func (*nowhere) Stage(context.Context) (string, func(), error) {
	return "", nil, errors.New("the share is not mounted")
}

// A target that is gone costs no figure: the run ends with 50, and the next one publishes what does not stand.
func TestTargetGone(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	m := newMerchant(t, world.Options{Seed: 81, Days: 10, Installments: 100})
	whole := m.Target
	m.Target, m.IsTargetGone = &nowhere{}, func(error) bool { return true }
	s, err := m.Night(t.Context(), m.Today())
	if err != nil {
		t.Fatal(err)
	}
	if s.ExitCode() != jobs.ExitNothing || s.Verdict != ledger.Incomplete || len(s.Unpublished) != 1 {
		t.Errorf("exit %d, verdict %s, unpublished %v", s.ExitCode(), s.Verdict, s.Unpublished)
	}
	m.Target = whole
	if s := m.RunNight(t); s.ExitCode() != jobs.ExitOK || len(s.Files) == 0 || !s.Files[0].New {
		t.Errorf("the next night ends with %d and %d files", s.ExitCode(), len(s.Files))
	}
}
