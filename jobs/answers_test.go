package jobs_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"concilia/cmd/sandbox/world"
	"concilia/jobs"
	"concilia/jobs/api"
	"concilia/jobs/jobstest"
	"concilia/jobs/pull"
	"concilia/store/caselog"
	"concilia/store/ledger"

	"github.com/google/go-cmp/cmp"
)

// arm makes the sandbox spoil answers, by an order as its control page takes it.
func (m *merchant) arm(t *testing.T, order string) {
	t.Helper()
	res, err := http.Post(m.URL+"/sandbox/faults", "application/json", strings.NewReader(order))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusCreated {
		t.Fatalf("the fault %s is answered %s", order, res.Status)
	}
}

func (m *merchant) disarm(t *testing.T) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, m.URL+"/sandbox/faults", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
}

// subjects are those of the cases of a code that stand.
func (m *merchant) subjects(t *testing.T, code string) []string {
	t.Helper()
	out := []string{}
	filter := caselog.FindingFilter{Codes: []string{code}, States: []ledger.State{ledger.Opened, ledger.Reopened}}
	err := m.Ledger.Findings(t.Context(), filter, func(f *ledger.Finding) error {
		out = append(out, f.Subject)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}

// spoilt asks for one day of one list elsewhere, of a service of the same world whose answers are spoilt. Windows are asked
// for side by side: an order that counts requests would hit now a day with rows, now one without.
type spoilt struct {
	pull.Service
	other pull.Service
	list  ledger.Source
	day   ledger.Date
}

// SearchInstallments asks the service, or the other one.
func (s spoilt) SearchInstallments(
	ctx context.Context, a ledger.Account, from, to ledger.Date, sink func(*ledger.Installment) error,
) (api.Answer, error) {
	if s.list == ledger.Cards && from == s.day && to == s.day {
		return s.other.SearchInstallments(ctx, a, from, to, sink)
	}
	return s.Service.SearchInstallments(ctx, a, from, to, sink)
}

// ListSlips asks the service, or the other one.
func (s spoilt) ListSlips(
	ctx context.Context, list ledger.Source, a ledger.Account, from, to ledger.Date, status ledger.Opt[int64],
) (api.SlipAnswer, error) {
	if s.list == list && from == s.day && to == s.day {
		return s.other.ListSlips(ctx, list, a, from, to, status)
	}
	return s.Service.ListSlips(ctx, list, a, from, to, status)
}

// lastDay is the last day of the 20 before today on which the first account's list has rows, as the service itself says.
func (m *merchant) lastDay(t *testing.T, list ledger.Source) ledger.Date {
	t.Helper()
	for day := m.Today() - 1; day >= m.Today()-20; day-- {
		var rows int
		if list == ledger.Cards {
			a, err := m.Service.SearchInstallments(t.Context(), m.Accounts[0].Number, day, day, nil)
			if err != nil {
				t.Fatal(err)
			}
			rows = len(a.Rows)
		} else {
			a, err := m.Service.ListSlips(t.Context(), list, m.Accounts[0].Number, day, day, ledger.Opt[int64]{})
			if err != nil {
				t.Fatal(err)
			}
			rows = len(a.Rows)
		}
		if rows > 0 {
			return day
		}
	}
	t.Fatalf("%s has no rows in the last 20 days", list)
	return 0
}

// What an answer says in addition to its rows becomes a case, which is resolved once answers are as they should be.
func TestAnswersAreEvaluated(t *testing.T) {
	t.Parallel()
	quiet := world.Options{Seed: 11, Days: 20, Installments: 250}
	for i, c := range []struct {
		says          string
		list          ledger.Source
		fault         string
		code, subject string
		side          ledger.Verdict
	}{
		{"a row of another day", ledger.Cards, `{"endpoint": "search", "kind": "leak", "count": -1}`, "RUN_WINDOW_LEAK", "source:1001:cards", ledger.ReconciledWithWarnings},
		{"a member nobody described", ledger.Cards, `{"endpoint": "search", "kind": "unknown-member", "count": -1}`, "SRC_FIELD_UNKNOWN", "member:1001:cards:membroNovo", ledger.Reconciled},
		{"a member nobody described, of slips", ledger.SlipsDue, `{"endpoint": "due", "kind": "unknown-member", "count": -1}`, "SRC_FIELD_UNKNOWN", "member:1001:slips.due:membroNovo", ledger.Reconciled},
	} {
		t.Run(c.says, func(t *testing.T) {
			t.Parallel()
			if i > 0 {
				jobstest.Spare(t)
			}
			m, other := newMerchant(t, quiet), newMerchant(t, quiet)
			m.Accounts = m.Accounts[:1]
			m.SkipReports()
			right, day := m.Service, m.lastDay(t, c.list)
			other.arm(t, c.fault)
			m.Service = spoilt{Service: right, other: other.Service, list: c.list, day: day}
			s := m.RunNight(t)
			if got := m.subjects(t, c.code); !cmp.Equal(got, []string{c.subject}) {
				t.Errorf("with the answer of %s spoilt, %s is found on %v", day, c.code, got)
			}
			if s.Verdict != c.side {
				t.Errorf("the verdict is %s", s.Verdict)
			}
			m.Service = right
			if m.RunNight(t); len(m.subjects(t, c.code)) > 0 {
				t.Errorf("%s stays", c.code)
			}
		})
	}
}

// A slip that a list shows outside the days asked for is kept, and reported.
func TestSlipOutsideWindow(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	m := newMerchant(t, world.Options{Seed: 11, Days: 20, Installments: 250})
	m.SkipReports()
	m.arm(t, `{"endpoint": "payment", "kind": "leak", "count": -1}`)
	m.RunNight(t)
	got := m.subjects(t, "SLIP_OUT_OF_WINDOW")
	if len(got) == 0 || !strings.HasPrefix(got[0], "slip:1001:") {
		t.Errorf("found on %v", got)
	}
}

// The service's clock is compared with ours, whatever the business clock says.
func TestClockSkew(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	m := newMerchant(t, world.Options{Seed: 11, Days: 10, Installments: 100})
	right := m.Service
	client, err := api.New(api.Options{
		GatewayURL: m.URL + "/gateway", IntegrationURL: m.URL + "/integration", UserName: "demo", Password: "not-a-secret",
		Now: func() time.Time { return time.Now().Add(5 * time.Minute) }, Zone: m.Zone,
	})
	if err != nil {
		t.Fatal(err)
	}
	m.Service = client
	m.SkipReports()
	if s := m.RunNight(t); s.ExitCode() != jobs.ExitWarnings || !cmp.Equal(m.subjects(t, "RUN_CLOCK_SKEW"), []string{"account:1001", "account:1002"}) {
		t.Errorf("exit %d, found on %v", s.ExitCode(), m.subjects(t, "RUN_CLOCK_SKEW"))
	}
	m.Service = right
	if s := m.RunNight(t); s.ExitCode() != jobs.ExitOK {
		t.Errorf("with the clock right, exit %d", s.ExitCode())
	}
}

// busy is a world with more than a hundred rows of cards on most days.
var busy = world.Options{Seed: 5, Days: 6, Installments: 1800}

// A list that is cut at a round number makes a night incomplete, unless the operator's cap is known to be higher.
func TestTruncatedDays(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		says  string
		limit int
		fires bool
	}{
		{"the cap is not known", 0, true},
		{"the cap is known", 100, true},
		{"the cap is known to be higher", 1000, false},
	} {
		t.Run(c.says, func(t *testing.T) {
			t.Parallel()
			if c.limit > 0 {
				jobstest.Spare(t)
			}
			m := newMerchant(t, busy)
			m.ListCap = c.limit
			m.SkipReports()
			m.arm(t, `{"endpoint": "search", "kind": "cap", "limit": 100, "count": -1}`)
			s := m.RunNight(t)
			got := m.subjects(t, "RUN_TRUNCATION_SUSPECTED")
			if c.fires != (len(got) > 1) || c.fires != (s.ExitCode() == jobs.ExitIncomplete) {
				t.Fatalf("exit %d, found on %v", s.ExitCode(), got)
			}
			if !c.fires {
				return
			}
			m.disarm(t)
			m.ListCap = 0
			if s := m.RunNight(t); len(m.subjects(t, "RUN_TRUNCATION_SUSPECTED")) > 0 || s.Pulled.New == 0 {
				t.Errorf("uncut, %v stays and %d rows are new", m.subjects(t, "RUN_TRUNCATION_SUSPECTED"), s.Pulled.New)
			}
		})
	}
}

// tardy is a service that gives no answer in time to one of the windows of many days. That one is asked through a client
// with no patience at a service that never answers: on a busy machine any other answer may come late, and must not.
type tardy struct {
	pull.Service
	hasty pull.Service
	asked atomic.Int64
}

// tardyAt is which of those windows it is.
const tardyAt = 3

// SearchInstallments asks the service.
func (d *tardy) SearchInstallments(
	ctx context.Context, a ledger.Account, from, to ledger.Date, sink func(*ledger.Installment) error,
) (api.Answer, error) {
	if from < to && d.asked.Add(1) == tardyAt {
		return d.hasty.SearchInstallments(ctx, a, from, to, sink)
	}
	return d.Service.SearchInstallments(ctx, a, from, to, sink)
}

// mute is the way to a service that never answers.
type mute struct{}

// RoundTrip waits until the one who asks has waited long enough.
func (mute) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// keys are the subjects of every current installment.
func (m *merchant) keys(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, a := range m.Accounts {
		err := m.Ledger.Sales(t.Context(), a.Number, func(s *ledger.Sale) error {
			for _, h := range s.Rows {
				out = append(out, h.Current().Key().Subject())
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(out)
	return out
}

// A range is asked for in few windows, and brings the same rows however it is cut into them.
func TestRangeInWideWindows(t *testing.T) {
	t.Parallel()
	quiet := world.Options{Seed: 6, Days: 40, Installments: 250}
	period := func(m *merchant) ledger.Period { return ledger.Period{From: m.Today() - 40, To: m.Today() - 1} }
	cards := []ledger.Source{ledger.Cards}
	whole := newMerchant(t, quiet)
	s, err := whole.PullRange(t.Context(), period(whole), cards)
	if err != nil {
		t.Fatal(err)
	}
	if s.Windows != 80 || s.Pulled.Requests >= 40 {
		t.Errorf("%d days, %d requests for 40 days of 2 accounts", s.Windows, s.Pulled.Requests)
	}
	want := whole.keys(t)
	for _, c := range []struct {
		says, fault string
		tardy       bool
		cases       bool
	}{
		{"cut at a round number", `{"endpoint": "search", "kind": "cap", "limit": 100, "count": -1}`, false, true},
		{"cut at another number", `{"endpoint": "search", "kind": "cap", "limit": 107, "count": -1}`, false, true},
		{"no answer in time to a window of many days", "", true, false},
	} {
		t.Run(c.says, func(t *testing.T) {
			t.Parallel()
			if c.cases {
				jobstest.Spare(t)
			}
			m := newMerchant(t, quiet)
			m.SkipReports()
			hasty, err := api.New(api.Options{
				GatewayURL: m.URL + "/gateway", IntegrationURL: m.URL + "/integration", UserName: "demo", Password: "not-a-secret",
				Now: time.Now, Zone: m.Zone, MaxTries: 1, Timeout: 20 * time.Millisecond, Transport: mute{},
			})
			if err != nil {
				t.Fatal(err)
			}
			slow := &tardy{Service: m.Service, hasty: hasty}
			if c.tardy {
				m.Service = slow
			} else {
				m.arm(t, c.fault)
			}
			s, err := m.PullRange(t.Context(), period(m), cards)
			if err != nil {
				t.Fatal(err)
			}
			if len(s.FailedWindows) > 0 {
				t.Errorf("failed: %v", s.FailedWindows)
			}
			if asked := slow.asked.Load(); c.tardy && asked < tardyAt {
				t.Errorf("only %d windows of many days were asked for", asked)
			}
			if diff := cmp.Diff(want, m.keys(t)); diff != "" {
				t.Errorf("other rows than in uncut windows:\n%s", diff)
			}
			m.disarm(t)
			if _, err := m.Reconcile(t.Context(), m.Today()); err != nil {
				t.Fatal(err)
			}
			if got := m.subjects(t, "RUN_TRUNCATION_SUSPECTED"); c.cases != (len(got) > 0) {
				t.Errorf("found on %v", got)
			}
			if m.RunNight(t); len(m.subjects(t, "RUN_TRUNCATION_SUSPECTED")) > 0 {
				t.Errorf("asked by itself, %v stays", m.subjects(t, "RUN_TRUNCATION_SUSPECTED"))
			}
		})
	}
}
