package jobs_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"concilia/cmd/sandbox/world"
	"concilia/export/report"
	"concilia/jobs"
	"concilia/jobs/agreements"
	"concilia/jobs/queue"
	"concilia/store"
	"concilia/store/ledger"
)

// otherWorker is a queue whose units another worker does, with nothing but what the ledger says of them.
type otherWorker struct {
	l    *store.Ledger
	work queue.Work
}

func (e otherWorker) Do(ctx context.Context, units []ledger.WorkUnit, _ queue.Work) error {
	return queue.Pool{Parallel: 1}.Do(ctx, units, func(ctx context.Context, u ledger.WorkUnit) error {
		kept, err := e.l.Unit(ctx, u)
		if err != nil {
			return err
		}
		return e.work(ctx, kept)
	})
}

// TestUnitsElsewhere: a night whose units are all done by another worker finds what was planted, and says so.
func TestUnitsElsewhere(t *testing.T) {
	t.Parallel()
	m := newMerchant(t, world.Options{Seed: 5, Days: 12, Plant: true})
	m.AskFar()
	m.SkipReports()
	there := *m.Worker
	m.Queue = otherWorker{m.Ledger, there.NewRemoteWork()}
	s := m.RunNight(t)
	if planted := m.PlantedDifferences(); len(planted) == 0 || !maps.Equal(planted, m.FoundDifferences(t)) {
		t.Errorf("planted %v, found %v", planted, m.FoundDifferences(t))
	}
	var cases int
	for _, n := range s.NewFindings {
		cases += n
	}
	if cases == 0 || s.Pulled == nil || s.Pulled.New == 0 {
		t.Errorf("the night says %d new cases, pulled %+v", cases, s.Pulled)
	}
	run, err := m.Ledger.RunByID(t.Context(), s.Run)
	if err != nil || len(run.Verdicts) != len(m.Accounts) {
		t.Errorf("%v, verdicts %v", err, run.Verdicts)
	}
}

// TestOtherDocuments: a worker says whom it may work for, and refuses the units of others by what differs.
func TestOtherDocuments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		change  func(w *jobs.Worker)
		differs []string
	}{
		{"nothing differs but the machine's own configuration", func(w *jobs.Worker) { w.Config = "other" }, nil},
		{"another contract", func(w *jobs.Worker) { w.Inputs.Contracts = agreements.NoContracts() }, []string{"contract"}},
		{"another program", func(w *jobs.Worker) { w.ProgramVersion = "newer" }, []string{"program"}},
		{"a program built from another commit", func(w *jobs.Worker) { w.Commit = "beef" }, []string{"engine"}},
		{"other formats of reports", func(w *jobs.Worker) { w.Reports.Formats = []report.Format{report.JSONL} }, []string{"reports"}},
		{"another place for the same reports", func(w *jobs.Worker) { w.Reports.Out = "/mnt/elsewhere" }, nil},
		{"a business clock that is not moved alike", func(w *jobs.Worker) { w.Clock = "+24h" }, []string{"business clock"}},
		{"an account that is not configured", func(w *jobs.Worker) { w.Accounts = w.Accounts[:1] }, []string{"calendar 1002"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := newMerchant(t, world.Options{Seed: 5, Days: 2})
			m.SkipReports()
			m.Commit = "c0ffee"
			there := *m.Worker
			c.change(&there)
			if same := there.GroupKey("s") == m.GroupKey("s"); same != (c.differs == nil) {
				t.Errorf("of one group: %t", same)
			}
			if m.GroupKey("s") == m.GroupKey("t") {
				t.Error("another service makes no other group")
			}
			strangers := map[string][]string{}
			work := there.NewRemoteWork()
			m.Queue = otherWorker{m.Ledger, func(ctx context.Context, u ledger.WorkUnit) error {
				led, err := there.ListForeignRuns(ctx)
				if err != nil {
					return err
				}
				maps.Copy(strangers, led)
				return work(ctx, u)
			}}
			s, err := m.Night(t.Context(), m.Today())
			if c.differs == nil {
				if err != nil || len(strangers) > 0 {
					t.Errorf("%v, strangers %v", err, strangers)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), strings.Join(c.differs, " ")) {
				t.Errorf("the night: %+v, %v", s, err)
			}
			if len(strangers) != 1 || !slices.Equal(slices.Collect(maps.Values(strangers))[0], c.differs) {
				t.Errorf("strangers: %v", strangers)
			}
		})
	}
}
