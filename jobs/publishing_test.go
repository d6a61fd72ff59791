package jobs_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/cmd/sandbox/world"
	"concilia/export/manifest"
	"concilia/export/report"
	"concilia/export/table"
	"concilia/export/verify"
	"concilia/export/words"
	"concilia/jobs"
	"concilia/jobs/agreements"
	"concilia/jobs/api"
	"concilia/jobs/jobstest"
	"concilia/jobs/plan"
	"concilia/jobs/publish"
	"concilia/jobs/pull"
	"concilia/store/ledger"
)

// sharedMerchant publishes to a share that may go away.
func sharedMerchant(t *testing.T, seed uint64) *merchant {
	t.Helper()
	m := newMerchant(t, world.Options{Seed: seed, Days: 10, Installments: 40, Plant: true}).askNear()
	m.Target = newShare(m.Out)
	m.IsTargetGone = func(err error) bool { return errors.Is(err, errShareGone) }
	return m
}

// askNear lets a night ask for few due dates of slips: what is published of them is alike.
func (m *merchant) askNear() *merchant {
	m.Plan = plan.Settings{SlipsDueBack: 10, SlipsDueForward: 15}
	return m
}

// few lets a night publish few files.
func (m *merchant) few() *merchant {
	m.Reports.Kinds, m.Reports.Bases = []report.Kind{report.SummaryKind}, m.Reports.Bases[:1]
	return m
}

// goAway puts a file where a folder was, so that no write goes through; the function brings it back.
func goAway(t *testing.T, dir string) (back func()) {
	t.Helper()
	away := dir + ".away"
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Rename(dir, away), os.WriteFile(dir, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := errors.Join(os.Remove(dir), os.Rename(away, dir)); err != nil {
			t.Fatal(err)
		}
	}
}

// vanish is goAway for the share.
func (m *merchant) vanish(t *testing.T) (back func()) { return goAway(t, m.Out) }

