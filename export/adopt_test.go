package export_test

import (
	"context"
	"errors"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"concilia/export"
	"concilia/export/publish"
	"concilia/export/report"
)

// dying is a folder whose process is killed before its nth file.
type dying struct {
	*publish.Folder
	left int
}

var errKilled = errors.New("killed")

func (d *dying) Put(ctx context.Context, name, local string) error {
	if d.left--; d.left < 0 {
		return errKilled
	}
	return d.Folder.Put(ctx, name, local)
}

// Killed at any file and started again, by a run of another name, the target ends as if nothing had happened.
func TestKilledAtAnyFile(t *testing.T) {
	t.Parallel()
	const files = 15 // of the set, its manifest and its mark included
	for n := range files + 1 {
		dir := t.TempDir()
		target, err := publish.Open(dir, publish.Options{})
		if err != nil {
			t.Fatal(err)
		}
		tg := export.Target{Staging: t.TempDir(), Numbers: &numbers{}}
		tg.Publisher = &dying{Folder: target.(*publish.Folder), left: n}
		_, err = export.Render(t.Context(), job(), everyClass(), tg)
		if n < files && !errors.Is(err, errKilled) {
			t.Fatalf("killed before file %d: %v", n+1, err)
		}
		tg.Publisher = target
		j := job()
		j.Facts.Run = "20261118T060000.000Z-0002"
		r := render(t, j, everyClass(), tg)
		if r.Revision != 0 || r.Adopted != (n == files) || len(r.Files) != files-2 {
			t.Errorf("killed before file %d: revision %d, adopted %v, %d files", n+1, r.Revision, r.Adopted, len(r.Files))
		}
		if v := verify(t, dir); len(v.Faults) > 0 {
			t.Errorf("killed before file %d: %v", n+1, v.Faults)
		}
	}
}

func TestSetThatNobodyRemembers(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		why      string
		between  func(t *testing.T, dir string, j *export.Job, f *feed)
		adopted  bool
		revision int
	}{
		{"killed after the last file: it is taken as it is", func(*testing.T, string, *export.Job, *feed) {}, true, 0},
		{"the rows changed meanwhile: it is superseded", func(_ *testing.T, _ string, _ *export.Job, f *feed) {
			f.cards[4].v.Received = opt("48.99")
		}, false, 1},
		{"less is asked for: what is there holds it", func(_ *testing.T, _ string, j *export.Job, _ *feed) {
			j.Formats = []report.Format{report.CSV}
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

// A manifest that was edited after it was done stops the set: nobody can say what is published.
func TestEditedManifestIsNotAdopted(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	r := render(t, job(), everyClass(), tg)
	flip(filepath.Join(out.root, path.Join(r.Dir, r.Manifest)), `"why": [`, `"why":  [`)
	_, err := export.Render(t.Context(), job(), everyClass(), tg)
	if err == nil || !strings.Contains(err.Error(), "its manifest was changed after it was done") {
		t.Error(err)
	}
}
