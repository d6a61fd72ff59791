package publish_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/export/publish"
)

const name = "1001/2026/11/installments_1001_credit_20261101_20261130_r0.csv"

// TestPut publishes a file into a folder that is not there yet, and again.
func TestPut(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "srv", "settlement")
	target := open(t, dir)
	for range 2 { // the second time does nothing
		must(t, target.Put(t.Context(), name, local(t, "a,b\n1,2\n")))
		want(t, dir, map[string]string{name: "a,b\n1,2\n"})
	}
	got, err := target.Read(t.Context(), name)
	if err != nil || string(got) != "a,b\n1,2\n" {
		t.Errorf("read %q, %v", got, err)
	}
}

// TestNeverOverwritten checks that other bytes under a published name are an error, and that the first ones stay.
func TestNeverOverwritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target := open(t, dir)
	must(t, target.Put(t.Context(), name, local(t, "first")))
	err := target.Put(t.Context(), name, local(t, "second"))
	if !errors.Is(err, publish.ErrTaken) || errors.Is(err, publish.ErrUnreachable) || !strings.Contains(err.Error(), name) {
		t.Errorf("other bytes: %v", err)
	}
	// Taken while the part was being written.
	publish.Between(target, func(step string) error {
		if step == "name" {
			return os.WriteFile(filepath.Join(dir, "late"), []byte("another's"), 0o666)
		}
		return nil
	})
	if err := target.Put(t.Context(), "late", local(t, "mine")); !errors.Is(err, publish.ErrTaken) {
		t.Errorf("taken at the last moment: %v", err)
	}
	must(t, os.Mkdir(filepath.Join(dir, "folder"), 0o777))
	if err := target.Put(t.Context(), "folder", local(t, "mine")); !errors.Is(err, publish.ErrTaken) {
		t.Errorf("a directory has the name: %v", err)
	}
	want(t, dir, map[string]string{name: "first", "late": "another's"})
}

// TestNothingHalf fails at each step, and checks that there is no file and no leftover, and that a repetition succeeds.
func TestNothingHalf(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"sync", "read back", "name"} {
		for _, fault := range []error{syscall.ENOSPC, syscall.EIO, context.Canceled} {
			dir := t.TempDir()
			target := open(t, dir)
			publish.Between(target, func(at string) error {
				if at == step {
					return fault
				}
				return nil
			})
			err := target.Put(t.Context(), name, local(t, "whole"))
			if !errors.Is(err, fault) || errors.Is(err, publish.ErrUnreachable) == errors.Is(fault, context.Canceled) {
				t.Errorf("%v at %s: %v", fault, step, err)
			}
			want(t, dir, nil)
			publish.Between(target, func(string) error { return nil })
			must(t, target.Put(t.Context(), name, local(t, "whole")))
			want(t, dir, map[string]string{name: "whole"})
		}
	}
}

// TestWithoutLinks publishes where the file system has no hard links.
func TestWithoutLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target := open(t, dir)
	publish.Between(target, func(step string) error {
		if step == "link" {
			return syscall.EPERM
		}
		return nil
	})
	must(t, target.Put(t.Context(), name, local(t, "first")))
	must(t, target.Put(t.Context(), name, local(t, "first")))
	publish.Between(target, func(step string) error {
		if step == "link" {
			return errors.Join(syscall.EPERM, os.WriteFile(filepath.Join(dir, "late"), []byte("another's"), 0o666))
		}
		return nil
	})
	if err := target.Put(t.Context(), "late", local(t, "mine")); !errors.Is(err, publish.ErrTaken) {
		t.Errorf("taken at the last moment: %v", err)
	}
	want(t, dir, map[string]string{name: "first", "late": "another's"})
}

