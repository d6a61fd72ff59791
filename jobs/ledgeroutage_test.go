//go:build unix

package jobs_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/cmd/sandbox/world"
	"concilia/export/words"
	"concilia/jobs"
	"concilia/jobs/calendar"
	"concilia/jobs/jobstest"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/storetest"
)

// restarts takes the database server down under a worker, once at each of its places: while an account is evaluated, while
// a set is rendered, and when a file of one is put in its place.
type restarts struct {
	jobs.Silent
	jobstest.Target
	t         *testing.T
	dsn       string
	calendars func(ledger.Account) *calendar.Calendar

	mu   sync.Mutex
	step string
	had  map[string]bool
	said []string // what the step that waits for the ledger said
}

func (r *restarts) Step(name string, _ int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.step = name
}

func (r *restarts) Done(results ...words.Message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.step == "ledger" {
		r.said = append(r.said, words.JoinMessages("en", results))
	}
}

func (r *restarts) calendar(a ledger.Account) *calendar.Calendar {
	r.at("reconcile", "judging")
	r.at("publish", "rendering")
	return r.calendars(a)
}

func (r *restarts) Put(ctx context.Context, name, local string) error {
	if strings.Contains(name, "_r0.manifest") {
		r.at("publish", "putting")
	}
	return r.Target.Put(ctx, name, local)
}

func (r *restarts) at(step, place string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.step == step && !r.had[place] {
		r.had[place] = true
		storetest.RestartPostgres(r.t, r.dsn)
	}
}

// TestLedgerRestartsUnderTheLeader: the server of the ledger goes down as by a crash while the one process of a night
// evaluates and publishes, and comes back. The night goes on, and cases and files are those of an undisturbed one.
func TestLedgerRestartsUnderTheLeader(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	options := world.Options{Seed: 5, Days: 6, Installments: 40, Plant: true}
	calm := newMerchant(t, options)
	calm.RunNight(t)

	m := newMerchant(t, options)
	server := storetest.Postgres(t)
	l, err := store.Open(t.Context(), storetest.Schema(t, server))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	if _, _, err := l.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	r := &restarts{Target: m.Target.(jobstest.Target), t: t, dsn: server, calendars: m.Inputs.Calendar, had: map[string]bool{}}
	m.Ledger, m.Progress, m.Target, m.Inputs.Calendar = l, r, r, r.calendar
	s := m.RunNight(t)
	if len(r.had) != 3 {
		t.Errorf("the server was restarted while %v alone", r.had)
	}
	t.Logf("the ledger's step said %q", r.said)
	if d := cmp.Diff(calm.FoundDifferences(t), m.FoundDifferences(t)); d != "" {
		t.Errorf("cases undisturbed (-), with restarts (+):\n%s", d)
	}
	if d := cmp.Diff(standingFiles(t, calm.Out), standingFiles(t, m.Out)); d != "" {
		t.Errorf("files undisturbed (-), with restarts (+):\n%s", d)
	}
	if run := m.recordOf(t, s.Run); run.Resumed || run.ExitCode != s.ExitCode() || len(run.Sets) == 0 {
		t.Errorf("the record: taken up %v, exit %d, %d sets", run.Resumed, run.ExitCode, len(run.Sets))
	}
}

// standingFiles are the files below a folder with their contents, but for those that name the run.
func standingFiles(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		text, err := os.ReadFile(path)
		if out[rel] = string(text); strings.HasPrefix(d.Name(), "control_") || strings.HasPrefix(d.Name(), "set_") {
			out[rel] = "there"
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
