package publish_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"concilia/export/publish"
)

// TestTargets holds every kind of target to the same promises. A bucket and a server are real ones, started here.
func TestTargets(t *testing.T) {
	t.Parallel()
	type targetKind struct {
		scheme string
		open   func(t *testing.T) publish.Target
	}
	kinds := []targetKind{
		{"file", func(t *testing.T) publish.Target { return open(t, filepath.Join(t.TempDir(), "srv")) }},
		{"s3", s3Target},
		{"sftp", sftpTarget},
	}
	for _, scheme := range publish.Schemes() {
		if !slices.ContainsFunc(kinds, func(k targetKind) bool { return k.scheme == scheme }) {
			t.Errorf("targets of %s:// are held to no promise: they need a row here", scheme)
		}
	}
	for _, kind := range kinds {
		t.Run(kind.scheme, func(t *testing.T) {
			t.Parallel()
			target := kind.open(t)
			for _, promise := range []struct {
				name string
				hold func(*testing.T, publish.Target)
			}{
				{"the same bytes may be put again", putAgain},
				{"other bytes are refused and the first stay", putOther},
				{"of many at once one wins whole", putTogether},
				{"of many large ones at once one wins whole", putLargeTogether},
				{"a large file arrives whole and is not overwritten", putLarge},
				{"what is not there is not there", readMissing},
				{"what was withdrawn may be put with other bytes", putWithdrawn},
				{"what is replaced has the new bytes", replace},
				{"what was put is fetched, described and listed", browse},
				{"a name stays below the target", putOutside},
				{"a staging directory is empty and goes", stageAndRelease},
			} {
				t.Run(promise.name, func(t *testing.T) { promise.hold(t, target) })
			}
		})
	}
}

func putAgain(t *testing.T, target publish.Target) {
	for range 2 {
		must(t, target.Put(t.Context(), "again/"+name, local(t, "a,b\n1,2\n")))
	}
	holds(t, target, "again/"+name, "a,b\n1,2\n")
}

func putOther(t *testing.T, target publish.Target) {
	must(t, target.Put(t.Context(), "other.csv", local(t, "first")))
	err := target.Put(t.Context(), "other.csv", local(t, "second"))
	if !errors.Is(err, publish.ErrTaken) || errors.Is(err, publish.ErrUnreachable) || !strings.Contains(err.Error(), "other.csv") {
		t.Errorf("other bytes: %v", err)
	}
	holds(t, target, "other.csv", "first")
}

func putTogether(t *testing.T, target publish.Target) {
	texts := []string{"one", "two", "three", "four"}
	errs := make([]error, len(texts))
	var all sync.WaitGroup
	for i, text := range texts {
		file := local(t, text)
		all.Go(func() { errs[i] = target.Put(t.Context(), "together.csv", file) })
	}
	all.Wait()
	got, err := target.Read(t.Context(), "together.csv")
	must(t, err)
	for i, err := range errs {
		if won := string(got) == texts[i]; won != (err == nil) || err != nil && !errors.Is(err, publish.ErrTaken) {
			t.Errorf("%q stands; who put %q was told %v", got, texts[i], err)
		}
	}
}

// putLargeTogether is putTogether with files that go up in parts.
func putLargeTogether(t *testing.T, target publish.Target) {
	texts := []string{strings.Repeat("a", 17<<20), strings.Repeat("b", 17<<20)}
	errs := make([]error, len(texts))
	var all sync.WaitGroup
	for i, text := range texts {
		file := local(t, text)
		all.Go(func() { errs[i] = target.Put(t.Context(), "large-together.csv", file) })
	}
	all.Wait()
	got, err := target.Read(t.Context(), "large-together.csv")
	must(t, err)
	for i, err := range errs {
		if won := string(got) == texts[i]; won != (err == nil) || err != nil && !errors.Is(err, publish.ErrTaken) {
			t.Errorf("%d bytes of %q stand; who put those of %q was told %v", len(got), got[:1], texts[i][:1], err)
		}
	}
}

func putLarge(t *testing.T, target publish.Target) {
	// Above the size of one part of an upload in parts.
	text := strings.Repeat("0123456789abcdef", 20<<20/16)
	must(t, target.Put(t.Context(), "large.csv", local(t, text)))
	must(t, target.Put(t.Context(), "large.csv", local(t, text)))
	if err := target.Put(t.Context(), "large.csv", local(t, text+"x")); !errors.Is(err, publish.ErrTaken) {
		t.Errorf("other bytes: %v", err)
	}
	got, err := target.Read(t.Context(), "large.csv")
	must(t, err)
	if !bytes.Equal(got, []byte(text)) {
		t.Errorf("%d bytes came back, not those that were put", len(got))
	}
}