// waiting counts the revisions that wait for the target.
func (m *merchant) waiting(t *testing.T) int {
	t.Helper()
	sets, err := m.Ledger.WaitingSets(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return len(sets)
}

// verified fails for every fault of what is published, and of the archive.
func (m *merchant) verified(t *testing.T) {
	t.Helper()
	if v, err := verify.CheckTree(t.Context(), m.Out, nil); err != nil || len(v.Faults) > 0 {
		t.Error(v.Faults, err)
	}
	if v, err := m.Archive.Verify(t.Context()); err != nil || len(v.Faults) > 0 {
		t.Error(v, err)
	}
}

// archived is the content of every file of the ledger's revisions, by the name under which it is published, read from the
// archive alone.
func (m *merchant) archived(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	dir := t.TempDir()
	for _, account := range []string{"1001", "1002", manifest.AllAccounts} {
		for _, set := range m.recorded(t, account) {
			for _, f := range set.All() {
				local := filepath.Join(dir, "file")
				if err := m.Archive.Fetch(t.Context(), f.SHA256, local); err != nil {
					t.Fatal(err)
				}
				out[f.Path] = f.SHA256
			}
		}
	}
	return out
}

// While the share is gone what is archived waits, every night of it; when it is back the next run copies all of it, byte for
// byte, and renders none of it again. Nothing is on the share that the archive does not have.
func TestDeliveryWaitsForTheShare(t *testing.T) {
	t.Parallel()
	m := sharedMerchant(t, 91)
	back := m.vanish(t)
	for night := range 2 {
		s, err := m.Night(t.Context(), m.Today())
		if err != nil {
			t.Fatal(err)
		}
		if s.ExitCode() != jobs.ExitNothing || len(s.Unpublished) != 1 || len(s.Files) > 0 {
			t.Errorf("night %d ends with %d, %d files, %v", night, s.ExitCode(), len(s.Files), s.Unpublished)
		}
		m.World.SetNow(m.World.Now().AddDate(0, 0, 1))
	}
	proven, waited := m.archived(t), m.waiting(t)
	if len(proven) < 20 || waited < 8 {
		t.Fatalf("%d sets wait with %d files", waited, len(proven))
	}
	back()
	m.World.SetNow(m.World.Now().AddDate(0, 0, -1))
	s := m.RunNight(t)
	published := jobstest.HashFiles(t, m.Out)
	for name, sum := range proven {
		if published[name] != sum {
			t.Errorf("%s is published with %q, and was proven with %s", name, published[name], sum)
		}
	}
	if n := m.waiting(t); n > 0 || len(s.Files) < len(proven)-waited {
		t.Errorf("%d sets wait, and %d files are named", n, len(s.Files))
	}
	if again := m.archived(t); len(again) != len(proven) {
		t.Errorf("%d files were archived, and %d are now: something was rendered again", len(proven), len(again))
	}
	m.verified(t)
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

// What waits for the target does not wait for the service, too: a night in which nothing could be pulled copies it.
func TestNothingPulledStillDelivers(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	m := sharedMerchant(t, 94).few()
	back := m.vanish(t)
	if _, err := m.Night(t.Context(), m.Today()); err != nil {
		t.Fatal(err)
	}
	proven := m.archived(t)
	m.Service = deaf{m.Service}
	m.World.SetNow(m.World.Now().AddDate(0, 0, 1))
	for _, row := range []struct {
		name  string
		comes func()
		there bool
	}{
		{"the share is still away: it waits on", func() {}, false},
		{"the share is back", back, true},
	} {
		row.comes()
		s, err := m.Night(t.Context(), m.Today())
		if err != nil {
			t.Fatal(row.name, err)
		}
		if s.ExitCode() != jobs.ExitNothing || s.Windows == 0 || len(s.FailedWindows) != s.Windows || s.Gone == row.there {
			t.Errorf("%s: exit %d, %d of %d windows failed, gone: %t", row.name, s.ExitCode(), len(s.FailedWindows), s.Windows, s.Gone)
		}
		if (m.waiting(t) == 0) != row.there {
			t.Errorf("%s: %d sets wait", row.name, m.waiting(t))
		}
	}
	published := jobstest.HashFiles(t, m.Out)
	for name, sum := range proven {
		if published[name] != sum {
			t.Errorf("%s is published with %q, and was proven with %s", name, published[name], sum)
		}
	}
	m.verified(t)
}

// Between nights serve copies what waits: without the service and without a run, and while a run goes on not at all.
func TestDeliverWaitingBetweenNights(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	m := sharedMerchant(t, 94).few()
	back := m.vanish(t)
	_, err := m.Night(t.Context(), m.Today())
	must(t, err)
	proven, waiting := m.archived(t), m.waiting(t)
	m.Service = deaf{m.Service}
	if n, err := m.DeliverWaiting(t.Context()); n != 0 || err == nil || m.waiting(t) != waiting {
		t.Errorf("the share is away: %d sets were delivered, %v", n, err)
	}
	back()
	lease, err := m.Ledger.LeaseAccounts(t.Context(), "another", []ledger.Account{1001}, time.Minute)
	must(t, err)
	if n, err := m.DeliverWaiting(t.Context()); n != 0 || err != nil {
		t.Errorf("a run goes on: %d sets were delivered, %v", n, err)
	}
	must(t, lease.Release(t.Context()))
	if n, err := m.DeliverWaiting(t.Context()); n != waiting || err != nil || m.waiting(t) != 0 {
		t.Errorf("the share is back: %d sets of %d were delivered, %v", n, waiting, err)
	}
	published := jobstest.HashFiles(t, m.Out)
	for name, sum := range proven {
		if published[name] != sum {
			t.Errorf("%s is published with %q, and was proven with %s", name, published[name], sum)
		}
	}
	if last, err := m.Ledger.LastRun(t.Context(), ledger.ReportRun); err == nil {
		t.Errorf("run %s was recorded", last.ID)
	}
	m.verified(t)
}

// A share that fails once is asked again within the run.
func TestTargetIsAskedAgain(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	m := sharedMerchant(t, 92).few()
	back, asked := m.vanish(t), 0
	m.Retry = func(_ context.Context, n int, _ error) bool {
		if asked++; asked == 2 {
			back()
		}
		return n < 4
	}
	if s := m.RunNight(t); s.Gone || len(s.Files) == 0 || asked != 2 {
		t.Errorf("gone: %t, %d files, asked again %d times", s.Gone, len(s.Files), asked)
	}
}

// TestArchiveAway: while the archive can't be used everything is reconciled, and nothing is published or recorded as a revision;
// one message names the place and the reason. The next run publishes what lacks.
func TestArchiveAway(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		lose func(t *testing.T, m *merchant, dir string) (back func())
		why  string
	}{
		{"it is not mounted", func(t *testing.T, _ *merchant, dir string) func() {
			away := dir + ".away"
			must(t, os.Rename(dir, away))
			return func() { must(t, os.Rename(away, dir)) }
		}, "it is not there, or was emptied"},
		{"it can't be written to", func(t *testing.T, _ *merchant, dir string) func() { return goAway(t, dir) }, "it is no folder"},
		{"it was emptied", func(t *testing.T, _ *merchant, dir string) func() {
			away := dir + ".away"
			must(t, os.Rename(dir, away))
			must(t, os.Mkdir(dir, 0o700))
			return func() {
				must(t, os.Remove(dir))
				must(t, os.Rename(away, dir))
			}
		}, "it is not there, or was emptied"},
		{"it is another ledger's", func(t *testing.T, _ *merchant, dir string) func() {
			away := dir + ".away"
			must(t, os.Rename(dir, away))
			must(t, jobstest.NewArchive(t, dir).Begin(t.Context(), "another"))
			return func() {
				must(t, os.RemoveAll(dir))
				must(t, os.Rename(away, dir))
			}
		}, "the archive of another ledger"},
		{"the ledger is older than it", func(t *testing.T, m *merchant, _ string) func() {
			id, err := m.Archive.Identity(t.Context())
			must(t, err)
			later := id
			later.Publication += 3
			must(t, m.Archive.Note(t.Context(), t.TempDir(), later))
			return func() { must(t, m.Archive.Note(t.Context(), t.TempDir(), id)) }
		}, "the ledger is older than its archive"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			jobstest.Spare(t)
			m := sharedMerchant(t, 93).few()
			m.RunNight(t)
			before, kept := jobstest.HashFiles(t, m.Out), m.archived(t)
			m.World.SetNow(m.World.Now().AddDate(0, 0, 1))
			back := row.lose(t, m, m.Archive.Place())
			s, err := m.Night(t.Context(), m.Today())
			if err != nil {
				t.Fatal(err)
			}
			if s.ExitCode() != jobs.ExitNothing || s.Record == nil || len(s.Accounts) != 2 || len(s.Findings) == 0 {
				t.Errorf("the night ends with %d, %d accounts, cases %v", s.ExitCode(), len(s.Accounts), s.Findings)
			}
			if len(s.Unpublished) != 1 || !strings.Contains(s.Unpublished[0].Error(), m.Archive.Place()) || !strings.Contains(s.Unpublished[0].Error(), row.why) {
				t.Errorf("it says %v", s.Unpublished)
			}
			if d := cmp.Diff(before, jobstest.HashFiles(t, m.Out)); d != "" {
				t.Errorf("published without the archive:\n%s", d)
			}
			back()
			if d := cmp.Diff(kept, m.archived(t)); d != "" {
				t.Errorf("recorded without the archive:\n%s", d)
			}
			if s := m.RunNight(t); s.ExitCode() == jobs.ExitNothing || len(jobstest.HashFiles(t, m.Out)) <= len(before) {
				t.Errorf("with the archive the night ends with %d and %d files", s.ExitCode(), len(jobstest.HashFiles(t, m.Out)))
			}
			m.verified(t)
		})
	}
}

