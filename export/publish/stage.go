package publish

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// staleAfter is how long something hidden has to lie untouched before it is taken for a dead process's: longer than any
// process leaves its files alone, and shorter than from one night to the next, so that the next one sweeps.
const staleAfter = 12 * time.Hour

// Stage makes a hidden directory in the folder, and removes what dead processes left; see Target.
func (f *Folder) Stage(ctx context.Context) (dir string, release func(), err error) {
	if err := ctx.Err(); err != nil {
		return "", nil, err
	}
	root, err := f.openRoot()
	if err != nil {
		return "", nil, wrapTargetError("stage", "", err)
	}
	defer root.Close()
	dir, err = os.MkdirTemp(f.dir, stagingPrefix)
	if err != nil {
		return "", nil, wrapTargetError("stage", "", err)
	}
	if info, err := root.Stat(filepath.Base(dir)); err == nil {
		// Just made: its time is the file system's own now. What cannot be removed does not stand in the way of a run.
		_ = removeStale(ctx, root, info.ModTime())
	}
	return dir, func() { _ = os.RemoveAll(dir) }, nil // a directory that stays is swept another day
}

// removeStale removes hidden names that nobody has touched for long before now.
func removeStale(ctx context.Context, root *os.Root, now time.Time) error {
	return fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil || d == nil:
			return fs.SkipAll
		case err != nil: // a directory that cannot be read hides nothing of ours
			return fs.SkipDir
		}
		base := path.Base(name)
		part := !d.IsDir() && strings.HasPrefix(base, partPrefix)
		staging := d.IsDir() && path.Dir(name) == "." && strings.HasPrefix(base, stagingPrefix)
		if !part && !staging {
			return nil
		}
		if touched, err := lastTouched(root, name); err == nil && now.Sub(touched) > staleAfter {
			_ = root.RemoveAll(name) // another sweeps it at the same time, or it is not ours to remove
		}
		if staging {
			return fs.SkipDir
		}
		return nil
	})
}

// stageLocally makes a staging directory for a target that has no file system of this machine, among the system's temporary
// files, and removes what dead processes of this user left there.
func stageLocally(ctx context.Context) (dir string, release func(), err error) {
	dir, err = os.MkdirTemp("", localStagingPrefix)
	if err != nil {
		return "", nil, fmt.Errorf("stage: %w: %w", errLocal, err)
	}
	removeStaleLocally(ctx, dir)
	return dir, func() { _ = os.RemoveAll(dir) }, nil
}

// removeStaleLocally removes the staging directories beside a new one that nobody has touched for long.
func removeStaleLocally(ctx context.Context, fresh string) {
	root, err := os.OpenRoot(filepath.Dir(fresh))
	if err != nil {
		return // what cannot be removed does not stand in the way of a run
	}
	defer root.Close()
	info, err := root.Stat(filepath.Base(fresh))
	names, err2 := fs.Glob(root.FS(), localStagingPrefix+"*")
	if err != nil || err2 != nil {
		return
	}
	for _, name := range names {
		at, err := root.Lstat(name)
		if err != nil || !at.IsDir() || ctx.Err() != nil {
			continue
		}
		if touched, err := lastTouched(root, name); err == nil && info.ModTime().Sub(touched) > staleAfter {
			_ = root.RemoveAll(name) // another sweeps it at the same time, or it is another user's
		}
	}
}

// lastTouched is the latest time of a name and all below it.
func lastTouched(root *os.Root, name string) (latest time.Time, err error) {
	err = fs.WalkDir(root.FS(), name, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.ModTime().After(latest) {
			latest = info.ModTime()
		}
		return err
	})
	return latest, err
}
