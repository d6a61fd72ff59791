package jobs_test

import (
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/cmd/sandbox/world"
	"concilia/export"
	"concilia/export/report"
	"concilia/export/table"
)

// A night was killed after the last file of a set and before the ledger knew it, and the share was gone the night after,
// so that the set waits under the number that stands. What says the same is the set; what says something else is named.
func TestDoneSetThatTheLedgerDoesNotKnowMeetsWhatWaits(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name     string
		language table.Language // of the killed night
		lost     bool           // the outbox is lost, too
		adopted  bool
	}{
		{"the same content is adopted", table.Portuguese, false, true},
		{"the same content is adopted where the outbox was lost", table.Portuguese, true, true},
		{"other content is said every night", table.English, false, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			spare(t)
			m := boxedMerchant(t, 98)
			m.Reports.Kinds, m.Reports.Bases = []report.Kind{report.SummaryKind}, m.Reports.Bases[:1]
			killed := killedNight(t, m, row.language)
			back := m.vanish(t)
			if _, err := m.Night(t.Context(), m.Today()); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(killed, hashes(t, m.Outbox.Dir)); d == "" {
				t.Fatal("what waits is the killed night's to the byte: nothing is proven")
			}
			if row.lost {
				if err := os.RemoveAll(m.Outbox.Dir); err != nil {
					t.Fatal(err)
				}
			}
			back()
			s, err := m.Night(t.Context(), m.Today())
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(killed, hashes(t, m.out)); d != "" {
				t.Errorf("what stood was changed:\n%s", d)
			}
			waiting, err := m.Ledger.WaitingSets(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if !row.adopted {
				if len(waiting) == 0 || len(waiting) != len(s.Unpublished) {
					t.Fatalf("%d sets wait, %v", len(waiting), s.Unpublished)
				}
				for i, err := range s.Unpublished {
					for _, part := range []string{waiting[i].Account, "-9000", ".manifest.json", m.Today().String(), "move"} {
						if !strings.Contains(err.Error(), part) {
							t.Errorf("%q does not say %q", err, part)
						}
					}
				}
				return
			}
			if len(waiting) > 0 || len(s.Unpublished) > 0 || len(hashes(t, m.Outbox.Dir)) > 0 {
				t.Errorf("%d sets wait, %v", len(waiting), s.Unpublished)
			}
			remembered := 0
			for _, account := range []string{"1001", "1002", export.AllAccounts} {
				sets, err := m.Ledger.PublishedSets(t.Context(), account)
				if err != nil {
					t.Fatal(err)
				}
				for _, set := range sets {
					for _, f := range set.Files {
						remembered++
						if killed[f.Path] != f.SHA256 {
							t.Errorf("the ledger remembers %s with %s, it stands with %q", f.Path, f.SHA256, killed[f.Path])
						}
					}
				}
			}
			if remembered == 0 {
				t.Error("the ledger remembers no file")
			}
			if v, err := export.Verify(t.Context(), m.out); err != nil || len(v.Faults) > 0 {
				t.Error(v.Faults, err)
			}
		})
	}
}

// killedNight puts to the share what a night of the same morning published that its ledger has forgotten, and gives the
// hashes of it.
func killedNight(t *testing.T, m *merchant, language table.Language) map[string]string {
	t.Helper()
	other := newMerchant(t, world.Options{Seed: 98, Days: 10, Installments: 40, Plant: true})
	other.Reports.Kinds, other.Reports.Bases, other.Reports.Language = m.Reports.Kinds, m.Reports.Bases, language
	var tail atomic.Int64
	other.Tail = func() string { return fmt.Sprintf("9%05d", tail.Add(1)) } // no id of the night that waits
	other.night(t)
	if err := os.CopyFS(m.out, os.DirFS(other.out)); err != nil {
		t.Fatal(err)
	}
	return hashes(t, m.out)
}