// TestArchiveChanged: another, empty place that is named is begun, with a warning that says where the older files are; the files
// of a place that was copied there are found.
func TestArchiveChanged(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	m := sharedMerchant(t, 93).few()
	m.RunNight(t)
	first := m.Archive.Place()
	m.World.SetNow(m.World.Now().AddDate(0, 0, 1))
	m.Archive = jobstest.NewArchive(t, first+"-new")
	said := &says{}
	m.Progress = said
	m.RunNight(t)
	if text := said.text(); !strings.Contains(text, first) || !strings.Contains(text, first+"-new") {
		t.Errorf("it says %q", text)
	}
	must(t, os.CopyFS(filepath.Join(t.TempDir(), "probe"), os.DirFS(first)))
	err := filepath.WalkDir(first, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "archive.json" {
			return err
		}
		rel, err := filepath.Rel(first, p)
		if err != nil {
			return err
		}
		to := filepath.Join(first+"-new", rel)
		body, err := os.ReadFile(p)
		return errors.Join(err, os.MkdirAll(filepath.Dir(to), 0o700), os.WriteFile(to, body, 0o600))
	})
	must(t, err)
	m.archived(t)
	m.verified(t)
}

// says remembers what steps say at their end.
type says struct {
	jobs.Silent
	lines []string
}

func (s *says) Done(results ...words.Message) {
	s.lines = append(s.lines, words.JoinMessages("en", results))
}

