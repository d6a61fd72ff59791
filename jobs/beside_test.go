package jobs_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"concilia/cmd/sandbox/world"
	"concilia/jobs"
	"concilia/jobs/api"
	"concilia/jobs/plan"
	"concilia/store/ledger"
)

// On its first nights every list is asked for a day more at each end: the answer is measured, and proves and moves nothing.
func TestWiderWindowsProveNothing(t *testing.T) {
	t.Parallel()
	spare(t)
	m := newMerchant(t, world.Options{Seed: 61, Days: 12, Installments: 100})
	m.unpublished()
	m.Accounts = m.Accounts[:1]
	s := m.night(t)
	a, today := m.Accounts[0].Number, m.Today()
	pulls, err := m.Ledger.PullsOf(t.Context(), a, s.Run)
	if err != nil {
		t.Fatal(err)
	}
	measured := map[ledger.Source]bool{}
	for _, p := range pulls {
		if !p.Note.Wider {
			continue
		}
		measured[p.Window.Source] = true
		if want := (ledger.Period{From: today - 3, To: today - 1}); p.Window.Period != want || p.Complete || p.SHA256 == "" {
			t.Errorf("%s was measured by %s, complete %t: wanted %s, and that it proves nothing", p.Window.Source, p.Window.Period, p.Complete, want)
		}
		if c := p.Counts; c.New+c.Changed+c.Same+c.Vanished > 0 {
			t.Errorf("measuring %s moved %+v", p.Window.Source, c)
		}
		if p.Window.Source == ledger.Cards && (p.Note.First == 0 || p.Note.Last == 0 || p.Note.First+p.Note.Last >= p.Counts.Rows) {
			t.Errorf("of %d rows of cards %d and %d lie on the outer days", p.Counts.Rows, p.Note.First, p.Note.Last)
		}
	}
	if len(measured) != 4 {
		t.Errorf("measured were %v, wanted four lists", measured)
	}
	c, err := m.Calibrate(t.Context())
	if err != nil || len(c.Ends) != 4 || c.Ends[0] != (jobs.ListEnds{Source: ledger.Cards, First: jobs.End{Tell: 1, Shown: 1}, Last: jobs.End{Tell: 1, Shown: 1}}) {
		t.Errorf("calibrate reads %+v of the ends, %v", c.Ends, err)
	}
	m.world.SetNow(m.world.Now().AddDate(0, 0, 30))
	night, err := m.Tonight(t.Context(), m.Today())
	if err != nil {
		t.Fatal(err)
	}
	if b := night.Accounts[0].Beside; len(b) < 4 || !b[0].Wider {
		t.Errorf("after a month without a night the plan measures nothing: %+v", b)
	}
}

// unregistered is a service whose lists by due and payment date leave out statusIntegration, and which may take no heed
// of the filter.
type unregistered struct {
	jobs.Service
	heedless bool
}

func (u unregistered) Slips(
	ctx context.Context, list ledger.Source, a ledger.Account, from, to ledger.Date, state ledger.Opt[int64],
) (api.SlipAnswer, error) {
	if u.heedless {
		state = ledger.Opt[int64]{}
	}
	answer, err := u.Service.Slips(ctx, list, a, from, to, state)
	for i := range answer.Rows {
		answer.Rows[i].Integration = ledger.Opt[int64]{}
	}
	return answer, err
}

// The state of registration that only a filter tells is learned once a week, from an answer that was filtered.
func TestRegistrationByFilter(t *testing.T) {
	t.Parallel()
	spare(t)
	const issuedNight, rejectedNight = 21, 20 // of November 2026: whose turn it is follows from the day's number
	for _, c := range []struct {
		name     string
		day      int
		heedless bool
		want     ledger.Opt[int64]
	}{
		{"slips issued, asked for those issued", issuedNight, false, ledger.Some[int64](ledger.IntegrationIssued)},
		{"slips issued, asked for those rejected", rejectedNight, false, ledger.Opt[int64]{}},
		{"a service that does not filter tells nothing by its answer", rejectedNight, true, ledger.Opt[int64]{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := newMerchant(t, world.Options{Seed: 62, Days: 8, Installments: 50, AsOf: world.NewDate(2026, time.November, c.day)})
			m.unpublished()
			m.Accounts, m.Plan = m.Accounts[:1], plan.Settings{SlipsDueBack: 8, SlipsDueForward: 2}
			m.Service = unregistered{m.Service, c.heedless}
			m.night(t)
			credited := 0
			err := m.Ledger.Slips(t.Context(), m.Accounts[0].Number, func(s *ledger.Slip) error {
				if s.CreditedOn == 0 {
					return nil
				}
				if credited++; s.Integration != c.want {
					t.Errorf("slip of %s: statusIntegration %v, wanted %v", s.Due, s.Integration, c.want)
				}
				return nil
			})
			if err != nil || credited == 0 {
				t.Errorf("%d slips were credited, %v", credited, err)
			}
			cases := m.found(t)
			for name := range cases {
				if strings.HasPrefix(name, "SLIP_INTEGRATION_FAILED") {
					t.Errorf("nobody rejected a slip: %s", name)
				}
			}
		})
	}
}
