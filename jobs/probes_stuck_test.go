package jobs_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"concilia/cmd/sandbox/world"
	"concilia/export/report"
	"concilia/jobs/api"
	"concilia/jobs/jobstest"
	"concilia/jobs/plan"
	"concilia/jobs/pull"
	"concilia/store/ledger"

	"github.com/google/go-cmp/cmp"
)

// registry is a service at which some slips due from a day on stay in process of registration, and which may refuse to
// tell of a slip alone.
type registry struct {
	pull.Service
	from    ledger.Date
	stuck   map[string]bool // those that are; filled up to most as lists show them
	most    int
	done    bool // all are registered
	refuses bool
	asked   []string // details, in order
}

func (r *registry) ListSlips(
	ctx context.Context, list ledger.Source, a ledger.Account, from, to ledger.Date, state ledger.Opt[int64],
) (api.SlipAnswer, error) {
	answer, err := r.Service.ListSlips(ctx, list, a, from, to, state)
	for i := range answer.Rows {
		s := &answer.Rows[i]
		if list != ledger.SlipsDue || s.Due < r.from {
			continue
		}
		if len(r.stuck) < r.most {
			r.stuck[s.ID] = true
		}
		if r.stuck[s.ID] && !r.done {
			s.Integration = ledger.Some[int64](ledger.IntegrationProcessing)
		}
	}
	return answer, err
}

func (r *registry) ReadSlip(ctx context.Context, a ledger.Account, id string) (api.SlipAnswer, error) {
	r.asked = append(r.asked, id)
	if r.refuses {
		return api.SlipAnswer{}, api.ErrUnsuccessful
	}
	return r.Service.ReadSlip(ctx, a, id)
}

// newRegistry is a merchant of one account with so many slips that will be stuck, on a Wednesday.
func newRegistry(t *testing.T, seed uint64, perDay, most int) (*merchant, *registry) {
	t.Helper()
	m := newMerchant(t, world.Options{
		Seed: seed, Days: 6, Installments: 12, SlipsPerDay: perDay, AsOf: world.NewDate(2026, time.November, 18),
	})
	m.SkipReports()
	m.Parallel = 1 // the registry is asked by one at a time
	m.Accounts, m.Plan = m.Accounts[:1], plan.Settings{SlipsDueForward: 40}
	r := &registry{Service: m.Service, from: m.Today() + 14, stuck: map[string]bool{}, most: most}
	m.Service = r
	return m, r
}

// details are the slips that the plan of the next morning asks for alone.
func (m *merchant) details(t *testing.T) []string {
	t.Helper()
	night, err := m.Tonight(t.Context(), m.Today()+1)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, b := range night.Accounts[0].Probes {
		if b.Slip == "" {
			continue
		}
		if b.Source != ledger.SlipDetail || b.Reason != "the slip is stuck at registration" {
			t.Errorf("the slip %s is asked for of %s: %s", b.Slip, b.Source, b.Reason)
		}
		ids = append(ids, b.Slip)
	}
	slices.Sort(ids)
	return ids
}

// A slip whose registration takes too long is asked for alone, night after night until it is registered; a service that
// does not tell of it leaves the night whole.
func TestStuckSlipIsAskedForSeparately(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	m, r := newRegistry(t, 63, 1, 2)
	account := m.Accounts[0].Number
	for _, c := range []struct {
		says          string
		days          int // after the night before
		refuses, done bool
		asks, plans   bool // this night, and the next by its plan
	}{
		{says: "the first night sees them in process"},
		{says: "two business days later they are stuck, and the rules say so when all is asked", days: 5, plans: true},
		{says: "the next night asks", days: 1, asks: true, plans: true},
		{says: "a service that does not tell is asked again", days: 1, refuses: true, asks: true, plans: true},
		{says: "the lists show them registered: asked for the last time", days: 1, done: true, asks: true},
		{says: "nothing is left to ask", days: 1, done: true},
	} {
		m.World.SetNow(m.World.Now().AddDate(0, 0, c.days))
		r.refuses, r.done, r.asked = c.refuses, c.done, nil
		s := m.RunNight(t)
		if s.Verdict == ledger.Incomplete || len(s.FailedWindows) > 0 {
			t.Errorf("%s: the night is %s, failed %v", c.says, s.Verdict, s.FailedWindows)
		}
		var stuck, asked, planned []string
		for id := range r.stuck {
			stuck = append(stuck, id)
		}
		slices.Sort(stuck)
		if len(stuck) != 2 {
			t.Fatalf("%s: stuck are %v", c.says, stuck)
		}
		if c.asks {
			asked = stuck
		}
		if c.plans {
			planned = stuck
		}
		slices.Sort(r.asked)
		if d := cmp.Diff(asked, r.asked); d != "" {
			t.Errorf("%s: to be asked (-) and asked (+):\n%s", c.says, d)
		}
		if d := cmp.Diff(planned, m.details(t)); d != "" {
			t.Errorf("%s: stuck (-) and planned (+):\n%s", c.says, d)
		}
		m.detailsKept(t, account, s.Run, c.says, len(asked), c.refuses)
	}
}

