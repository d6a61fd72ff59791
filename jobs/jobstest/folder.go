package jobstest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"concilia/export/index"
	"concilia/export/publish"
)

// Folder publishes into a directory.
type Folder struct{ Root string }

// Read returns what a file holds.
func (f *Folder) Read(_ context.Context, name string) ([]byte, error) {
	return os.ReadFile(filepath.Join(f.Root, filepath.FromSlash(name)))
}

// Replace writes a file over what is there.
func (f *Folder) Replace(ctx context.Context, name, local string) error {
	return f.Put(ctx, name, local)
}

// Withdraw deletes a file, if it is there.
func (f *Folder) Withdraw(_ context.Context, name string) error {
	err := os.Remove(filepath.Join(f.Root, filepath.FromSlash(name)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Put copies a local file to a name.
func (f *Folder) Put(_ context.Context, name, local string) error {
	b, err := os.ReadFile(local)
	if err != nil {
		return err
	}
	to := filepath.Join(f.Root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o644)
}

// Target is a folder with a place for what is not proven yet.
type Target struct{ *Folder }

// NewTarget makes a folder a target.
func NewTarget(root string) Target { return Target{&Folder{Root: root}} }

// Stage makes a folder for what is not proven yet; done deletes it.
func (f Target) Stage(context.Context) (dir string, done func(), err error) {
	if err := os.MkdirAll(f.Root, 0o755); err != nil {
		return "", nil, err
	}
	dir, err = os.MkdirTemp(f.Root, ".staging-")
	return dir, func() { _ = os.RemoveAll(dir) }, err
}

// NewArchive opens the archive in a folder.
func NewArchive(t testing.TB, dir string) *publish.Archive {
	t.Helper()
	a, err := publish.OpenArchive(dir, publish.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// HashFiles are the SHA-256 of every file below a folder but the indexes, none when it is not there.
func HashFiles(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if p == root && os.IsNotExist(err) {
			return nil
		}
		if err != nil || d.IsDir() || d.Name() == index.FileName("") {
			return err
		}
		b, err := os.ReadFile(p)
		sum := sha256.Sum256(b)
		rel, _ := filepath.Rel(root, p)
		out[rel] = hex.EncodeToString(sum[:])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
