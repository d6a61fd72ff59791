package plan

import (
	"context"
	"slices"
	"strings"

	"concilia/store/caselog"
	"concilia/store/ledger"
)

// ProbeRequest is a request whose answer does not prove a day: no row vanishes because of it, and a nightly run is complete
// without it.
type ProbeRequest struct {
	ledger.Window
	// Wider: the list is requested for a window one day wider at each end, to measure whether its bounds are inclusive.
	Wider bool
	// Integration, on the list by credit date, requests only slips in this state of registration.
	Integration ledger.Opt[int64]
	// Slip is the id of the slip whose detail is requested; empty: none.
	Slip string
	// Brand, of the settlement simulator, is the brand for whose cards SimulatedNet is priced; empty: none.
	Brand string
}

// SimulatedNet is the net amount that the settlement simulator is asked about.
const SimulatedNet = 1000 * ledger.Real

const (
	// widerWindowNights is the number of first nights of an account in which the bounds of every list are measured.
	widerWindowNights = 7
	// maxDetails bounds the details that one run requests: with more, registration as a whole is stuck.
	maxDetails = 100
	// soldDays is how many days back a brand counts as sold.
	soldDays = 30
)

// The reasons of probe requests.
const (
	ReasonWider       = "first nights: a day wider at each end, to measure whether the ends belong to it"
	ReasonIntegration = "once a week: which slips are in this state of registration"
	ReasonStuck       = "the slip is stuck at registration"
	ReasonByCode      = "search by code: a notification is not linked yet"
	ReasonSimulator   = "every 7th night: what the simulator charges for a brand sold of late"
)

// integrationStates returns the values of statusIntegration; each is requested once a week, in a night of its own.
func integrationStates() []int64 {
	return []int64{
		ledger.IntegrationProcessing, ledger.IntegrationIssued, ledger.IntegrationRejected, ledger.IntegrationFailed,
	}
}

// PlanProbes returns the probe requests of the nightly run of asOf for an account.
func (p *Planner) PlanProbes(ctx context.Context, a ledger.Account, since, asOf ledger.Date) ([]ProbeRequest, error) {
	var all []ProbeRequest
	nights, err := p.Ledger.NightlyRunCount(ctx, a, asOf, widerWindowNights)
	if err != nil {
		return nil, err
	}
	if middle := asOf - 2; nights < widerWindowNights && middle-1 >= since {
		for _, source := range append([]ledger.Source{ledger.Cards}, ledger.SlipLists()...) {
			all = append(all, ProbeRequest{Wider: true, Window: ledger.Window{
				Account: a, Source: source, Period: ledger.Period{From: middle - 1, To: middle + 1}, Reason: ReasonWider,
			}})
		}
	}
	for i, state := range integrationStates() {
		if (int(asOf)+i)%weekly == 0 {
			all = append(all, ProbeRequest{Integration: ledger.Some(state), Window: ledger.Window{
				Account: a, Source: ledger.SlipsCredit, Period: ledger.Period{From: asOf - recentSlipDays, To: asOf},
				Reason: ReasonIntegration,
			}})
		}
	}
	others := len(all)
	err = p.Ledger.Findings(ctx, caselog.FindingFilter{
		Accounts: []ledger.Account{a}, Codes: []string{"SLIP_INTEGRATION_STUCK"}, States: unsettledStates(),
	}, func(f *ledger.Finding) error {
		if f.OpenedOn >= asOf {
			return nil // opened by this run's as-of: a repeated run must request the same as before
		}
		if parts := strings.Split(f.Subject, ":"); len(parts) == 3 && len(all)-others < maxDetails {
			all = append(all, ProbeRequest{Slip: parts[2], Window: ledger.Window{
				Account: a, Source: ledger.SlipDetail, Period: ledger.Period{From: asOf, To: asOf}, Reason: ReasonStuck,
			}})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	simulations, err := p.planSimulations(ctx, a, asOf)
	return append(all, simulations...), err
}

// planSimulations returns, in one night of the week, a request to the simulator for each brand sold in the last days.
func (p *Planner) planSimulations(ctx context.Context, a ledger.Account, asOf ledger.Date) ([]ProbeRequest, error) {
	if int(asOf)%weekly != 0 {
		return nil, nil
	}
	spellings, err := p.Ledger.BrandsSold(ctx, a, ledger.Period{From: asOf - soldDays, To: asOf - 1})
	if err != nil {
		return nil, err
	}
	var brands []string
	for _, s := range spellings {
		if brand, known := p.Brand(s); known && brand != "" && !slices.Contains(brands, brand) {
			brands = append(brands, brand)
		}
	}
	slices.Sort(brands)
	var all []ProbeRequest
	for _, brand := range brands {
		all = append(all, ProbeRequest{Brand: brand, Window: ledger.Window{
			Account: a, Source: ledger.Simulator, Period: ledger.Period{From: asOf, To: asOf}, Reason: ReasonSimulator,
		}})
	}
	return all, nil
}

// unsettledStates returns the states of cases for which the service is requested again, whatever people recorded on them.
func unsettledStates() []ledger.State {
	return []ledger.State{ledger.Opened, ledger.Reopened, ledger.Acknowledged, ledger.Disputed, ledger.Waived}
}
