package export_test

import (
	"path/filepath"
	"testing"

	"concilia/export"
)

func TestSetThatNobodyRemembers(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		why      string
		between  func(t *testing.T, dir string, j *export.Job, f *feed)
		adopted  bool
		revision int
	}{
		{"killed after the last file: it is taken as it is", func(*testing.T, string, *export.Job, *feed) {}, true, 0},
		{"killed before the last file: it is written again", func(t *testing.T, dir string, _ *export.Job, _ *feed) {
			remove(t, filepath.Join(dir, "set_1001_operation_20261101_20261130_r0.done"))
		}, false, 0},
		{"the rows changed meanwhile: it is superseded", func(_ *testing.T, _ string, _ *export.Job, f *feed) {
			f.cards[4].v.Received = opt("48.99")
		}, false, 1},
		{"less is asked for: what is there holds it", func(_ *testing.T, _ string, j *export.Job, _ *feed) {
			j.Formats = []export.Format{export.CSV}
		}, true, 0},
	} {
		t.Run(tc.why, func(t *testing.T) {
			t.Parallel()
			tg, out := target(t)
			j, f := job(), everyClass()
			first := render(t, j, f, tg)
			tc.between(t, filepath.Join(out.root, first.Dir), &j, f)
			r := render(t, j, f, tg)
			if r.Adopted != tc.adopted || r.Revision != tc.revision || len(r.Files) != len(first.Files) {
				t.Errorf("adopted %v, revision %d, %d files, why %v", r.Adopted, r.Revision, len(r.Files), r.Why)
			}
			if v := verify(t, out.root); len(v.Faults) > 0 {
				t.Error(v.Faults)
			}
		})
	}
}
