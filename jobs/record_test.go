package jobs_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/cmd/sandbox/world"
	"concilia/jobs"
	"concilia/store/ledger"
)

// recordOf is the record of a run as the ledger keeps it.
func (m *merchant) recordOf(t *testing.T, run string) *ledger.Run {
	t.Helper()
	r, err := m.Ledger.RunByID(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The record has all that the summary has, and what is kept nowhere else.
func TestRunRecord(t *testing.T) {
	t.Parallel()
	m := newMerchant(t, world.Options{Seed: 31, Days: 12, Installments: 150, Plant: true})
	m.Trigger, m.Parameters, m.Commit = "cron nightly", map[string]string{"as-of": m.Today().String()}, "c0ffee"
	first := m.RunNight(t)
	again := m.RunNight(t)
	r, second := m.recordOf(t, first.Run), m.recordOf(t, again.Run)
	micro := cmp.Options{ // what the ledger keeps of a time
		cmp.Comparer(func(a, b time.Time) bool { return a.Truncate(time.Microsecond).Equal(b.Truncate(time.Microsecond)) }),
		cmp.Comparer(func(a, b time.Duration) bool { return a.Truncate(time.Microsecond) == b.Truncate(time.Microsecond) }),
	}
	if d := cmp.Diff(first.Record, r, micro); d != "" {
		t.Errorf("the summary's record (-) and the one kept (+):\n%s", d)
	}
	if r.Trigger != "cron nightly" || r.Parameters["as-of"] != m.Today().String() || r.Documents["engine"] != "c0ffee" ||
		r.Kind != ledger.Nightly || r.Resumed || second.Previous != r.ID {
		t.Errorf("begun by %q with %v, documents %v, then %q", r.Trigger, r.Parameters, r.Documents, second.Previous)
	}
	if int64(first.Windows) != r.Asked.Windows || r.Asked.Failed != 0 || r.Asked.Bytes == 0 || r.Pulled.Rows != first.Pulled.Rows {
		t.Errorf("of %d windows and %+v the record says %+v and %+v", first.Windows, *first.Pulled, r.Asked, r.Pulled)
	}
	if r.Sums["cards.gross"] != first.Totals.Cards.Gross || r.Sums["slips.difference"] != first.Totals.Slips.Difference || len(r.Sums) != 16 {
		t.Errorf("the sums are %v", r.Sums)
	}
	cases, fresh := 0, 0
	for _, n := range first.Findings {
		cases += n
	}
	for _, n := range first.NewFindings {
		fresh += n
	}
	if c := r.Cases; int(c.New) != fresh || int(c.Unresolved()) != cases || c.Resolved != 0 || r.Figures.Lost <= 0 || cases == 0 {
		t.Errorf("of %d cases, %d of them new, the record says %+v", cases, fresh, c)
	}
	if c, d := r.Cases, second.Cases; d.New != 0 || d.Persisting != c.Unresolved() || second.Figures != r.Figures {
		t.Errorf("the first night left %+v, the second found %+v", c, d)
	}
	if len(r.Sets) == 0 || len(second.Sets) != len(r.Sets) {
		t.Fatalf("%d sets, then %d", len(r.Sets), len(second.Sets))
	}
	for i, s := range r.Sets {
		kept, err := m.Ledger.SetRevision(t.Context(), &s)
		if err != nil || !s.New || second.Sets[i].New || second.Sets[i].Revision != s.Revision || len(kept.Files) == 0 {
			t.Errorf("set %+v, then %+v, %v", s, second.Sets[i], err)
		}
	}
	var steps []string
	for _, s := range r.Steps {
		if steps = append(steps, s.Name); s.Took < 0 || s.Took > r.Took() {
			t.Errorf("step %s took %s of %s", s.Name, s.Took, r.Took())
		}
	}
	if d := cmp.Diff([]string{"pull", "confirm", "reconcile", "publish"}, steps); d != "" {
		t.Errorf("the steps:\n%s", d)
	}
}

// A run that was killed and taken up again is one run, and says what an undisturbed one says.
func TestKilledRunCountsOnce(t *testing.T) {
	t.Parallel()
	options := world.Options{Seed: 72, Days: 10, Installments: 100}
	calm := newMerchant(t, options)
	want := calm.recordOf(t, calm.RunNight(t).Run)

	m := newMerchant(t, options)
	ctx, kill := context.WithCancel(t.Context())
	m.Progress = &killer{after: 5, kill: kill}
	if _, err := m.Night(ctx, m.Today()); err == nil {
		t.Fatal("a night that was broken off while it pulled ended well")
	}
	m.Progress = jobs.Silent{}
	whole := m.Target
	m.Target = &nowhere{}
	if _, err := m.Night(t.Context(), m.Today()); err == nil {
		t.Fatal("a night without a target ended well")
	}
	m.Target = whole
	s := m.RunNight(t)
	got := m.recordOf(t, s.Run)
	if !got.Resumed || want.Resumed {
		t.Errorf("taken up: %v, undisturbed: %v", got.Resumed, want.Resumed)
	}
	// What proves nothing of a day is asked again by the process that takes the run up.
	if got.Pulled.Requests < want.Pulled.Requests || got.Asked.Bytes < want.Asked.Bytes || want.Asked.Windows == 0 {
		t.Errorf("undisturbed %+v %+v, killed twice %+v %+v", want.Pulled, want.Asked, got.Pulled, got.Asked)
	}
	got.Pulled.Requests, got.Asked.Bytes = want.Pulled.Requests, want.Asked.Bytes
	for _, r := range []*ledger.Run{want, got} {
		r.ID, r.Resumed, r.Began, r.Ended, r.Steps = "", false, time.Time{}, time.Time{}, nil
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("undisturbed (-), killed twice (+):\n%s", d)
	}
	if first, err := m.Ledger.LastRun(t.Context()); err != nil || first.Previous != "" {
		t.Errorf("another run is on record: %+v, %v", first, err)
	}
}

// killer ends a run's context after so many windows, which several pull at a time.
type killer struct {
	jobs.Silent
	kill func()

	mu    sync.Mutex
	after int
	step  string
}

func (k *killer) Step(name string, _ int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.step = name
}

func (k *killer) Advance(n int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	before := k.after
	if k.after -= n; before > 0 && k.after <= 0 && k.step == "pull" {
		k.kill()
	}
}
