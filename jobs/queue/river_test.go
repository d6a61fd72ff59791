//go:build unix

package queue_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"concilia/jobs/queue"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/runs"
	"concilia/store/storetest"
)

// TestRiver: units on a real Postgres, done by the process that leads the run and by workers.
func TestRiver(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		test func(t *testing.T, b *bench)
	}{
		{"alone, the leader does every unit in its order", aloneInOrder},
		{"alone, the leader waits for nobody when its last unit is finished", aloneWithoutWaiting},
		{"with workers, every unit is done once, by several", withWorkers},
		{"a unit that failed is tried again by another call, one that is done is not", triedAgain},
		{"what a worker gives up comes round again", givenBack},
		{"an error that is fatal to a worker ends it, and the leader goes on", fatalToOne},
		{"an error of the leader's own ends the call", leaderFails},
		{"the unit of a worker that fell silent is taken over", silentWorker},
		{"a worker of another group, and one of a run that nobody leads, does nothing", notTheirs},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.test(t, newBench(t, storetest.FreshPostgres(t)))
		})
	}
}

const run, account = "20261118T060000.000Z-queue", ledger.Account(1001)

// bench is a ledger with a run under way, and what its units came to.
type bench struct {
	dsn   string
	l     *store.Ledger
	lease *runs.Lease

	mu    sync.Mutex
	order []string            // units as they were begun
	by    map[string][]string // unit to who worked on it
}

func newBench(t *testing.T, dsn string) *bench {
	t.Helper()
	l, err := store.Open(t.Context(), dsn)
	must(t, err)
	t.Cleanup(func() { must(t, l.Close()) })
	_, _, err = l.Migrate(t.Context())
	must(t, err)
	b := &bench{dsn: dsn, l: l, by: map[string][]string{}}
	b.lease, err = l.LeaseAccounts(t.Context(), run, []ledger.Account{account}, time.Minute)
	must(t, err)
	return b
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// plan plans n units, each a day.
func (b *bench) plan(t *testing.T, n int) []ledger.WorkUnit {
	t.Helper()
	var units []ledger.WorkUnit
	for i := range n {
		day := ledger.NewDate(2026, 11, 17) - ledger.Date(i)
		units = append(units, ledger.UnitOfWindow(run, ledger.PullUnit, ledger.Window{
			Account: account, Source: ledger.Cards, Period: ledger.Period{From: day, To: day}, Reason: "test",
		}))
	}
	must(t, b.l.PlanUnits(t.Context(), units))
	return units
}

// open opens the queue as one process would.
func (b *bench) open(t *testing.T, worker string, change ...func(*queue.RiverOptions)) *queue.River {
	t.Helper()
	o := queue.RiverOptions{
		DSN: b.dsn, Ledger: b.l, Group: "g1", Worker: worker, Parallel: func() int { return 1 }, Now: time.Now,
		Log: slog.New(slog.DiscardHandler),
	}
	for _, c := range change {
		c(&o)
	}
	r, err := queue.OpenRiver(t.Context(), o)
	must(t, err)
	t.Cleanup(r.Close)
	return r
}

// as is work that takes note, lets fn decide, and ends the unit.
func (b *bench) as(worker string, fn func(u ledger.WorkUnit) error) queue.Work {
	return func(ctx context.Context, u ledger.WorkUnit) error {
		b.mu.Lock()
		b.order = append(b.order, u.What)
		b.by[u.What] = append(b.by[u.What], worker)
		b.mu.Unlock()
		if fn != nil {
			if err := fn(u); err != nil {
				return err
			}
		}
		u.State, u.Rows = ledger.UnitDone, 1
		return b.l.FinishUnit(ctx, u)
	}
}

// start runs a worker until the test, or what it gives, ends it.
func start(t *testing.T, r *queue.River, work queue.Work) (end func() error) {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- r.Work(ctx, work) }()
	end = sync.OnceValue(func() error {
		stop()
		return <-ended
	})
	t.Cleanup(func() { _ = end() }) // the error is of the test that asks for it
	return end
}

