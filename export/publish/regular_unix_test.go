//go:build unix

package publish_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"concilia/export/publish"
)

// TestFolderReadsRegularFilesOnly: a pipe without a writer, a link to a device that never ends and a directory are refused
// under the name of a file, by everything that reads a target, without waiting.
func TestFolderReadsRegularFilesOnly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		make func(path string) error
	}{
		{"a pipe", func(path string) error { return syscall.Mkfifo(path, 0o600) }},
		{"an endless device", func(path string) error { return os.Symlink("/dev/zero", path) }},
		{"a directory", func(path string) error { return os.Mkdir(path, 0o700) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := c.make(filepath.Join(dir, "f.done")); err != nil {
				t.Fatal(err)
			}
			target, err := publish.Open(dir, publish.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := target.Read(t.Context(), "f.done"); !errors.Is(err, publish.ErrNotRegular) {
				t.Errorf("read: %v", err)
			}
			if err := target.Fetch(t.Context(), "f.done", io.Discard); !errors.Is(err, publish.ErrNotRegular) {
				t.Errorf("fetch: %v", err)
			}
			if err := target.Put(t.Context(), "f.done", local(t, "text")); !errors.Is(err, publish.ErrTaken) {
				t.Errorf("put: %v", err)
			}
			path := filepath.Join(dir, "f.done")
			if err := publish.ReadRegular(t.Context(), path, 10, func(io.Reader) error { return nil }); !errors.Is(err, publish.ErrNotRegular) {
				t.Errorf("read by path: %v", err)
			}
		})
	}
}

// TestReadRegularIsBounded: a file with more bytes than it may have fails when they are reached, one of exactly so many does not,
// and every read looks whether it shall end.
func TestReadRegularIsBounded(t *testing.T) {
	t.Parallel()
	path := local(t, "twelve bytes")
	count := func(ctx context.Context, limit int64) (n int64, err error) {
		err = publish.ReadRegular(ctx, path, limit, func(in io.Reader) (err error) {
			n, err = io.Copy(io.Discard, in)
			return err
		})
		return n, err
	}
	if n, err := count(t.Context(), 12); n != 12 || err != nil {
		t.Errorf("all of it: %d, %v", n, err)
	}
	if _, err := count(t.Context(), 11); err == nil {
		t.Error("a byte too many was read")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := count(ctx, 12); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of its context: %v", err)
	}
}