func (s *says) text() string { return strings.Join(s.lines, "\n") }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestOtherBytesOnTheTarget: what lies under the name of a file and is not it is neither overwritten nor adopted: the set is
// archived and waits, the run names the file, and delivers it once the other is moved away.
func TestOtherBytesOnTheTarget(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	other := sharedMerchant(t, 96).few()
	other.RunNight(t)
	var name string
	for n := range jobstest.HashFiles(t, other.Out) {
		if strings.HasPrefix(filepath.Base(n), "control_1001_operation") {
			name = n
		}
	}
	m := sharedMerchant(t, 96).few()
	at := filepath.Join(m.Out, filepath.FromSlash(name))
	must(t, errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte("a person's"), 0o600)))
	for night := range 2 {
		s, err := m.Night(t.Context(), m.Today())
		must(t, err)
		if s.ExitCode() != jobs.ExitIncomplete || len(s.Unpublished) != 1 || !strings.Contains(s.Unpublished[0].Error(), filepath.Base(name)) {
			t.Errorf("night %d ends with %d and says %v", night, s.ExitCode(), s.Unpublished)
		}
		if body, err := os.ReadFile(at); err != nil || string(body) != "a person's" {
			t.Errorf("night %d: it holds %q, %v", night, body, err)
		}
		if n := m.waiting(t); n != 1 {
			t.Errorf("night %d: %d sets wait", night, n)
		}
	}
	must(t, os.Remove(at))
	if s := m.RunNight(t); s.ExitCode() == jobs.ExitIncomplete || m.waiting(t) != 0 {
		t.Errorf("it ends with %d, and %d sets wait", s.ExitCode(), m.waiting(t))
	}
	m.verified(t)
}

// TestUnfinishedDeliveryGoesOn: a run was killed in the middle of copying a set. What lies there is left, what lacks is copied;
// the ledger knows the set all the while.
func TestUnfinishedDeliveryGoesOn(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	m := sharedMerchant(t, 97).few()
	killed := errors.New("killed")
	for puts := range 5 {
		left := puts
		m.Target = hookedTarget{newShare(m.Out), func(string) error {
			if left--; left < 0 {
				return killed
			}
			return nil
		}}
		if _, err := m.Night(t.Context(), m.Today()); err != nil {
			t.Fatal(err)
		}
	}
	if m.waiting(t) == 0 {
		t.Fatal("nothing waits: nothing is proven")
	}
	proven := m.archived(t)
	m.Target = newShare(m.Out)
	m.RunNight(t)
	if d := cmp.Diff(proven, m.archived(t)); d != "" {
		t.Errorf("rendered again:\n%s", d)
	}
	published := jobstest.HashFiles(t, m.Out)
	for name, sum := range proven {
		if published[name] != sum {
			t.Errorf("%s is published with %q, and was proven with %s", name, published[name], sum)
		}
	}
	m.verified(t)
}

// hookedTarget is a share whose files a test hears of before they are put.
type hookedTarget struct {
	shareTarget
	put func(name string) error
}

func (h hookedTarget) Put(ctx context.Context, name, local string) error {
	if err := h.put(name); err != nil {
		return err
	}
	return h.shareTarget.Put(ctx, name, local)
}

// TestEmptiedShareIsTold: what is current and no longer on the share, because it was taken away or the share is not mounted,
// is counted by the next night, which writes nothing twice; a report that asks for it copies it again, byte for byte. So it is of
// a share that was not configured before.
func TestEmptiedShareIsTold(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	m := newMerchant(t, world.Options{Seed: 71, Days: 10, Installments: 100})
	m.Target = newShare(m.Out)
	m.RunNight(t)
	before := jobstest.HashFiles(t, m.Out)
	if s := m.RunNight(t); s.Away != 0 {
		t.Errorf("%d sets lack on a share that holds them all", s.Away)
	}
	for _, row := range []struct {
		name string
		move func()
	}{
		{"emptied", func() { must(t, os.RemoveAll(m.Out)) }},
		{"changed", func() {
			m.Out += "-elsewhere"
			m.Reports.Out, m.Target = m.Out, newShare(m.Out)
		}},
	} {
		row.move()
		s := m.RunNight(t)
		if s.Away == 0 || s.Away != len(s.Record.Sets) {
			t.Errorf("%s: %d of %d sets are told to lack", row.name, s.Away, len(s.Record.Sets))
		}
		if after := jobstest.HashFiles(t, m.Out); len(after) > 0 {
			t.Errorf("%s: people who take files as they come get %d twice", row.name, len(after))
		}
		m.askedFor(t, row.name, before)
	}
}

