package jobs_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/cmd/sandbox/world"
	"concilia/jobs"
	"concilia/store/ledger"
)

// TestEmptiedShareIsTold: what stands and is no longer on the share, because it was taken away or the share is not mounted,
// is counted by the next night, which writes nothing twice; a report that asks for it writes it again, byte for byte.
func TestEmptiedShareIsTold(t *testing.T) {
	t.Parallel()
	spare(t)
	m := newMerchant(t, world.Options{Seed: 71, Days: 10, Installments: 100})
	m.Target = newShare(m.out)
	m.night(t)
	before := hashes(t, m.out)
	if s := m.night(t); s.Away != 0 {
		t.Errorf("%d sets are away from a share that holds them all", s.Away)
	}
	if err := os.RemoveAll(m.out); err != nil {
		t.Fatal(err)
	}
	s := m.night(t)
	if s.Away == 0 || s.Away != len(s.Record.Sets) {
		t.Errorf("%d of %d sets are told to be away", s.Away, len(s.Record.Sets))
	}
	if after := hashes(t, m.out); len(after) > 0 {
		t.Errorf("whoever takes files as they come gets %d twice", len(after))
	}

	p := ledger.Period{From: m.Today() - 10, To: (m.Today() - 1).MonthEnd()} // the month, from the first day answered for
	for _, first := range []bool{true, false} {
		s, err := m.Report(t.Context(), jobs.ReportRequest{Period: p, Basis: "operation"})
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Unpublished) > 0 || len(s.Files) == 0 {
			t.Fatalf("%d files, %v", len(s.Files), s.Unpublished)
		}
		for _, f := range s.Files {
			if f.New != first {
				t.Errorf("%s: is it written? %t", f.Path, f.New)
			}
		}
		if s.Away > 0 {
			t.Errorf("%d sets are away after they were asked for", s.Away)
		}
	}
	want := map[string]string{}
	for name, hash := range before {
		if strings.Contains(name, "_operation_"+strings.ReplaceAll(p.From.String(), "-", "")) {
			want[name] = hash
		}
	}
	if d := cmp.Diff(want, hashes(t, m.out)); d != "" || len(want) == 0 {
		t.Errorf("asked for again:\n%s", d)
	}
}