func readMissing(t *testing.T, target publish.Target) {
	if b, err := target.Read(t.Context(), "1001/nothing.csv"); !errors.Is(err, fs.ErrNotExist) || errors.Is(err, publish.ErrUnreachable) {
		t.Errorf("read %q, %v", b, err)
	}
}

func putWithdrawn(t *testing.T, target publish.Target) {
	must(t, target.Put(t.Context(), "back.csv", local(t, "killed")))
	for range 2 {
		must(t, target.Withdraw(t.Context(), "back.csv"))
	}
	must(t, target.Put(t.Context(), "back.csv", local(t, "whole")))
	holds(t, target, "back.csv", "whole")
}

func replace(t *testing.T, target publish.Target) {
	for _, text := range []string{"first", "second", "second"} {
		must(t, target.Replace(t.Context(), "replaced/index", local(t, text)))
		holds(t, target, "replaced/index", text)
	}
}

func browse(t *testing.T, target publish.Target) {
	text := strings.Repeat("0123456789abcdef", 3<<20/16)
	must(t, target.Put(t.Context(), "browsed/a/large", local(t, text)))
	must(t, target.Put(t.Context(), "browsed/b", local(t, "b")))
	must(t, target.Put(t.Context(), "browsed-not", local(t, "b")))
	var got bytes.Buffer
	must(t, target.Fetch(t.Context(), "browsed/a/large", &got))
	if got.String() != text {
		t.Errorf("%d bytes were fetched, not those that were put", got.Len())
	}
	e, err := target.Stat(t.Context(), "browsed/a/large")
	if err != nil || e.Name != "browsed/a/large" || e.Size != int64(len(text)) || e.Modified.IsZero() {
		t.Errorf("described as %+v, %v", e, err)
	}
	for _, missing := range []string{"browsed/a", "browsed/c", "nothing/c"} {
		if err := target.Fetch(t.Context(), missing, &got); err == nil || missing != "browsed/a" && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s was fetched: %v", missing, err)
		}
		if _, err := target.Stat(t.Context(), missing); err == nil || missing != "browsed/a" && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s was described: %v", missing, err)
		}
	}
	list := func(dir string) (names []string) {
		must(t, target.List(t.Context(), dir, func(e publish.Entry) error {
			names = append(names, fmt.Sprint(e.Name, " ", e.Size))
			return nil
		}))
		slices.Sort(names)
		return names
	}
	if got, want := list("browsed"), []string{fmt.Sprint("browsed/a/large ", len(text)), "browsed/b 1"}; !slices.Equal(got, want) {
		t.Errorf("listed are %q, want %q", got, want)
	}
	if got := list(""); !slices.Contains(got, "browsed/b 1") || !slices.Contains(got, "browsed-not 1") {
		t.Errorf("the target lists %q", got)
	}
	if got := list("nothing"); len(got) > 0 {
		t.Errorf("a directory that is not there lists %q", got)
	}
	enough := errors.New("enough")
	if err := target.List(t.Context(), "", func(publish.Entry) error { return enough }); !errors.Is(err, enough) || errors.Is(err, publish.ErrUnreachable) {
		t.Errorf("a listing that was ended failed with %v", err)
	}
}

func putOutside(t *testing.T, target publish.Target) {
	for _, name := range []string{"", ".", "../a", "/a", "a/../../b", ".hidden", "a/.part-x", `a\b`} {
		if err := target.Put(t.Context(), name, local(t, "x")); !errors.Is(err, publish.ErrName) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func stageAndRelease(t *testing.T, target publish.Target) {
	dir, release, err := target.Stage(t.Context())
	must(t, err)
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%s holds %v, %v", dir, left, err)
	}
	must(t, os.WriteFile(filepath.Join(dir, "x"), []byte("x"), 0o600))
	release()
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is there after its release: %v", dir, err)
	}
}

func holds(t *testing.T, target publish.Target, name, text string) {
	t.Helper()
	got, err := target.Read(t.Context(), name)
	if err != nil || string(got) != text {
		t.Errorf("%s holds %q, %v; want %q", name, got, err, text)
	}
}
