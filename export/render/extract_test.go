package render_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"concilia/export"
	"concilia/export/manifest"
	"concilia/export/publish"
	"concilia/export/render"
	"concilia/export/report"
	"concilia/export/verify"
	"concilia/store/ledger"
)

// TestExtractIsNoRevision: an extract is proven like a set and verifies, its names end in a digest, nothing numbers it, and
// it can be in one folder with the revisions of the same set without being one.
func TestExtractIsNoRevision(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder, err := publish.Open(dir, publish.Options{})
	if err != nil {
		t.Fatal(err)
	}
	given := &numbers{}
	tg := export.Target{Staging: t.TempDir(), Publisher: folder, Numbers: given}
	official := renderJob(t, job(), everyClass(), tg)
	reserved := *given
	reserved.files, reserved.titles = maps.Clone(given.files), maps.Clone(given.titles)

	extract := func(change func(*export.Job, *feed)) export.Result {
		t.Helper()
		j, f := job(), everyClass()
		j.Extract, j.Formats = true, []report.Format{report.CSV, report.XLSX, report.HTML}
		j.Current = &export.CurrentRevision{Revision: official.Revision, Fingerprints: official.Fingerprints}
		if change != nil {
			change(&j, f)
		}
		return renderJob(t, j, f, tg)
	}
	first := extract(nil)
	name := regexp.MustCompile(`^[a-z-]+_1001_operation_20261101_20261130_x[0-9a-f]{8}\.(csv|xlsx|html)$`)
	for _, f := range first.Files {
		if !name.MatchString(f.Path) || f.NSA != nil {
			t.Errorf("an extract has the file %s, NSA %v", f.Path, f.NSA)
		}
	}
	if len(first.Files) < 10 || first.Unchanged {
		t.Errorf("%d files, unchanged %t", len(first.Files), first.Unchanged)
	}
	var m manifest.Manifest
	body, err := os.ReadFile(filepath.Join(dir, first.Dir, first.Manifest))
	if err != nil || json.Unmarshal(body, &m) != nil {
		t.Fatal(err)
	}
	if !m.Extract || m.Revision != nil || m.Supersedes != nil || !strings.Contains(string(body), `"extract": true`) {
		t.Errorf("its manifest says revision %v, extract %t", m.Revision, m.Extract)
	}
	if given.nsa != reserved.nsa || !maps.Equal(given.files, reserved.files) || !maps.Equal(given.titles, reserved.titles) {
		t.Error("an extract had numbers reserved")
	}

	for _, row := range []struct {
		says   string
		change func(*export.Job, *feed)
		same   bool
	}{
		{"the same once more", nil, true},
		{"of another run", func(j *export.Job, _ *feed) { j.Facts.Run = "20261119T053000.000Z-0002" }, false},
		{"in another format", func(j *export.Job, _ *feed) { j.Formats = []report.Format{report.CSV} }, false},
		{"with persons in clear", func(j *export.Job, _ *feed) { j.Identified = []report.Kind{report.SlipsKind} }, false},
		{"after an act", func(j *export.Job, _ *feed) {
			j.Facts.Acts = []ledger.ActLogEnd{{Account: 1001, Number: 1, Hash: strings.Repeat("ab", 32)}}
		}, false},
	} {
		if r := extract(row.change); (r.Manifest == first.Manifest) != row.same || r.Unchanged != row.same {
			t.Errorf("%s: %s, unchanged %t", row.says, r.Manifest, r.Unchanged)
		}
	}
	v := verifyTree(t, dir)
	if len(v.Faults) > 0 || v.Sets != 6 || len(v.Revisions) != 1 {
		t.Errorf("%d sets, %d of them revisions: %v", v.Sets, len(v.Revisions), v.Faults)
	}

	j := job()
	j.Extract = true
	if _, err := render.Set(t.Context(), j, everyClass(), tg); err == nil || !strings.Contains(err.Error(), "no EDI file") {
		t.Errorf("an extract with an EDI file: %v", err)
	}
}

// TestVerifyNamesAChangedExtract: what is changed, renamed or called a revision is a fault of that file.
func TestVerifyNamesAChangedExtract(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder, err := publish.Open(dir, publish.Options{})
	if err != nil {
		t.Fatal(err)
	}
	j := job()
	j.Extract, j.Formats = true, []report.Format{report.CSV}
	r := renderJob(t, j, everyClass(), export.Target{Staging: t.TempDir(), Publisher: folder})
	summary := filepath.Join(dir, r.Dir, r.Files[0].Path)
	manifest := filepath.Join(dir, r.Dir, r.Manifest)
	was := map[string][]byte{}
	for _, path := range []string{summary, manifest} {
		if was[path], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range []struct{ says, path, old, now, want string }{
		{"another digit in a table", summary, "1001", "1002", "SHA-256 is"},
		{"a manifest that claims a revision", manifest, `"revision": null`, `"revision": 0`, "has to be a revision or an extract"},
		{"a manifest of another digest", manifest, `30_x`, `30_x0`, "says it is set_1001"},
	} {
		changed := strings.Replace(string(was[row.path]), row.old, row.now, 1)
		if changed == string(was[row.path]) {
			t.Fatalf("%s: nothing was changed", row.says)
		}
		if err := os.WriteFile(row.path, []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
		v := verifyTree(t, dir)
		if !slices.ContainsFunc(v.Faults, func(f verify.Fault) bool {
			return filepath.Join(dir, f.File) == row.path && strings.Contains(f.Text.String(), row.want)
		}) {
			t.Errorf("%s: %v", row.says, v.Faults)
		}
		if err := os.WriteFile(row.path, was[row.path], 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if v := verifyTree(t, dir); len(v.Faults) > 0 {
		t.Error(v.Faults)
	}
}
