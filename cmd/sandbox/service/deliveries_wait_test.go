package service

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"concilia/cmd/sandbox/world"
)

func TestWaitsGrowUpToTheCap(t *testing.T) {
	t.Parallel()
	o := DeliveryOptions{FirstDelay: 10 * time.Second, Factor: 3, Cap: 10 * time.Minute}
	for _, c := range []struct {
		why      string
		attempts int
		dice     float64
		want     time.Duration
	}{
		{"the first wait, in the middle", 1, 0.5, 10 * time.Second},
		{"a fifth less at most", 1, 0, 8 * time.Second},
		{"the second is a factor longer", 2, 0.5, 30 * time.Second},
		{"and so on", 4, 0.5, 270 * time.Second},
		{"the cap holds", 5, 0.5, 10 * time.Minute},
		{"the cap holds after any number", 100_000, 0.5, 10 * time.Minute},
		{"a fifth more at most", 2, 1, 36 * time.Second},
	} {
		if got := o.retryDelay(c.attempts, c.dice).Round(time.Millisecond); got != c.want {
			t.Errorf("%s: %s, want %s", c.why, got, c.want)
		}
	}
	if o := (DeliveryOptions{}).withDefaults(); o.FirstDelay <= 0 || o.Factor <= 1 || o.Cap <= 0 || o.Window <= 0 || o.Timeout != 30*time.Second || o.Workers < 1 {
		t.Errorf("defaults %+v", o)
	}
}

// TestTheJournalIsRewritten writes far more than counts and expects the file to stay small, and to say the
// same.
func TestTheJournalIsRewritten(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "deliveries.jsonl")
	j, err := OpenJournal(path)
	if err != nil {
		t.Fatal(err)
	}
	now := func() time.Time { return time.Date(2026, 11, 18, 9, 0, 0, 0, time.UTC) }
	d := newDeliveries(DeliveryOptions{Journal: j}, world.NewDate(2026, 11, 18), now, "")
	d.stopping = true // nothing is to be sent
	d.queueAll(now(), map[int64][]notification{7: {{MovementID: 1}, {MovementID: 2}}})
	for i := range journalSlack + 100 {
		d.byNumber[1].Attempts = i
		d.writeJournal(false, journalLine{Delivery: d.byNumber[1]})
	}
	if d.journalError != "" {
		t.Fatal(d.journalError)
	}
	if err := d.stopDispatcher(t.Context()); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(b, []byte("\n")); n > 200 {
		t.Errorf("%d lines, want those since the rewriting", n)
	}
	if j, err = OpenJournal(path); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = j.close() }()
	if len(j.deliveries) != 2 || j.deliveries[0].Attempts != journalSlack+99 || j.clock == nil || !j.clock.Now.Equal(now()) {
		t.Errorf("the journal says %+v, clock %+v", j.deliveries, j.clock)
	}
	if left, err := filepath.Glob(path + "*"); err != nil || len(left) != 2 { // and its lock
		t.Errorf("files %v, %v", left, err)
	}
}
