package jobs_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"concilia/export/report"
	"concilia/jobs/jobstest"
)

// TestNextSetIsRenderedMeanwhile: a share that takes its time does not keep the next set of an account from being rendered, and the sets
// appear there one after the other all the same.
func TestNextSetIsRenderedMeanwhile(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	m := sharedMerchant(t, 97)
	m.Reports.Kinds = []report.Kind{report.SummaryKind}
	var put []string
	m.Target = hookedTarget{newShare(m.Out), func(name string) error {
		if len(put) == 0 {
			m.awaitRenderedSets(t, 2)
		}
		put = append(put, filepath.Base(name))
		return nil
	}}
	m.RunNight(t)
	begun := "" // the set whose files are not all there
	for _, name := range put {
		kind, set, _ := strings.Cut(strings.TrimSuffix(name, filepath.Ext(name)), "_")
		set = strings.TrimSuffix(set, ".manifest")
		if begun != "" && begun != set {
			t.Fatalf("a file of %s was put before %s was done: %v", set, begun, put)
		}
		if begun = set; kind == "set" && strings.HasSuffix(name, ".done") {
			begun = ""
		}
	}
	m.verified(t)
}

// awaitRenderedSets waits until the files of so many sets lie in the staging folder, or fails: the second of them stays there until the first
// is delivered.
func (m *merchant) awaitRenderedSets(t *testing.T, sets int) {
	t.Helper()
	for range 6_000 {
		found, err := filepath.Glob(filepath.Join(m.Archive.Place(), ".staging-*", "outgoing-*"))
		if err != nil || len(found) >= sets {
			must(t, err)
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("no set was rendered while another one was delivered")
}