// TestReadBack changes the partial file on the disk, and checks that this is detected before it has its name.
func TestReadBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target := open(t, dir)
	publish.Between(target, func(step string) error {
		if step != "read back" {
			return nil
		}
		parts, err := filepath.Glob(filepath.Join(dir, ".part-*"))
		if err != nil || len(parts) != 1 {
			t.Fatalf("parts: %v, %v", parts, err)
		}
		return os.WriteFile(parts[0], []byte("whale"), 0o666)
	})
	err := target.Put(t.Context(), "a", local(t, "whole"))
	if !errors.Is(err, publish.ErrUnreachable) || !strings.Contains(err.Error(), "read back") {
		t.Errorf("a changed part: %v", err)
	}
	want(t, dir, nil)
}

// TestTogether has many publish at once: the same bytes all succeed, different ones all but one are refused.
func TestTogether(t *testing.T) {
	t.Parallel()
	for _, same := range []bool{true, false} {
		dir := t.TempDir()
		var wg sync.WaitGroup
		errs := make([]error, 8)
		for i := range errs {
			text := strings.Repeat("same", 50_000)
			if !same {
				text += string(rune('a' + i))
			}
			target, file := open(t, dir), local(t, text)
			wg.Go(func() { errs[i] = target.Put(t.Context(), name, file) })
		}
		wg.Wait()
		done := 0
		for _, err := range errs {
			switch {
			case err == nil:
				done++
			case !errors.Is(err, publish.ErrTaken):
				t.Errorf("same bytes %v: %v", same, err)
			}
		}
		if same && done != len(errs) || !same && done != 1 {
			t.Errorf("same bytes %v: %d of %d published", same, done, len(errs))
		}
		if left := all(t, dir); len(left) != 1 {
			t.Errorf("same bytes %v: %d names", same, len(left))
		}
	}
}

// TestNames checks that names outside the folder and hidden names are errors.
func TestNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target := open(t, filepath.Join(dir, "out"))
	file := local(t, "x")
	for _, bad := range []string{"", ".", "..", "../a", "a/../../b", "/etc/a", "a//b", "a/", ".part-x", "a/.staging-x/b", `a\b`} {
		if err := target.Put(t.Context(), bad, file); !errors.Is(err, publish.ErrName) {
			t.Errorf("put %q: %v", bad, err)
		}
		if _, err := target.Read(t.Context(), bad); !errors.Is(err, publish.ErrName) {
			t.Errorf("read %q: %v", bad, err)
		}
	}
	must(t, target.Put(t.Context(), "a", file))
	must(t, os.Symlink(dir, filepath.Join(dir, "out", "link")))
	if err := target.Put(t.Context(), "link/b", file); err == nil {
		t.Error("a link led outside")
	}
	want(t, dir, map[string]string{"out/a": "x"})
}

// TestUnreachable checks that an error of the target differs from one of the local file, and from a missing name.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o666))
	under := open(t, filepath.Join(dir, "file", "out"))
	err := under.Put(t.Context(), "a", local(t, "x"))
	var e *publish.Error
	if !errors.Is(err, publish.ErrUnreachable) || !errors.As(err, &e) || e.Hint() == "" {
		t.Errorf("a folder under a file: %v", err)
	}
	if _, _, err := under.Stage(t.Context()); !errors.Is(err, publish.ErrUnreachable) {
		t.Errorf("stage under a file: %v", err)
	}
	target := open(t, filepath.Join(dir, "out"))
	if err := target.Put(t.Context(), "a", filepath.Join(dir, "missing")); err == nil || errors.Is(err, publish.ErrUnreachable) {
		t.Errorf("a local file that is not there: %v", err)
	}
	for range 2 { // without the folder, and with it
		if _, err := target.Read(t.Context(), "a"); !errors.Is(err, fs.ErrNotExist) || errors.Is(err, publish.ErrUnreachable) {
			t.Errorf("a name that is not there: %v", err)
		}
		must(t, os.MkdirAll(filepath.Join(dir, "out"), 0o777))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := target.Put(ctx, "a", local(t, "x")); !errors.Is(err, context.Canceled) || errors.Is(err, publish.ErrUnreachable) {
		t.Errorf("cancelled: %v", err)
	}
	if os.Getuid() != 0 { // who is root writes anywhere
		must(t, os.Chmod(filepath.Join(dir, "out"), 0o555))
		if err := target.Put(t.Context(), "a", local(t, "x")); !errors.Is(err, fs.ErrPermission) || !errors.Is(err, publish.ErrUnreachable) {
			t.Errorf("a folder for reading only: %v", err)
		}
	}
}