// allDone fails unless every unit is done, and was worked on as often as times says.
func (b *bench) allDone(t *testing.T, units []ledger.WorkUnit, times int) {
	t.Helper()
	kept, err := b.l.Units(t.Context(), run, runs.UnitFilter{Accounts: []ledger.Account{account}})
	must(t, err)
	if len(kept) != len(units) {
		t.Errorf("%d units, want %d", len(kept), len(units))
	}
	for _, u := range kept {
		if u.State != ledger.UnitDone || len(b.by[u.What]) != times {
			t.Errorf("%s is %s after %d attempts, by %v", u.What, u.State, u.Attempts, b.by[u.What])
		}
	}
}

func aloneInOrder(t *testing.T, b *bench) {
	units := b.plan(t, 5)
	leader := b.open(t, "leader/1")
	for range 2 { // the second finds all done
		must(t, leader.Do(t.Context(), units, b.as("leader", nil)))
	}
	b.allDone(t, units, 1)
	for i, u := range units {
		if b.order[i] != u.What {
			t.Fatalf("done in the order %v", b.order)
		}
	}
	must(t, leader.Do(t.Context(), nil, b.as("leader", nil)))
}

// aloneWithoutWaiting: on a clock that stands still no interval passes after which the units would be read again.
func aloneWithoutWaiting(t *testing.T, b *bench) {
	units, now := b.plan(t, 5), time.Now()
	leader := b.open(t, "leader/1", func(o *queue.RiverOptions) {
		o.Now, o.Parallel = func() time.Time { return now }, func() int { return 3 }
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	must(t, leader.Do(ctx, units, b.as("leader", nil)))
	b.allDone(t, units, 1)
}

func withWorkers(t *testing.T, b *bench) {
	units := b.plan(t, 40)
	slow := func(ledger.WorkUnit) error {
		time.Sleep(20 * time.Millisecond)
		return nil
	}
	// Everybody holds the first unit until all have one: alone the leader might do them all before a worker wakes.
	var ends []func() error
	var helped sync.WaitGroup
	for i := range 2 {
		name := fmt.Sprint("worker/", i)
		helped.Add(1)
		first := sync.OnceFunc(helped.Done)
		ends = append(ends, start(t, b.open(t, name), b.as(name, func(u ledger.WorkUnit) error {
			first()
			helped.Wait()
			return slow(u)
		})))
	}
	elsewhere := 0
	leader := b.open(t, "leader/1", func(o *queue.RiverOptions) { o.OnFinishedElsewhere = func(ledger.WorkUnit) { elsewhere++ } })
	must(t, leader.Do(t.Context(), units, b.as("leader", func(u ledger.WorkUnit) error {
		helped.Wait()
		return slow(u)
	})))
	b.allDone(t, units, 1)
	counts := map[string]int{}
	for _, by := range b.by {
		counts[by[0]]++
	}
	if len(counts) != 3 || elsewhere != len(units)-counts["leader"] {
		t.Errorf("units by %v, of which the leader heard of %d elsewhere", counts, elsewhere)
	}
	for _, end := range ends {
		must(t, end())
	}
}

func triedAgain(t *testing.T, b *bench) {
	units := b.plan(t, 3)
	leader := b.open(t, "leader/1")
	fail := func(ctx context.Context, u ledger.WorkUnit) error {
		if u.What != units[1].What {
			return b.as("leader", nil)(ctx, u)
		}
		u.State, u.Failure = ledger.UnitFailed, "not today"
		return b.l.FinishUnit(ctx, u)
	}
	must(t, leader.Do(t.Context(), units, fail))
	u, err := b.l.Unit(t.Context(), units[1])
	must(t, err)
	if u.State != ledger.UnitFailed || u.Attempts != 1 || len(b.by) != 2 {
		t.Fatalf("%+v, done %v", u, b.by)
	}
	// A worker gets it too, though River has a job of it already.
	worker := b.open(t, "worker/1")
	start(t, worker, b.as("worker", nil))
	must(t, leader.Do(t.Context(), units, b.as("leader", nil)))
	b.allDone(t, units, 1)
}

func givenBack(t *testing.T, b *bench) {
	units := b.plan(t, 6)
	clumsy := b.open(t, "clumsy/1")
	start(t, clumsy, b.as("clumsy", func(ledger.WorkUnit) error { return errors.New("stumbled") }))
	leader := b.open(t, "leader/1")
	slow := func(ledger.WorkUnit) error {
		time.Sleep(50 * time.Millisecond)
		return nil
	}
	must(t, leader.Do(t.Context(), units, b.as("leader", slow)))
	for _, u := range units {
		if by := b.by[u.What]; by[len(by)-1] != "leader" {
			t.Errorf("%s was done by %v", u.What, by)
		}
	}
}

func fatalToOne(t *testing.T, b *bench) {
	units := b.plan(t, 6)
	refused := errors.New("refused")
	worker := b.open(t, "worker/1", func(o *queue.RiverOptions) {
		o.Fatal = func(err error) bool { return errors.Is(err, refused) }
	})
	hit := make(chan struct{})
	end := start(t, worker, b.as("worker", func(ledger.WorkUnit) error {
		close(hit) // once: the worker ends with it
		return refused
	}))
	leader := b.open(t, "leader/1")
	must(t, leader.Do(t.Context(), units, b.as("leader", func(ledger.WorkUnit) error {
		<-hit
		return nil
	})))
	if err := end(); !errors.Is(err, refused) {
		t.Errorf("the worker ended with %v", err)
	}
}

func leaderFails(t *testing.T, b *bench) {
	units := b.plan(t, 3)
	refused := errors.New("refused")
	leader := b.open(t, "leader/1")
	if err := leader.Do(t.Context(), units, b.as("leader", func(ledger.WorkUnit) error { return refused })); !errors.Is(err, refused) {
		t.Errorf("Do gave %v", err)
	}
	u, err := b.l.Unit(t.Context(), units[0])
	must(t, err)
	if u.State != ledger.UnitPlanned || u.Attempts != 1 || len(b.order) != 1 {
		t.Errorf("%+v after %v", u, b.order)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := leader.Do(ctx, units, b.as("leader", nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled, Do gave %v", err)
	}
}

func silentWorker(t *testing.T, b *bench) {
	units := b.plan(t, 2)
	claimed := time.Now()
	taken, err := b.l.ClaimUnit(t.Context(), units[0], "elsewhere/1", 700*time.Millisecond)
	if err != nil || !taken {
		t.Fatal(taken, err)
	}
	leader := b.open(t, "leader/1")
	must(t, leader.Do(t.Context(), units, b.as("leader", func(u ledger.WorkUnit) error {
		if waited := time.Since(claimed); u.What == units[0].What && waited < 700*time.Millisecond {
			t.Errorf("taken over after %s: its worker had 700 ms", waited)
		}
		return nil
	})))
	b.allDone(t, units, 1)
}

func notTheirs(t *testing.T, b *bench) {
	units := b.plan(t, 4)
	other := b.open(t, "other/1", func(o *queue.RiverOptions) { o.Group = "g2" })
	start(t, other, b.as("other", nil))
	leader := b.open(t, "leader/1")
	refused := errors.New("refused")
	// The leader gives up: its jobs stay at River, and its run without one who leads it.
	if err := leader.Do(t.Context(), units, func(context.Context, ledger.WorkUnit) error { return refused }); !errors.Is(err, refused) {
		t.Fatal(err)
	}
	must(t, b.lease.Release(t.Context()))
	worker := b.open(t, "worker/1")
	end := start(t, worker, b.as("worker", nil))
	time.Sleep(300 * time.Millisecond)
	must(t, end())
	if len(b.order) > 0 {
		t.Fatalf("worked on: %v", b.by)
	}
	// Taken up again, the same units go to who may do them.
	lease, err := b.l.LeaseAccounts(t.Context(), run, []ledger.Account{account}, time.Minute)
	must(t, err)
	start(t, b.open(t, "worker/2"), b.as("worker", nil))
	must(t, leader.Do(t.Context(), units, b.as("leader", nil)))
	b.allDone(t, units, 1)
	must(t, lease.Release(t.Context()))
}
