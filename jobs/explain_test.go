package jobs_test

import (
	"errors"
	"strings"
	"testing"

	"concilia/cmd/sandbox/world"
	"concilia/jobs/casework"
	"concilia/jobs/explain"
	"concilia/jobs/jobstest"
	"concilia/store/caselog"
	"concilia/store/ledger"
)

// What each answer changed of a record is shown with the answer, and so are the days a date rests on.
func TestExplainVersions(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	m := newMerchant(t, world.Options{Seed: 21, Days: 40, Installments: 150, Plant: true})
	m.SkipReports()
	m.RunNight(t)
	for range 2 {
		m.World.SetNow(m.World.Now().AddDate(0, 0, 1))
		m.RunNight(t)
	}
	x := &explain.Explainer{Ledger: m.Ledger, Profile: m.Inputs.Profile, Calendar: m.Inputs.Calendar}
	last := ""
	changed, dated, settled := false, false, false
	err := m.Ledger.Findings(t.Context(), caselog.FindingFilter{}, func(f *ledger.Finding) error {
		last = f.Case
		e, err := x.ExplainCase(t.Context(), f.Case, "en")
		if err != nil {
			return err
		}
		if e.Sentence == "" || e.Settles == "" || len(e.History) == 0 {
			t.Errorf("%s is told by %+v", f.Code, e)
		}
		for _, v := range e.Versions {
			if v.Version > 1 && len(v.Changes) == 0 && !v.Vanished || v.Began.IsZero() || v.Pull == "" {
				t.Errorf("version %d of %s: %+v", v.Version, f.Subject, v)
			}
			changed = changed || len(v.Changes) > 0
		}
		for _, p := range e.Evidence {
			if p.Complete && len(p.SHA256) != 64 {
				t.Errorf("evidence of %s: %+v", f.Subject, p)
			}
		}
		if e.OtherCalendar || e.Calendar != "" && len(e.Days) == 0 && strings.HasPrefix(f.Subject, "slip:") {
			t.Errorf("%s rests on the calendar in force, and its days are not told: other %t", f.Code, e.OtherCalendar)
		}
		for _, d := range e.Days {
			dated = true
			settled = settled || d.Settles
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !changed || !dated || !settled {
		t.Errorf("some case tells of a change: %t, of days: %t, of business days: %t", changed, dated, settled)
	}
	if e, err := x.ExplainCase(t.Context(), strings.ToUpper(last[:10]), "en"); err != nil || e.Case != last {
		t.Errorf("a case by its first digits: %v %v", e, err)
	}
	var refused *casework.RequestError
	if _, err := x.ExplainCase(t.Context(), "0123456789abcdef", "en"); !errors.As(err, &refused) {
		t.Errorf("a case nobody knows: %v", err)
	}
}
