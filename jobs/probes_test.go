package jobs_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"concilia/cmd/sandbox/world"
	"concilia/jobs"
	"concilia/jobs/agreements"
	"concilia/jobs/api"
	"concilia/jobs/jobstest"
	"concilia/jobs/plan"
	"concilia/jobs/pull"
	"concilia/store/ledger"
)

// On its first nights every list is asked for a day more at each end: the answer is measured, and proves and moves nothing.
func TestWiderWindowsProveNothing(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	m := newMerchant(t, world.Options{Seed: 61, Days: 12, Installments: 100})
	m.SkipReports()
	m.Accounts = m.Accounts[:1]
	s := m.RunNight(t)
	a, today := m.Accounts[0].Number, m.Today()
	pulls, err := m.Ledger.PullsOfRun(t.Context(), a, s.Run)
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
	if err != nil || len(c.Ends) != 4 || c.Ends[0] != (pull.ListEnds{Source: ledger.Cards, First: pull.End{Decisive: 1, Shown: 1}, Last: pull.End{Decisive: 1, Shown: 1}}) {
		t.Errorf("calibrate reads %+v of the ends, %v", c.Ends, err)
	}
	m.World.SetNow(m.World.Now().AddDate(0, 0, 30))
	night, err := m.Tonight(t.Context(), m.Today())
	if err != nil {
		t.Fatal(err)
	}
	if b := night.Accounts[0].Probes; len(b) < 4 || !b[0].Wider {
		t.Errorf("after a month without a night the plan measures nothing: %+v", b)
	}
}

// unregistered is a service whose lists by due and payment date leave out statusIntegration, and which may take no heed
// of the filter.
type unregistered struct {
	pull.Service
	heedless bool
}

func (u unregistered) ListSlips(
	ctx context.Context, list ledger.Source, a ledger.Account, from, to ledger.Date, state ledger.Opt[int64],
) (api.SlipAnswer, error) {
	if u.heedless {
		state = ledger.Opt[int64]{}
	}
	answer, err := u.Service.ListSlips(ctx, list, a, from, to, state)
	for i := range answer.Rows {
		answer.Rows[i].Integration = ledger.Opt[int64]{}
	}
	return answer, err
}

// The state of registration that only a filter tells is learned once a week, from an answer that was filtered.
func TestRegistrationByFilter(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
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
			m.SkipReports()
			m.Accounts, m.Plan = m.Accounts[:1], plan.Settings{SlipsDueBack: 8, SlipsDueForward: 2}
			m.Service = unregistered{m.Service, c.heedless}
			m.RunNight(t)
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
			cases := m.FoundDifferences(t)
			for name := range cases {
				if strings.HasPrefix(name, "SLIP_INTEGRATION_FAILED") {
					t.Errorf("nobody rejected a slip: %s", name)
				}
			}
		})
	}
}

// simulatorCalls notes what the simulator is asked.
type simulatorCalls struct {
	pull.Service
	brands []string
}

func (s *simulatorCalls) SimulateSettlement(ctx context.Context, brand string, net ledger.Amount) (api.SimulationAnswer, error) {
	s.brands = append(s.brands, brand)
	return s.Service.SimulateSettlement(ctx, brand, net)
}

// Every seventh night the simulator is asked for each brand that was sold, once for all accounts, and its answer is kept
// and held to each account's contract. One that does not answer, or knows no such login, costs the night nothing.
func TestSimulatorIsAskedEverySeventhNight(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	asked := world.NewDate(2026, time.November, 22) // its number divides by seven
	lived := func(t *testing.T, change func(*merchant)) (*merchant, *simulatorCalls, *jobs.Summary) {
		m := newMerchant(t, world.Options{Seed: 63, Days: 35, Installments: 700, AsOf: asked, To: asked + 1})
		m.SkipReports()
		m.Plan = plan.Settings{SlipsDueBack: 8, SlipsDueForward: 2}
		if change != nil {
			change(m)
		}
		calls := &simulatorCalls{Service: m.Service}
		m.Service = calls
		return m, calls, m.RunNight(t)
	}
	simulations := func(m *merchant, a ledger.Account, run string) (noted, kept, failed int) {
		pulls, err := m.Ledger.PullsOfRun(t.Context(), a, run)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range pulls {
			switch {
			case p.Window.Source != ledger.Simulator:
			case p.Note.Simulated == nil:
				failed++
			default:
				noted++
				if ok, err := m.Ledger.HasBody(t.Context(), p.SHA256); err == nil && ok && len(p.Note.Simulated.Options) == 12 {
					kept++
				}
			}
		}
		return noted, kept, failed
	}
	t.Run("as the contract has it", func(t *testing.T) {
		t.Parallel()
		m, calls, s := lived(t, nil)
		if want := []string{"amex", "elo", "hipercard", "mastercard", "visa"}; !slices.Equal(calls.brands, want) {
			t.Errorf("asked for %v, want %v", calls.brands, want)
		}
		for _, a := range m.Accounts {
			if noted, kept, failed := simulations(m, a.Number, s.Run); noted != 5 || kept != 5 || failed != 0 {
				t.Errorf("account %s: %d answers noted, %d kept, %d failed", a.Number, noted, kept, failed)
			}
		}
		if got := m.subjects(t, "SIMULATOR_DRIFT"); len(got) > 0 || s.ExitCode() != jobs.ExitOK {
			t.Errorf("exit %d, found on %v", s.ExitCode(), got)
		}
		m.World.SetNow(m.World.Now().AddDate(0, 0, 1))
		if m.RunNight(t); len(calls.brands) != 5 {
			t.Errorf("the next night asks again: %v", calls.brands)
		}
	})
	t.Run("dearer than the contract of one account", func(t *testing.T) {
		t.Parallel()
		m, _, _ := lived(t, func(m *merchant) {
			text := strings.Replace(string(jobstest.WriteContract(m.World)), "mdr: 2.34", "mdr: 2.20", 1) // of 1001, one installment
			var err error
			if m.Inputs.Contracts, err = agreements.ParseContracts("contract.yaml", []byte(text)); err != nil {
				t.Fatal(err)
			}
		})
		want := []string{"option:1001:amex:1", "option:1001:elo:1", "option:1001:hipercard:1", "option:1001:mastercard:1", "option:1001:visa:1"}
		if got := m.subjects(t, "SIMULATOR_DRIFT"); !slices.Equal(got, want) {
			t.Errorf("found on %v", got)
		}
	})
	t.Run("no login for it", func(t *testing.T) {
		t.Parallel()
		m, calls, s := lived(t, func(m *merchant) {
			client, err := api.New(api.Options{
				GatewayURL: m.URL + "/gateway", IntegrationURL: m.URL + "/integration", UserName: "demo", Password: "not-a-secret",
				GatewayUserName: "nobody", GatewayPassword: "wrong", Now: time.Now, Zone: m.Zone, Backoff: time.Millisecond,
			})
			if err != nil {
				t.Fatal(err)
			}
			m.Service = client
		})
		if _, _, failed := simulations(m, m.Accounts[0].Number, s.Run); len(calls.brands) != 1 || failed != 1 {
			t.Errorf("asked for %v, %d pulls failed", calls.brands, failed)
		}
		if s.ExitCode() != jobs.ExitOK || s.Record.Asked.Failed != 0 {
			t.Errorf("exit %d, %d windows failed", s.ExitCode(), s.Record.Asked.Failed)
		}
	})
}
