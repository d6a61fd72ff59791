package render_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"concilia/export/manifest"
	"concilia/export/verify"
)

// TestVerifyWithAKey: a signature that is missing, of another manifest, of another key or no signature at all is a fault with the
// key, and none without it.
func TestVerifyWithAKey(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ours, others := filepath.Join(dir, "ours"), filepath.Join(dir, "others")
	for _, path := range []string{ours, others} {
		if err := manifest.WriteKeys(path); err != nil {
			t.Fatal(err)
		}
	}
	key, err := manifest.ReadSigningKey(ours)
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := manifest.ReadSigningKey(others)
	if err != nil {
		t.Fatal(err)
	}
	public, err := manifest.ReadVerifyKey(ours + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	root := published(t)
	var manifests []string
	for _, path := range files(t, root) {
		if strings.HasSuffix(path, ".manifest.json") {
			manifests = append(manifests, path)
			body, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			write(t, manifest.SignatureName(path), []byte(manifest.Sign(key, body)))
		}
	}
	first := manifests[0]
	body, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		why, signature, want string
	}{
		{"as it was signed", manifest.Sign(key, body), ""},
		{"another manifest", manifest.Sign(key, append(body, ' ')), "does not fit the manifest"},
		{"another key", manifest.Sign(foreign, body), "was signed with another key"},
		{"no signature", "ed25519 who knows\n", "is no signature of this program"},
		{"none", "", "is not signed"},
	} {
		remove(t, manifest.SignatureName(first))
		if c.signature != "" {
			write(t, manifest.SignatureName(first), []byte(c.signature))
		}
		r, err := verify.CheckTree(t.Context(), root, public)
		switch {
		case err != nil:
			t.Error(c.why, err)
		case c.want == "":
			if len(r.Faults) > 0 || r.Signed != len(manifests) {
				t.Errorf("%s: %d of %d signed, faults %v", c.why, r.Signed, len(manifests), r.Faults)
			}
		default:
			wants(t, r, c.want)
			if len(r.Faults) != 1 || r.Signed != len(manifests)-1 {
				t.Errorf("%s: %d signed, faults %v", c.why, r.Signed, r.Faults)
			}
		}
		if r := verifyTree(t, root); len(r.Faults) > 0 {
			t.Errorf("%s, without a key: %v", c.why, r.Faults)
		}
	}
}