// detailsKept checks the pulls of the run that asked for slips alone: whole with the slip's row, or refused by name.
func (m *merchant) detailsKept(t *testing.T, a ledger.Account, run, says string, want int, refused bool) {
	t.Helper()
	pulls, err := m.Ledger.PullsOfRun(t.Context(), a, run)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for i := range pulls {
		p := &pulls[i]
		if p.Window.Source != ledger.SlipDetail {
			continue
		}
		n++
		if p.Complete == refused || p.Complete && p.Counts.Rows != 1 || (p.Note.Refused != "") != refused {
			t.Errorf("%s: a detail is complete %t with %d rows, refused %q", says, p.Complete, p.Counts.Rows, p.Note.Refused)
		}
	}
	if n != want {
		t.Errorf("%s: %d details were kept, want %d", says, n, want)
	}
}

// When registration as a whole is stuck, a night asks for a hundred slips alone and no more.
func TestStuckSlipsAreBounded(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	m, r := newRegistry(t, 64, 60, 130)
	m.RunNight(t)
	m.World.SetNow(m.World.Now().AddDate(0, 0, 5))
	m.RunNight(t)
	if planned := m.details(t); len(r.stuck) != 130 || len(planned) != 100 {
		t.Errorf("%d slips are stuck, %d are asked for", len(r.stuck), len(planned))
	}
}

// A slip newly stuck at registration is asked for alone from the next morning on, so that a night run again asks for the
// same as before; and a detail that repeats what the lists show makes no new revision of the slip's month.
func TestDetailThatRepeatsTheListsRevisesNothing(t *testing.T) {
	t.Parallel()
	m, r := newRegistry(t, 63, 1, 2)
	m.Reports.Kinds, m.Reports.Bases = []report.Kind{report.SlipsKind}, []report.Basis{report.ByOperation}
	m.RunNight(t)
	m.World.SetNow(m.World.Now().AddDate(0, 0, 5))
	m.RunNight(t)
	if n := m.FoundDifferences(t); len(r.stuck) != 2 || len(n) < 2 {
		t.Fatalf("stuck are %v, found is %v", r.stuck, n)
	}
	r.asked = nil
	noNews(t, "run again", m.RunNight(t))
	if len(r.asked) > 0 {
		t.Errorf("run again, it asks for %v", r.asked)
	}
	// The next morning, of a service at which nothing has moved since.
	m.Now = func() time.Time { return m.World.Now().AddDate(0, 0, 1) }
	s := m.RunNight(t)
	if len(r.asked) != 2 || s.Pulled.New != 2 {
		t.Errorf("the next morning asks for %v, new is %d", r.asked, s.Pulled.New)
	}
	if len(s.Files) == 0 {
		t.Error("no file is published")
	}
	for _, f := range s.Files {
		if f.New {
			t.Errorf("the next morning: %s was written", f.Path)
		}
	}
	r.asked = nil
	noNews(t, "the next morning again", m.RunNight(t))
	if len(r.asked) != 2 {
		t.Errorf("the next morning again asks for %v", r.asked)
	}
}
