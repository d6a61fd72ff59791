package jobs_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"concilia/export/words"
	"concilia/jobs/jobstest"
	"concilia/jobs/publish"
	"concilia/store/ledger"
	"concilia/store/published"
	"concilia/store/reports"
)

// steps are what a worker said of its steps.
type steps struct {
	said []string
}

func (s *steps) Step(string, int)  {}
func (s *steps) Advance(int)       {}
func (s *steps) all() (all string) { return strings.Join(s.said, "\n") }

func (s *steps) Done(results ...words.Message) {
	s.said = append(s.said, words.JoinMessages("en", results))
}

// TestLedgerBehindItsArchive: a ledger that is put back from a backup takes from the archive what it published since, before it
// publishes anything: no revision, file number or title number is given to something else, nothing is delivered a second
// time, and what was retired stays so.
func TestLedgerBehindItsArchive(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	m := rendered(t)
	m.Retention = map[string]int{"csv": 1}
	backup := filepath.Join(t.TempDir(), "backup.db")
	first := m.RunNight(t)
	if _, err := m.Ledger.Backup(t.Context(), backup); err != nil {
		t.Fatal(err)
	}
	last := first
	for range 3 {
		m.World.SetNow(m.World.Now().AddDate(0, 0, 1))
		last = m.RunNight(t)
	}
	before, lost := jobstest.HashFiles(t, m.Out), m.numbered(t, last.Run)
	m.Ledger = jobstest.OpenLedger(t, "sqlite:"+backup)
	restored := m.numbered(t, first.Run)
	if len(restored) >= len(lost) {
		t.Fatalf("the backup has %d numbers of %d: nothing was lost", len(restored), len(lost))
	}
	m.World.SetNow(m.World.Now().AddDate(0, 0, 1))
	said := &steps{}
	m.Progress = said
	last = m.RunNight(t)
	if !strings.Contains(said.all(), "the ledger was older than its archive: ") || strings.Contains(said.all(), "the target lacks") {
		t.Errorf("the night says:\n%s", said.all())
	}
	after := m.numbered(t, last.Run)
	for what, number := range lost {
		if after[what] != number {
			t.Errorf("%s was %s, and is %q", what, number, after[what])
		}
	}
	given := map[string]string{}
	for what, number := range after {
		if kind, of, _ := strings.Cut(what, " "); kind == "file" {
			account, _, _ := strings.Cut(of, "/")
			number = account + " " + number // each account counts
			if other := given[number]; other != "" {
				t.Errorf("%s and %s have the number %s", other, what, number)
			}
			given[number] = what
		}
	}
	if len(given) < 10 {
		t.Errorf("%d files have a number: nothing was shown", len(given))
	}
	published := jobstest.HashFiles(t, m.Out)
	for name, sum := range before {
		if now, there := published[name]; there && now != sum {
			t.Errorf("%s was published with other bytes", name)
		}
	}
	m.verified(t)
	check, err := (&publish.Publisher{Ledger: m.Ledger, Archive: m.Archive}).Check(t.Context())
	if err != nil || len(check.Faults) > 0 {
		t.Errorf("the archive lacks what it has to have: %v, %v", check, err)
	}
	if n := m.waiting(t); n > 0 {
		t.Errorf("%d sets wait to be delivered a second time", n)
	}
	if again := m.RunNight(t); len(m.numbered(t, again.Run)) != len(after) {
		t.Error("the same night again has published something")
	}
}

// numbered are the revisions of the ledger by their manifest, and the numbers of its files and titles.
func (m *merchant) numbered(t *testing.T, run string) map[string]string {
	t.Helper()
	out := map[string]string{}
	manifests, err := m.Ledger.KnownManifests(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, sum := range manifests {
		out["set "+name] = sum
	}
	err = m.Ledger.ArchivedFiles(t.Context(), func(f published.File) error {
		if f.NSA != 0 {
			out["file "+f.Path] = fmt.Sprint(f.NSA)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range m.Accounts {
		var subjects []string
		for s := range m.titles(t, a.Number, run) {
			subjects = append(subjects, s)
		}
		numbers, err := m.Ledger.KnownTitleNumbers(t.Context(), a.Number, subjects)
		if err != nil {
			t.Fatal(err)
		}
		for subject, number := range numbers {
			out["title "+subject] = number
		}
	}
	return out
}

// titles are the slips of an account as of a run: theirs are the numbers that can't be derived.
func (m *merchant) titles(t *testing.T, a ledger.Account, run string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	q := reports.Query{Account: a, Basis: "operation", Period: ledger.Period{From: m.Today() - 400, To: m.Today() + 400}, AsOfRun: run}
	err := m.Ledger.SlipRows(t.Context(), q, func(s *ledger.Slip, _ *ledger.SlipExpectation) error {
		out[s.Subject()] = true
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