// askedFor reports the month twice: it is copied the first time.
func (m *merchant) askedFor(t *testing.T, name string, before map[string]string) {
	t.Helper()
	p := ledger.Period{From: m.Today() - 10, To: (m.Today() - 1).MonthEnd()} // the month, from the first day answered for
	for _, first := range []bool{true, false} {
		s, err := m.Report(t.Context(), jobs.ReportRequest{Period: p, Basis: "operation"})
		must(t, err)
		if len(s.Unpublished) > 0 || len(s.Files) == 0 || s.Away > 0 {
			t.Fatalf("%s: %d files, %d sets lack, %v", name, len(s.Files), s.Away, s.Unpublished)
		}
		for _, f := range s.Files {
			if f.New != first {
				t.Errorf("%s: %s: is it written? %t", name, f.Path, f.New)
			}
		}
	}
	want := map[string]string{}
	for name, hash := range before {
		if strings.Contains(name, "_operation_"+strings.ReplaceAll(p.From.String(), "-", "")) {
			want[name] = hash
		}
	}
	if d := cmp.Diff(want, jobstest.HashFiles(t, m.Out)); d != "" || len(want) == 0 {
		t.Errorf("%s, asked for again:\n%s", name, d)
	}
}

// TestDeliversInOrder: what waits is delivered in the order in which it was published, whatever the names are.
func TestDeliversInOrder(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	m := sharedMerchant(t, 95)
	m.Reports.Kinds = []report.Kind{report.SummaryKind}
	back := m.vanish(t)
	if _, err := m.Night(t.Context(), m.Today()); err != nil {
		t.Fatal(err)
	}
	sets, err := m.Ledger.WaitingSets(t.Context())
	must(t, err)
	var want, got []string
	for _, set := range sets {
		want = append(want, filepath.Base(publish.DoneName(set)))
	}
	if len(want) < 3 || slices.IsSorted(want) {
		t.Fatalf("%d sets wait in the order of their names: nothing is proven", len(want))
	}
	back()
	m.Target = hookedTarget{newShare(m.Out), func(name string) error {
		if strings.HasSuffix(name, ".done") {
			got = append(got, filepath.Base(name))
		}
		return nil
	}}
	m.RunNight(t)
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestDigestsAreRecomputed: the ledger says what was published. Of each revision of two nights and of reports its content digest
// is computed once more, in another language, with other terms, after later nights and of a pruned ledger; of other rows it is another one.
func TestDigestsAreRecomputed(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	m := rendered(t)
	m.Reports.Formats = report.Formats()
	m.RunNight(t)
	m.World.SetNow(m.World.Now().AddDate(0, 0, 1))
	m.RunNight(t)
	must(t, m.requested(t, jobs.ReportRequest{Basis: "credit", Kinds: []string{"statement"}, Formats: []string{"edi"}, Period: m.days()}))
	must(t, m.requested(t, jobs.ReportRequest{Basis: "operation", Brands: []string{"visa"}, Formats: []string{"csv"}, Period: m.days()}))
	must(t, m.requested(t, jobs.ReportRequest{Basis: "operation", Kinds: []string{"claims", "fees"}, Formats: []string{"csv"}, Period: m.days()}))
	m.World.SetNow(m.World.Now().AddDate(0, 0, 1))
	m.RunNight(t)
	m.Reports.Language = table.English
	m.Inputs.Contracts = new(agreements.Contracts)
	pruned, err := m.Ledger.Prune(t.Context(), m.Today()+1, false) // what goes is in no digest
	must(t, err)
	if pruned.Pulls < 20 || pruned.Units == 0 || pruned.Tallies == 0 {
		t.Errorf("pruned %+v: too little to show anything", pruned)
	}
	compared := 0
	for _, account := range []string{"1001", "1002", manifest.AllAccounts} {
		for _, set := range m.recorded(t, account) {
			digest, err := m.RecomputeDigest(t.Context(), set, t.TempDir())
			if err != nil || digest != set.Digest {
				t.Errorf("%s %s %s %q r%d: the digest is %s, was %s: %v", set.Account, set.Basis, set.Period, set.Filter, set.Revision, digest, set.Digest, err)
			}
			compared++
			other := *set
			other.Period.From++
			if digest, err := m.RecomputeDigest(t.Context(), &other, t.TempDir()); set.Basis == "operation" && set.Account == "1001" && (err != nil || digest == set.Digest) {
				t.Errorf("%s: of other days the digest is the same, %v", set.Period, err)
			}
		}
	}
	if compared < 20 {
		t.Errorf("%d revisions were compared: too few to show anything", compared)
	}
}

// days are those that the merchant's accounts are answered for.
func (m *merchant) days() ledger.Period {
	return ledger.Period{From: m.Accounts[0].Since, To: m.Today() - 1}
}

// requested publishes a report.
func (m *merchant) requested(t *testing.T, req jobs.ReportRequest) error {
	t.Helper()
	s, err := m.Report(t.Context(), req)
	if err == nil && len(s.Unpublished) > 0 {
		err = errors.Join(s.Unpublished...)
	}
	return err
}