// TestHints checks the hint of each usual cause.
func TestHints(t *testing.T) {
	t.Parallel()
	seen := map[string]error{}
	for _, cause := range []error{syscall.ENOSPC, syscall.EROFS, syscall.EACCES, syscall.ENOENT, syscall.EIO} {
		e := &publish.Error{Op: "publish", Name: "a", Err: cause}
		if !errors.Is(e, publish.ErrUnreachable) || !errors.Is(e, cause) || seen[e.Hint()] != nil {
			t.Errorf("%v: %q, as for %v", e, e.Hint(), seen[e.Hint()])
		}
		seen[e.Hint()] = cause
	}
}

// TestStage checks that a staging directory is removed on release, and that Stage removes the leftovers of killed
// processes.
func TestStage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target := open(t, dir)
	staging, release, err := target.Stage(t.Context())
	must(t, err)
	if filepath.Dir(staging) != dir {
		t.Errorf("staging %s is not in the folder", staging)
	}
	must(t, os.WriteFile(filepath.Join(staging, "a"), []byte("x"), 0o666))
	must(t, target.Put(t.Context(), "a", filepath.Join(staging, "a")))

	old := time.Unix(0, 0)
	for _, left := range []struct {
		name string
		old  bool
	}{{".staging-dead/set-1/a.csv", true}, {"1001/2026/11/.part-dead", true}, {"1001/.part-alive", false}, {".staging-old-dir-new-file/a", false}, {"1001/.theirs", true}} {
		file := filepath.Join(dir, filepath.FromSlash(left.name))
		must(t, os.MkdirAll(filepath.Dir(file), 0o777))
		must(t, os.WriteFile(file, []byte("x"), 0o666))
		if left.old {
			must(t, os.Chtimes(file, old, old))
		}
	}
	for _, d := range []string{".staging-dead/set-1", ".staging-dead", ".staging-old-dir-new-file"} {
		must(t, os.Chtimes(filepath.Join(dir, filepath.FromSlash(d)), old, old))
	}
	_, release2, err := target.Stage(t.Context())
	must(t, err)
	release2()
	release()
	release() // twice does no harm
	want(t, dir, map[string]string{"a": "x", "1001/.part-alive": "x", ".staging-old-dir-new-file/a": "x", "1001/.theirs": "x"})
}

// TestStageIsSweptByTheNextNight: the staging directory of a killed nightly run is removed by the next one, even a few
// minutes less than a day later, in the folder and on this machine; younger ones and those of others stay.
func TestStageIsSweptByTheNextNight(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target := open(t, dir)
	now := time.Now()
	left := func(name string, age time.Duration) {
		file := filepath.Join(dir, name, "set", "a.csv")
		must(t, os.MkdirAll(filepath.Dir(file), 0o777))
		must(t, os.WriteFile(file, []byte("x"), 0o666))
		for at := file; at != dir; at = filepath.Dir(at) {
			must(t, os.Chtimes(at, now.Add(-age), now.Add(-age)))
		}
	}
	for _, prefix := range []string{".staging-", "concilia-staging-"} {
		left(prefix+"dead", 23*time.Hour+50*time.Minute)
		left(prefix+"alive", 10*time.Hour)
	}
	left("others", 1000*time.Hour)
	_, release, err := target.Stage(t.Context())
	must(t, err)
	release()
	fresh, err := os.MkdirTemp(dir, "concilia-staging-")
	must(t, err)
	publish.SweepHere(t.Context(), fresh)
	want(t, dir, map[string]string{".staging-alive/set/a.csv": "x", "concilia-staging-alive/set/a.csv": "x", "others/set/a.csv": "x"})
	if _, err := os.Stat(fresh); err != nil {
		t.Error(err)
	}
}

