package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"concilia/cmd/concilia/exit"
)

// fullDisk is the variable that tells the test it runs where it may mount, and where the sandbox is built.
const fullDisk = "CONCILIA_TEST_FULL_DISK"

// TestFullDisk: with an archive that is really full nothing is published, and one message says why; on a share that is full nothing is left half, what is proven waits, and is brought when there is
// room. The test runs itself in a namespace of its own, in which the share is a small file system of memory.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	if raced {
		t.Skip("the nights are watched in other tests")
	}
	if os.Getenv(fullDisk) == "" {
		ownNamespace(t)
		return
	}
	dir := t.TempDir()
	share := filepath.Join(dir, "reports")
	if err := os.Mkdir(share, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("none", share, "tmpfs", 0, "size=64m"); err != nil {
		t.Skipf("mount: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(share, 0) })
	s, err := sandboxProcess(os.Getenv(fullDisk), []string{"--seed", "9", "--days", "8"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.stop)
	archive := filepath.Join(dir, "concilia.db-archive")
	if err := os.Mkdir(archive, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("none", archive, "tmpfs", 0, "size=64m,mode=0700"); err != nil {
		t.Skipf("mount: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(archive, 0) })
	kept := fill(t, filepath.Join(archive, ".theirs"))
	code, out := runCommand(t, s, dir, "run")
	if code != 50 || strings.Count(out, "not published: ") != 1 || !strings.Contains(out, "the archive "+archive) || !strings.Contains(out, "no space left on device") {
		t.Errorf("with a full archive the run ended with %d: %s", code, out)
	}
	if err := os.Remove(kept); err != nil {
		t.Fatal(err)
	}
	ballast := fill(t, filepath.Join(share, "theirs"))
	if n := waitingFiles(t, func(args ...string) (int, string) { return runCommand(t, s, dir, args...) }); n > 0 {
		t.Errorf("with a full archive %d files were published", n)
	}
	code, out = runCommand(t, s, dir, "run")
	if code != 50 || !strings.Contains(out, "no space left on device") || !strings.Contains(out, "make room on the target") {
		t.Errorf("on a full disk the run ended with %d: %s", code, out)
	}
	published := func() int {
		found, err := filepath.Glob(filepath.Join(share, "*", "2026", "*", "*"))
		if err != nil {
			t.Fatal(err)
		}
		return len(found)
	}
	waits := func() int {
		return waitingFiles(t, func(args ...string) (int, string) { return runCommand(t, s, dir, args...) })
	}
	waiting := waits()
	if n := published(); n > 0 || waiting < 20 {
		t.Errorf("on a full disk %d files are published and %d wait", n, waiting)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if code, out := runCommand(t, s, dir, "run"); code == 50 {
		t.Errorf("with room the run ended with %d: %s", code, out)
	}
	if n, left := published(), waits(); n < waiting || left > 0 {
		t.Errorf("%d files are published of %d that waited, %d wait", n, waiting, left)
	}
	if code, out := runCommand(t, s, dir, "verify", share); code != exit.OK {
		t.Errorf("verify ended with %d: %s", code, out)
	}
	temporaryFiles(t, dir, func(args ...string) (int, string) { return runCommand(t, s, dir, args...) }, share)
}

// temporaryFiles holds what commands say of a folder of temporary files that is full, and of one that may not be written. This
// process has a namespace, and so an environment, of its own.
func temporaryFiles(t *testing.T, dir string, command func(args ...string) (int, string), share string) {
	t.Helper()
	temporary := filepath.Join(dir, "temporary")
	if err := errors.Join(os.Mkdir(temporary, 0o700), os.Setenv("TMPDIR", temporary)); err != nil {
		t.Fatal(err)
	}
	for why, mount := range map[string]struct {
		flags uintptr
		data  string
	}{"no space left on device": {0, "size=4k,nr_inodes=1"}, "read-only file system": {syscall.MS_RDONLY, ""}} {
		if err := syscall.Mount("none", temporary, "tmpfs", mount.flags, mount.data); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"verify", share}, {"run", "--dry-run"}} {
			code, out := command(args...)
			if code != exit.Unreachable || strings.Count(out, "the folder of temporary files: ") != 1 || !strings.Contains(out, why) || !strings.Contains(out, "TMPDIR") {
				t.Errorf("%s: %q ended with %d: %s", why, args, code, out)
			}
		}
		if err := syscall.Unmount(temporary, 0); err != nil {
			t.Fatal(err)
		}
	}
}

// fill writes a file that takes all that a disk has left.
func fill(t *testing.T, name string) string {
	t.Helper()
	if err := os.WriteFile(name, make([]byte, 80<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk is not full: %v", err)
	}
	return name
}

// ownNamespace runs the test again where it may mount.
func ownNamespace(t *testing.T) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestFullDisk$", "-test.v")
	cmd.Env = append(os.Environ(), fullDisk+"="+build(t).sandbox)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	var failed *exec.ExitError
	switch {
	case err != nil && !errors.As(err, &failed):
		t.Skipf("no namespace of its own: %v", err)
	case err != nil:
		t.Errorf("%v:\n%s", err, out)
	case strings.Contains(string(out), "--- SKIP"):
		t.Skipf("no file system of its own:\n%s", out)
	}
}
