package proof_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/cmd/sandbox/world"
	"concilia/jobs/agreements"
	"concilia/jobs/jobstest"
	"concilia/jobs/rules/assumptions"
	"concilia/jobs/rules/catalogue"
	"concilia/store/caselog"
	"concilia/store/ledger"
)

// A night under a reading the world does not have raises no error of its rules: they stand in shadow and a note names
// each with the reading that fits. Once calibrate has chosen, the same ledger evaluated again finds what was planted and nothing else.
func TestNightBeforeAndAfterCalibration(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	m := jobstest.NewMerchant(t, world.Options{
		Seed: 61, Days: 40, Installments: 2000, SlipsPerDay: 4, Plant: true, Interpretation: world.Interpretation{Rates: world.RatesFraction},
	})
	m.AskFar()
	m.SkipReports()
	m.RunNight(t)
	planted := m.PlantedDifferences()
	noted, named := 0, 0
	filter := caselog.FindingFilter{States: []ledger.State{ledger.Pending, ledger.Opened, ledger.Reopened}}
	err := m.Ledger.Findings(t.Context(), filter, func(f *ledger.Finding) error {
		switch {
		case f.Code == assumptions.Uncalibrated && strings.HasPrefix(f.Subject, "rule:"):
			noted++
			if rests := assumptions.InterpretationsOf(strings.TrimPrefix(f.Subject, "rule:"+f.Account.String()+":")); slices.Contains(rests, "rate_unit") {
				named++
				if !strings.Contains((catalogue.Voice{Language: "en"}).Explain(*f), "Fits better: rate_unit: fraction") {
					t.Errorf("does not name what fits: %s", catalogue.Voice{Language: "en"}.Explain(*f))
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
	m.Inputs.Profile = c.Profile
	if _, err := m.Reconcile(t.Context(), m.Today()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(planted, m.FoundDifferences(t)); diff != "" {
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

// standingNotes are the notes on readings that stand, by the code of the rule, and the day each was seen last.
func standingNotes(t *testing.T, m *jobstest.Merchant) map[string]ledger.Date {
	t.Helper()
	out := map[string]ledger.Date{}
	filter := caselog.FindingFilter{Codes: []string{assumptions.Uncalibrated}, States: []ledger.State{ledger.Opened, ledger.Reopened}}
	err := m.Ledger.Findings(t.Context(), filter, func(f *ledger.Finding) error {
		out[strings.TrimPrefix(f.Subject, "rule:"+f.Account.String()+":")] = f.LastSeen
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A reading that fits better is noted though no rule is suppressed: PROFILE_UNCALIBRATED was only for rules in shadow. An
// account of few rows is measured again once they have doubled; the note then stays through nights that measure nothing,
// and until the reading is answered.
func TestBetterReadingIsNotedWhileRulesAreBelieved(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	m := jobstest.NewMerchant(t, world.Options{
		Seed: 61, Days: 40, Accounts: []world.Account{{Number: 1001, Name: "Loja Centro"}}, Installments: 2000, SlipsPerDay: 1,
		Interpretation: world.Interpretation{MDRRounding: world.MDRSale},
	})
	morning := m.Today()
	judge := func(asOf ledger.Date) {
		if _, err := m.Reconcile(t.Context(), asOf); err != nil {
			t.Fatal(err)
		}
	}
	pull := func(from, to ledger.Date) {
		if _, err := m.PullRange(t.Context(), ledger.Period{From: from, To: to}, []ledger.Source{ledger.Cards}); err != nil {
			t.Fatal(err)
		}
	}
	stand := func(says string, want map[string]ledger.Date) {
		if diff := cmp.Diff(want, standingNotes(t, m)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", says, diff)
		}
	}
	pull(morning-1, morning-1)
	judge(morning)
	stand("one day of sales tells too little", map[string]ledger.Date{})
	pull(morning-40, morning-2)
	judge(morning)
	measured := map[string]ledger.Date{"MDR_AMOUNT_MISMATCH": morning, "MDR_TXN_TOTAL_MISMATCH": morning}
	stand("forty days tell", measured)
	judge(morning + 1)
	stand("a night without more rows measures nothing", measured)
	m.Inputs.Profile.MDRRounding = agreements.MDRPerSale
	judge(morning + 1)
	stand("the reading is answered", map[string]ledger.Date{})
}
