package jobs_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"concilia/cmd/sandbox/world"
	"concilia/export/report"
	"concilia/jobs"
	"concilia/jobs/api"
	"concilia/jobs/jobstest"
	"concilia/jobs/plan"
	"concilia/jobs/pull"
	"concilia/store/ledger"
)

// noNews fails the test where a run brought, found or published anything new.
func noNews(t *testing.T, says string, s *jobs.Summary) {
	t.Helper()
	if p := s.Pulled; p.New+p.Changed+p.Vanished > 0 {
		t.Errorf("%s: %+v was pulled", says, *p)
	}
	if len(s.NewFindings) > 0 {
		t.Errorf("%s: %v was found first", says, s.NewFindings)
	}
	for _, f := range s.Files {
		if f.New {
			t.Errorf("%s: %s was written", says, f.Path)
		}
	}
}

// A night run again on the same morning changes nothing, however far its lists of slips reach: what the second run does
// not ask for and cannot evaluate keeps its cases, and their impacts.
func TestRerunIsNoOpWhateverThePlan(t *testing.T) {
	t.Parallel()
	asOf := world.NewDate(2026, time.September, 7)
	for i, p := range []plan.Settings{{SlipsDueBack: 5, SlipsDueForward: 10}, {}, {SlipsDueForward: 60}, {SlipsDueBack: 45}} {
		t.Run(fmt.Sprintf("%d days back, %d forward", p.SlipsDueBack, p.SlipsDueForward), func(t *testing.T) {
			t.Parallel()
			if i > 0 {
				jobstest.Spare(t)
			}
			m := newMerchant(t, world.Options{Seed: 1, Days: 8, To: asOf + 30, AsOf: asOf, Plant: true})
			m.Plan = p
			m.RunNight(t)
			noNews(t, "the second run", m.RunNight(t))
			noNews(t, "the third run", m.RunNight(t))
		})
	}
}

// withoutTerms is a service whose list by credit date no longer shows what a late payment costs.
type withoutTerms struct{ pull.Service }

func (s withoutTerms) ListSlips(
	ctx context.Context, list ledger.Source, a ledger.Account, from, to ledger.Date, state ledger.Opt[int64],
) (api.SlipAnswer, error) {
	answer, err := s.Service.ListSlips(ctx, list, a, from, to, state)
	for i := range answer.Rows {
		answer.Rows[i].Penalty = ledger.Opt[ledger.Amount]{}
	}
	return answer, err
}

// A difference whose rule can no longer be evaluated keeps its amount in the row of the slip and in the sums of the set,
// which are proven; the run after that publishes nothing.
func TestAmountOfACaseNotEvaluatedIsPublished(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	m := newMerchant(t, world.Options{Seed: 100, Days: 40, Installments: 250, Plant: true})
	m.Reports.Kinds, m.Reports.Bases = []report.Kind{report.SlipsKind}, []report.Basis{report.ByCredit}
	m.RunNight(t)
	found := m.caseOf(t, "SLIP_LATE_PENALTY_MISMATCH")
	m.Service = withoutTerms{m.Service}
	s := m.RunNight(t)
	id, shown := found.Subject[strings.LastIndex(found.Subject, ":")+1:], ""
	for _, f := range s.Files {
		if strings.HasPrefix(filepath.Base(f.Path), "slips_"+found.Account.String()+"_") {
			b, err := os.ReadFile(f.Path)
			if err != nil {
				t.Fatal(err)
			}
			shown += cellOf(t, string(b), id, "impact")
		}
	}
	if impact := m.caseOf(t, found.Code).Impact; impact.V == 0 || impact != found.Impact || shown != impact.V.String() {
		t.Errorf("of %s, the case says %s and the file %q", found.Impact.V, impact.V, shown)
	}
	noNews(t, "the third run", m.RunNight(t))
}
