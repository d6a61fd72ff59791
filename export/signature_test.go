package export_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"concilia/export"
)

// TestVerifyWithAKey: a signature that is missing, of another manifest, of another key or no signature at all is a fault with the
// key, and none without it.
func TestVerifyWithAKey(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ours, others := filepath.Join(dir, "ours"), filepath.Join(dir, "others")
	for _, path := range []string{ours, others} {
		if err := export.WriteKeys(path); err != nil {
			t.Fatal(err)
		}
	}
	key, err := export.ReadSigningKey(ours)
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := export.ReadSigningKey(others)
	if err != nil {
		t.Fatal(err)
	}
	public, err := export.ReadVerifyKey(ours + ".pub")
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
			write(t, export.SignatureName(path), []byte(export.Sign(key, body)))
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
		{"as it was signed", export.Sign(key, body), ""},
		{"another manifest", export.Sign(key, append(body, ' ')), "does not fit the manifest"},
		{"another key", export.Sign(foreign, body), "was signed with another key"},
		{"no signature", "ed25519 who knows\n", "is no signature of this program"},
		{"none", "", "is not signed"},
	} {
		remove(t, export.SignatureName(first))
		if c.signature != "" {
			write(t, export.SignatureName(first), []byte(c.signature))
		}
		r, err := export.Verify(t.Context(), root, public)
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
		if r := verify(t, root); len(r.Faults) > 0 {
			t.Errorf("%s, without a key: %v", c.why, r.Faults)
		}
	}
}

// TestKeysAreNeverOverwritten: and the private part is for its user alone.
func TestKeysAreNeverOverwritten(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "key")
	if err := export.WriteKeys(path); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := export.WriteKeys(path); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second key: %v", err)
	}
	remove(t, path)
	if err := export.WriteKeys(path); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second public part: %v", err)
	}
	if _, err := export.ReadSigningKey(path + ".pub"); err == nil {
		t.Error("the public part signs")
	}
}

// FuzzCheckSignature: no text but the one signature passes.
func FuzzCheckSignature(f *testing.F) {
	path := filepath.Join(f.TempDir(), "key")
	if err := export.WriteKeys(path); err != nil {
		f.Fatal(err)
	}
	key, err := export.ReadSigningKey(path)
	if err != nil {
		f.Fatal(err)
	}
	public, err := export.ReadVerifyKey(path + ".pub")
	if err != nil {
		f.Fatal(err)
	}
	right := export.Sign(key, []byte("{}"))
	f.Add(right)
	f.Add("ed25519  \n")
	f.Fuzz(func(t *testing.T, text string) {
		err := export.CheckSignature(public, []byte("{}"), []byte(text))
		same := strings.TrimSuffix(text, "\n") == strings.TrimSuffix(right, "\n")
		if err == nil && !strings.HasPrefix(text, strings.TrimSuffix(right, "\n")[:60]) || err != nil && same {
			t.Errorf("%q: %v", text, err)
		}
	})
}
