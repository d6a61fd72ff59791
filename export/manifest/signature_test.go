package manifest_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"concilia/export/manifest"
)

// TestKeysAreNeverOverwritten: and the private part is for its user alone.
func TestKeysAreNeverOverwritten(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "key")
	if err := manifest.WriteKeys(path); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := manifest.WriteKeys(path); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second key: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := manifest.WriteKeys(path); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second public part: %v", err)
	}
	if _, err := manifest.ReadSigningKey(path + ".pub"); err == nil {
		t.Error("the public part signs")
	}
}

// FuzzCheckSignature: no text but the one signature passes.
func FuzzCheckSignature(f *testing.F) {
	path := filepath.Join(f.TempDir(), "key")
	if err := manifest.WriteKeys(path); err != nil {
		f.Fatal(err)
	}
	key, err := manifest.ReadSigningKey(path)
	if err != nil {
		f.Fatal(err)
	}
	public, err := manifest.ReadVerifyKey(path + ".pub")
	if err != nil {
		f.Fatal(err)
	}
	right := manifest.Sign(key, []byte("{}"))
	f.Add(right)
	f.Add("ed25519  \n")
	f.Fuzz(func(t *testing.T, text string) {
		err := manifest.CheckSignature(public, []byte("{}"), []byte(text))
		same := strings.TrimSuffix(text, "\n") == strings.TrimSuffix(right, "\n")
		if err == nil && !strings.HasPrefix(text, strings.TrimSuffix(right, "\n")[:60]) || err != nil && same {
			t.Errorf("%q: %v", text, err)
		}
	})
}
