package manifest_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"concilia/export/manifest"
)

// FuzzParseManifest: whatever a share holds under the name of a manifest is refused or means one set, whose name is that of the
// file, and which reads the same when it is written again.
func FuzzParseManifest(f *testing.F) {
	revision := 0
	m := &manifest.Manifest{Account: "1001", Basis: "operation", From: 20000, To: 20001, Revision: &revision, Why: []string{}, Withheld: []string{}}
	m.Set = manifest.SetName(m.Account, m.Basis, m.Period(), m.Filter)
	body, err := m.EncodeJSON()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(m.ManifestName(), body)
	f.Add("set_1001.manifest.json", []byte(`{"set":"../x","revision":-1}`))
	f.Fuzz(func(t *testing.T, name string, body []byte) {
		m, sum, err := manifest.Parse(name, body)
		if err != nil {
			return
		}
		if m.ManifestName() != filepath.Base(name) || len(sum) != 64 || m.Extract != (m.Revision == nil) {
			t.Errorf("%q was read as the manifest %q", name, m.ManifestName())
		}
		again, err := m.EncodeJSON()
		if err != nil {
			t.Fatal(err)
		}
		twice, _, err := manifest.Parse(name, again)
		if err != nil {
			t.Fatalf("written again it is refused: %v", err)
		}
		a, _ := json.Marshal(m)
		if b, _ := json.Marshal(twice); string(a) != string(b) {
			t.Errorf("%s became %s", a, b)
		}
	})
}

// FuzzReadTombstone: a text is refused, or names a manifest's hash and at least one file with its own, none of which leads out of
// the directory.
func FuzzReadTombstone(f *testing.F) {
	sum := "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	f.Add(manifest.DoneText(sum, "set_1001_operation_20261101_20261130_r0.manifest.json") + manifest.DoneText(sum, "aging_1001_asof_20261118_20261118_r0.csv"))
	f.Add(sum + "  ../../etc/passwd\n" + sum + "  /etc/passwd\n")
	f.Fuzz(func(t *testing.T, text string) {
		of, retired, err := manifest.ReadTombstone(text)
		if err != nil {
			return
		}
		if len(of) != 64 || len(retired) == 0 {
			t.Errorf("%q names manifest %q and %d files", text, of, len(retired))
		}
		for name, sum := range retired {
			if len(sum) != 64 || name == "" || name != filepath.Base(name) {
				t.Errorf("%q names %q with %q", text, name, sum)
			}
		}
	})
}
