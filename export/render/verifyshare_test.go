package render_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"concilia/export/verify"
)

// TestVerifyReadsRegularFilesOnly: a link to a device that never ends, or a directory under the name of a file, is named and not
// read, whatever file of a set it stands for.
func TestVerifyReadsRegularFilesOnly(t *testing.T) {
	t.Parallel()
	for _, suffix := range []string{".done", ".manifest.json", ".csv", ".xlsx", ".ret"} {
		t.Run(suffix, func(t *testing.T) {
			t.Parallel()
			root := published(t)
			for _, path := range files(t, root) {
				if !strings.HasSuffix(path, suffix) {
					continue
				}
				remove(t, path)
				if err := os.Symlink("/dev/zero", path); err != nil {
					t.Fatal(err)
				}
				wants(t, verifyTree(t, root), filepath.Base(path)+": not a regular file")
				return
			}
			t.Fatalf("no file is a %s", suffix)
		})
	}
}

// TestVerifyReadsNoMoreThanTheManifestLists: a file that was made longer is not read beyond what its manifest lists.
func TestVerifyReadsNoMoreThanTheManifestLists(t *testing.T) {
	t.Parallel()
	root := published(t)
	for _, path := range files(t, root) {
		if strings.HasSuffix(path, ".csv") {
			if err := os.Truncate(path, 1<<40); err != nil {
				t.Fatal(err)
			}
			wants(t, verifyTree(t, root), filepath.Base(path)+": more than ")
			return
		}
	}
}

// TestVerifyEndsWithItsContext: what was asked to end gives no verdict.
func TestVerifyEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := verify.CheckTree(ctx, published(t), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