// TestStageOfAKilledProcess: what a process of this machine left when it was killed goes with the next one, whatever its age; what a living
// one works in stays, and so does what is of another machine, which may live.
func TestStageOfAKilledProcess(t *testing.T) {
	t.Parallel()
	mark := publish.MarkOwner(os.Getpid())
	if mark == "" {
		t.Skip("processes cannot be told apart here")
	}
	dead := exec.Command(os.Args[0], "-test.run=^$")
	must(t, dead.Run())
	dir := t.TempDir()
	target := open(t, dir)
	machine, _, _ := strings.Cut(mark, "-")
	for _, prefix := range []string{".staging-", "concilia-staging-"} {
		for _, name := range []string{publish.MarkOwner(dead.Process.Pid) + "1", mark + "2", "00" + machine[2:] + "-1-3", machine + "-x-4"} {
			must(t, os.Mkdir(filepath.Join(dir, prefix+name), 0o700))
		}
	}
	staging, release, err := target.Stage(t.Context())
	must(t, err)
	if !strings.HasPrefix(filepath.Base(staging), ".staging-"+mark) {
		t.Errorf("the staging directory %s does not name its owner", staging)
	}
	release()
	fresh, err := os.MkdirTemp(dir, "concilia-staging-")
	must(t, err)
	publish.SweepHere(t.Context(), fresh)
	must(t, os.Remove(fresh))
	var left []string
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		left = append(left, e.Name())
	}
	var stay []string
	for _, prefix := range []string{".staging-", "concilia-staging-"} {
		stay = append(stay, prefix+"00"+machine[2:]+"-1-3", prefix+machine+"-x-4", prefix+mark+"2")
	}
	slices.Sort(stay)
	if d := cmp.Diff(stay, left); d != "" {
		t.Errorf("what should stay (-) and what is left (+):\n%s", d)
	}
}

// TestOpen reads the names of targets.
func TestOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, c := range []struct {
		url, want string
	}{
		{"file://" + filepath.ToSlash(dir), ""},
		{"file://localhost" + filepath.ToSlash(dir), ""},
		{"file://" + filepath.ToSlash(dir) + "/com%20espa%C3%A7o", ""},
		{dir, ""},
		{"", "empty"},
		{"s3:///prefix", "write s3://bucket/prefix"},
		{"s3://access:secret@bucket/prefix", "put keys into files"},
		{"s3://bucket/prefix?part=5", "parameters endpoint and region"},
		{"s3://bucket/prefix?endpoint=ftp://host", "the S3 endpoint is http"},
		{"sftp://host/path", "write sftp://user@host/path"},
		{"sftp://user:secret@host/path", "a password does not belong into a URL"},
		{"sftp://user@host/path", "needs a file of known hosts"},
		{"https://host/path", "scheme"},
		{"file://server/share", "names a host"},
		{"file:///", "without a folder"},
		{"file:///srv?x=1", "nothing else"},
		{"file://%zz", "malformed"},
	} {
		target, err := publish.Open(c.url, publish.Options{})
		switch {
		case c.want == "" && err == nil:
			must(t, target.Put(t.Context(), "a", local(t, "x")))
		case c.want == "" || err == nil || !errors.Is(err, publish.ErrURL) || !strings.Contains(err.Error(), c.want) ||
			strings.Contains(err.Error(), "secret"):
			t.Errorf("%s: %v", c.url, err)
		}
	}
	want(t, dir, map[string]string{"a": "x", "com espaço/a": "x"})
}

func open(t *testing.T, dir string) publish.Target {
	t.Helper()
	target, err := publish.Open(dir, publish.Options{})
	must(t, err)
	return target
}

func local(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "local")
	must(t, os.WriteFile(file, []byte(text), 0o666))
	return file
}

// all are the files below a folder, hidden ones too, by slash path.
func all(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	must(t, filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		b, err := os.ReadFile(file)
		found[filepath.ToSlash(rel)] = string(b)
		return err
	}))
	return found
}

func want(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	got := all(t, dir)
	for n, text := range files {
		if got[n] != text {
			t.Errorf("%s holds %q, want %q", n, got[n], text)
		}
		delete(got, n)
	}
	for n := range got {
		t.Errorf("%s was left", n)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
