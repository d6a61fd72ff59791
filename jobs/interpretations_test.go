package jobs_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"concilia/cmd/sandbox/world"
	"concilia/export/report"
	"concilia/export/report/kindlist"
	"concilia/jobs/agreements"
	"concilia/jobs/jobstest"

	"github.com/google/go-cmp/cmp"
)

// Whatever the profile reads, a night publishes every kind in every format, of a service that does what the profile says:
// nothing is withheld, no set is refused. The first night reads every key by its first alternative, the next by its second,
// and so on, so that each alternative of each key is used in a night, together with those of the others. On PostgreSQL it is that of the
// keys that statements of the ledger depend on.
func TestEveryInterpretationDoesANight(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	all := append(agreements.ProfileKeys(), agreements.KeyDayCut)
	for _, on := range []struct {
		jobstest.Database
		keys []agreements.ProfileKey
	}{
		{jobstest.OnSQLite(), all},
		{jobstest.OnPostgres(), []agreements.ProfileKey{agreements.KeyUnit, agreements.KeyNetOfSplits}},
	} {
		for i := 0; ; i++ {
			values := map[agreements.ProfileKey]string{}
			for _, key := range on.keys {
				if a := alternatives(key); i < len(a) {
					values[key] = a[i]
				}
			}
			if len(values) == 0 {
				break
			}
			t.Run(fmt.Sprintf("%s/alternative %d of %d keys", on.Name, i+1, len(values)), func(t *testing.T) {
				t.Parallel()
				livesANight(t, on.Database, values)
			})
		}
	}
}

// alternatives are the values of a key that are not its default; of day_cut, which takes any zone, the one the sandbox has.
func alternatives(k agreements.ProfileKey) []string {
	if k == agreements.KeyDayCut {
		return []string{world.CutUTC}
	}
	return k.Candidates()[1:]
}

// likewise makes a service answer a question as the profile reads it. A service has no coverage of its own: a split of a
// part is what both readings see.
func likewise(r *world.Interpretation, k agreements.ProfileKey, value string) {
	switch k {
	case agreements.KeyUnit:
		r.Rates = value
	case agreements.KeyNetOfSplits:
		r.ReceivedNetOfSplits = true
	case agreements.KeyFeeSpread:
		r.Fees = value
	case agreements.KeyMDRRounding:
		r.MDRRounding = value
	case agreements.KeyAnticipationFormula:
		r.Anticipation = value
	case agreements.KeyAnticipationBase:
		r.AnticipationBase = value
	case agreements.KeySplitBase:
		r.SplitBase = value
	case agreements.KeySlipPenalty:
		r.SlipPenalty = value
	case agreements.KeySlipInterest:
		r.SlipInterest = value
	case agreements.KeyDayCut:
		r.DayCut = value
	case agreements.KeyForecast:
		r.Forecast = value
	}
}

// nightlyFiles are the kinds and formats of a night that publishes all there are. Its month begins after its first day, so that kinds of
// a whole month have nothing to show; nor have those of banks, stores, the movement and the journal, which it does without.
func nightlyFiles() []string {
	names := []string{"settlement html", "settlement xlsx"}
	for _, d := range kindlist.Definitions() {
		if d.WholeMonth || slices.Equal(d.Bases, []report.Basis{report.ByMovement}) ||
			slices.Contains([]report.Kind{report.BankKind, report.SalesKind, report.JournalKind}, d.Kind) {
			continue
		}
		for _, f := range d.Formats {
			if f.IsPerTable() || f == report.EDI {
				names = append(names, string(d.Kind)+" "+string(f))
			}
		}
	}
	slices.Sort(names)
	return names
}

func livesANight(t *testing.T, on jobstest.Database, values map[agreements.ProfileKey]string) {
	o := world.Options{Seed: 3, Days: 6, Installments: 60, Plant: true}
	for key, value := range values {
		likewise(&o.Interpretation, key, value)
	}
	m := newMerchant(t, o)
	m.Ledger, _ = on.Open(t)
	m.Reports.Formats = report.Formats()
	m.Reports.EDIProfile = "febraban"
	m.bank()
	for key, value := range values {
		if key == agreements.KeyDayCut {
			m.Inputs.Profile.DayCut = value
			continue
		}
		var err error
		if m.Inputs.Profile, err = m.Inputs.Profile.With(key, value); err != nil {
			t.Fatal(err)
		}
	}
	s := m.RunNight(t)
	for _, a := range s.Accounts {
		if len(a.Withheld) > 0 {
			t.Errorf("account %s: %v withheld", a.Account, a.Withheld)
		}
	}
	published := map[string]bool{}
	for _, f := range s.Files {
		published[f.Kind+" "+f.Format] = true
	}
	if d := cmp.Diff(nightlyFiles(), slices.Sorted(maps.Keys(published))); d != "" {
		t.Errorf("kinds and formats to publish (-) and published (+):\n%s", d)
	}
}
