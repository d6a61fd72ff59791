package jobs_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/cmd/sandbox/world"
	"concilia/jobs/rules"
	"concilia/store"
	"concilia/store/ledger"
)

// A night under a reading the world does not have raises no error of its rules: they stand in shadow and a note names
// each with the reading that fits. Once calibrate has chosen, the same ledger judged again finds what was planted and nothing else.
func TestNightBeforeAndAfterCalibration(t *testing.T) {
	t.Parallel()
	spare(t)
	m := newMerchant(t, world.Options{
		Seed: 61, Days: 40, Installments: 2000, SlipsPerDay: 4, Plant: true, Readings: world.Readings{Rates: world.RatesFraction},
	})
	m.unpublished()
	m.night(t)
	planted := m.planted()
	noted, named := 0, 0
	filter := store.FindingFilter{States: []ledger.State{ledger.Pending, ledger.Opened, ledger.Reopened}}
	err := m.Ledger.Findings(t.Context(), filter, func(f *ledger.Finding) error {
		switch {
		case f.Code == rules.Uncalibrated && strings.HasPrefix(f.Subject, "rule:"):
			noted++
			if rests := rules.ReadingsOf(strings.TrimPrefix(f.Subject, "rule:"+f.Account.String()+":")); slices.Contains(rests, "rate_unit") {
				named++
				if !strings.Contains(rules.Explain(*f, "en"), "Fits better: rate_unit: fraction") {
					t.Errorf("does not name what fits: %s", rules.Explain(*f, "en"))
				}
			}
		case f.Severity == ledger.Error && !plantedCase(planted, f):
			t.Errorf("nobody planted %s %s", f.Code, f.Subject)
		}
		return nil
	})
	if err != nil || noted == 0 || named == 0 {
		t.Errorf("%d rules are noted as not believed: %v", noted, err)
	}
	c, err := m.Calibrate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m.Terms.Profile = c.Profile
	if _, err := m.Reconcile(t.Context(), m.Today()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(planted, m.found(t)); diff != "" {
		t.Errorf("after calibration planted (-) and found (+) differ:\n%s", diff)
	}
}

// plantedCase says whether a case was planted, whatever its impact.
func plantedCase(planted map[string]bool, f *ledger.Finding) bool {
	for p := range planted {
		if strings.HasPrefix(p, f.Code+" "+f.Subject+" ") {
			return true
		}
	}
	return false
}
