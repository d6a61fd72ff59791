//go:build linux

package store_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// withoutRights takes from the test what root may do to files that are not its own: until the test ends its thread
// reaches files as the user nobody. Nothing of it may reach files from another goroutine.
func withoutRights(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	const nobody = 65534
	runtime.LockOSThread() // and never unlocked: the thread ends with the test
	must(t, syscall.Setfsuid(nobody))
	t.Cleanup(func() { must(t, syscall.Setfsuid(0)) })
}

// TestReadOnlyLedger: a ledger in a read-only file or folder can be read, leaves no file in its folder and refuses to be written.
func TestReadOnlyLedger(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name         string
		file, folder fs.FileMode
		logged       bool // somebody has it open, and what he wrote last is in the log
	}{
		{"a file that may not be written", 0o444, 0o777, false},
		{"a folder that may not be written", 0o666, 0o555, false},
		{"neither", 0o444, 0o555, false},
		{"neither, while somebody is at work", 0o444, 0o555, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir, err := os.MkdirTemp("/tmp", "shut")
			must(t, err)
			t.Cleanup(func() { _ = os.RemoveAll(dir) })
			must(t, os.Chmod(dir, 0o777))
			path := filepath.Join(dir, "ledger.db")
			owner := openPath(t, path)
			story := newStory(t, owner, 1)
			run := story.Night()
			if !c.logged {
				must(t, owner.Close())
			}
			beside, err := os.ReadDir(dir)
			must(t, err)
			for _, f := range beside {
				must(t, os.Chmod(filepath.Join(dir, f.Name()), c.file))
			}
			must(t, os.Chmod(dir, c.folder))
			t.Cleanup(func() { must(t, os.Chmod(dir, 0o777)) })

			withoutRights(t)
			l, err := store.Open(t.Context(), "sqlite:"+path)
			must(t, err)
			defer func() { must(t, l.Close()) }()
			if from, to, err := l.Migrate(t.Context()); err != nil || from != to {
				t.Errorf("%d to %d, %v", from, to, err)
			}
			if r, err := l.RunByID(t.Context(), run); err != nil || r.ID != run {
				t.Errorf("the run: %v", err)
			}
			sales := 0
			must(t, l.Sales(t.Context(), story.Account(), func(*ledger.Sale) error { sales++; return nil }))
			if checked, err := l.Check(t.Context()); err != nil || len(checked.Faults) > 0 || checked.Versions == 0 || sales == 0 {
				t.Errorf("%d sales, the check: %+v, %v", sales, checked, err)
			}
			var unavailable *sqldb.UnavailableError
			err = l.SetFirstDay(t.Context(), 7, 1)
			if !errors.As(err, &unavailable) || !errors.Is(err, sqldb.ErrReadOnly) || !strings.Contains(err.Error(), "may not be written") {
				t.Errorf("a write: %v", err)
			}
			now, err := os.ReadDir(dir)
			if err != nil || len(now) != len(beside) {
				t.Errorf("beside it are %v, were %v, %v", now, beside, err)
			}
		})
	}
}

// TestReadOnlyChanged: what is read where it may not be written, and is written all the same, is an error and no answer.
func TestReadOnlyChanged(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("/tmp", "shut")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	must(t, os.Chmod(dir, 0o755))
	path := filepath.Join(dir, "ledger.db")
	must(t, openPath(t, path).Close())
	must(t, os.Chmod(path, 0o444))

	withoutRights(t)
	l, err := store.Open(t.Context(), "sqlite:"+path)
	must(t, err)
	defer func() { must(t, l.Close()) }()
	if _, err := l.FirstDay(t.Context(), 7); !errors.Is(err, sqldb.ErrNotFound) {
		t.Error(err)
	}
	written := make(chan error)
	go func() { // on another thread, which has its rights
		o, err := store.Open(t.Context(), "sqlite:"+path)
		if err == nil {
			err = errors.Join(o.SetFirstDay(t.Context(), 7, 1), o.Close())
		}
		written <- err
	}()
	if err := <-written; err != nil {
		t.Skipf("nobody else can write it here: %v", err) // the test is not root
	}
	var unavailable *sqldb.UnavailableError
	if since, err := l.FirstDay(t.Context(), 7); !errors.As(err, &unavailable) || !strings.Contains(err.Error(), "ask again") {
		t.Errorf("%v, %v", since, err)
	}
}
