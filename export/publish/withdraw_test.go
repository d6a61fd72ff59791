package publish_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"concilia/export/publish"
)

func TestWithdraw(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target, err := publish.Open(dir, publish.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := target.(*publish.Folder)
	local := filepath.Join(t.TempDir(), "a")
	for _, text := range []string{"first", "other"} {
		if err := os.WriteFile(local, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := f.Put(t.Context(), "1001/a.csv", local); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for range 2 { // the second time there is nothing left to withdraw
			if err := f.Withdraw(t.Context(), "1001/a.csv"); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := f.Read(t.Context(), "1001/a.csv"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: it is still there, %v", text, err)
		}
	}
	if err := f.Withdraw(t.Context(), "../a"); !errors.Is(err, publish.ErrName) {
		t.Errorf("a name outside: %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, "d"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := f.Withdraw(t.Context(), "d"); !errors.Is(err, publish.ErrTaken) {
		t.Errorf("a directory: %v", err)
	}
}
