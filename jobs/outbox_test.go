package jobs_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/cmd/sandbox/world"
	"concilia/export"
	"concilia/export/report"
	"concilia/jobs"
	"concilia/jobs/api"
	"concilia/jobs/pull"
	"concilia/store/ledger"
)

// boxedMerchant publishes to a share, with an outbox beside the ledger.
func boxedMerchant(t *testing.T, seed uint64) *merchant {
	t.Helper()
	m := newMerchant(t, world.Options{Seed: seed, Days: 10, Installments: 40, Plant: true})
	box := filepath.Join(filepath.Dir(m.out), "outbox")
	m.Target = newShare(m.out)
	m.Outbox = &jobs.Outbox{Target: newShare(box), Dir: box}
	m.TargetGone = func(err error) bool { return errors.Is(err, errShareGone) }
	return m
}

// vanish puts a file where the share was, as no write can go through; the function brings the share back.
func (m *merchant) vanish(t *testing.T) (back func()) {
	t.Helper()
	away := m.out + ".away"
	if err := os.MkdirAll(m.out, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Rename(m.out, away), os.WriteFile(m.out, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := errors.Join(os.Remove(m.out), os.Rename(away, m.out)); err != nil {
			t.Fatal(err)
		}
	}
}

// While the share is gone what is proven waits in the outbox, every night of it; when it is back the next run brings all
// of it, in order, byte for byte, and renders none of it twice.
func TestOutboxWaitsForTheShare(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		lost bool // the outbox is lost, too
	}{
		{"the outbox is put as it is", false},
		{"what was lost with the outbox is rendered again from the ledger", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			m := boxedMerchant(t, 91)
			if row.lost {
				spare(t)
				m.Reports.Bases = m.Reports.Bases[:1]
			}
			back := m.vanish(t)
			for night := range 2 {
				s, err := m.Night(t.Context(), m.Today())
				if err != nil {
					t.Fatal(err)
				}
				if s.ExitCode() != jobs.ExitNothing || len(s.Unpublished) != 1 {
					t.Errorf("night %d ends with %d, %v", night, s.ExitCode(), s.Unpublished)
				}
				m.world.SetNow(m.world.Now().AddDate(0, 0, 1))
			}
			proven := hashes(t, m.Outbox.Dir)
			if len(proven) < 20 {
				t.Fatalf("%d files wait", len(proven))
			}
			if row.lost {
				if err := os.RemoveAll(m.Outbox.Dir); err != nil {
					t.Fatal(err)
				}
			}
			back()
			m.world.SetNow(m.world.Now().AddDate(0, 0, -1))
			m.night(t)
			published := hashes(t, m.out)
			for name, sum := range proven {
				if published[name] != sum {
					t.Errorf("%s is published with %q, and was proven with %s", name, published[name], sum)
				}
			}
			if d := cmp.Diff(map[string]string{}, hashes(t, m.Outbox.Dir)); d != "" {
				t.Errorf("the outbox holds\n%s", d)
			}
			if waiting, err := m.Ledger.WaitingSets(t.Context()); err != nil || len(waiting) > 0 {
				t.Errorf("%d sets wait, %v", len(waiting), err)
			}
			if v, err := export.Verify(t.Context(), m.out); err != nil || len(v.Faults) > 0 {
				t.Error(v.Faults, err)
			}
		})
	}
}

// A night that was killed left a file of a set on the share, whole and with other bytes than what was proven later, while
// the share was gone. It was never finished: it does not stand in the way of the set that waits, not then and not for ever.
func TestUnfinishedSetDoesNotStopWhatWaits(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		lost bool
	}{
		{"what waits is put as it is", false},
		{"what was lost with the outbox is rendered again", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			unfinishedThere(t, row.lost)
		})
	}
}

func unfinishedThere(t *testing.T, lost bool) {
	t.Helper()
	m := boxedMerchant(t, 96)
	m.Reports.Kinds, m.Reports.Bases = []report.Kind{report.SummaryKind}, m.Reports.Bases[:1]
	back := m.vanish(t)
	if _, err := m.Night(t.Context(), m.Today()); err != nil {
		t.Fatal(err)
	}
	proven := hashes(t, m.Outbox.Dir)
	if lost {
		if err := os.RemoveAll(m.Outbox.Dir); err != nil {
			t.Fatal(err)
		}
	}
	back()
	left := 0
	for name := range proven {
		if strings.HasPrefix(filepath.Base(name), "control_") {
			file := filepath.Join(m.out, filepath.FromSlash(name))
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte("of the killed night"), 0o600)); err != nil {
				t.Fatal(err)
			}
			left++
		}
	}
	if left == 0 {
		t.Fatal("no control waits")
	}
	if s := m.night(t); len(s.Unpublished) > 0 {
		t.Errorf("not published: %v", s.Unpublished)
	}
	published := hashes(t, m.out)
	for name, sum := range proven {
		if published[name] != sum {
			t.Errorf("%s is published with %q, and was proven with %s", name, published[name], sum)
		}
	}
	if waiting, err := m.Ledger.WaitingSets(t.Context()); err != nil || len(waiting) > 0 {
		t.Errorf("%d sets wait, %v", len(waiting), err)
	}
}

// deaf is a service that does not answer.
type deaf struct{ pull.Service }

var errDeaf = errors.New("nobody answers")

func (deaf) SearchInstallments(
	context.Context, ledger.Account, ledger.Date, ledger.Date, func(*ledger.Installment) error,
) (api.Answer, error) {
	return api.Answer{}, errDeaf
}

func (deaf) ListSlips(
	context.Context, ledger.Source, ledger.Account, ledger.Date, ledger.Date, ledger.Opt[int64],
) (api.SlipAnswer, error) {
	return api.SlipAnswer{}, errDeaf
}

// What waits for the target does not wait for the service, too: a night in which nothing could be pulled brings it.
func TestNothingPulledStillDelivers(t *testing.T) {
	t.Parallel()
	spare(t)
	m := boxedMerchant(t, 94)
	m.Reports.Kinds = []report.Kind{report.SummaryKind}
	back := m.vanish(t)
	if _, err := m.Night(t.Context(), m.Today()); err != nil {
		t.Fatal(err)
	}
	proven := hashes(t, m.Outbox.Dir)
	m.Service = deaf{m.Service}
	m.world.SetNow(m.world.Now().AddDate(0, 0, 1))
	for _, row := range []struct {
		name  string
		comes func()
		want  map[string]string
	}{
		{"the share is still away: it waits on", func() {}, map[string]string{}},
		{"the share is back", back, proven},
	} {
		row.comes()
		s, err := m.Night(t.Context(), m.Today())
		if err != nil {
			t.Fatal(row.name, err)
		}
		if s.ExitCode() != jobs.ExitNothing || s.Windows == 0 || len(s.FailedWindows) != s.Windows || s.Gone != (len(row.want) == 0) {
			t.Errorf("%s: exit %d, %d of %d windows failed, gone: %t", row.name, s.ExitCode(), len(s.FailedWindows), s.Windows, s.Gone)
		}
		if len(row.want) > 0 {
			if d := cmp.Diff(row.want, hashes(t, m.out)); d != "" {
				t.Errorf("%s:\n%s", row.name, d)
			}
		}
	}
	if waiting, err := m.Ledger.WaitingSets(t.Context()); err != nil || len(waiting) > 0 || len(hashes(t, m.Outbox.Dir)) > 0 {
		t.Errorf("%d sets wait, %v", len(waiting), err)
	}
}

// A share that fails once is asked again within the run.
func TestTargetIsAskedAgain(t *testing.T) {
	t.Parallel()
	spare(t)
	m := boxedMerchant(t, 92)
	back, asked := m.vanish(t), 0
	m.Retry = func(_ context.Context, n int, _ error) bool {
		if asked++; asked == 2 {
			back()
		}
		return n < 4
	}
	if s := m.night(t); s.Gone || len(s.Files) == 0 || asked != 2 {
		t.Errorf("gone: %t, %d files, asked again %d times", s.Gone, len(s.Files), asked)
	}
}
