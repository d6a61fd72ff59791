package publish

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"concilia/export/words"
	"concilia/store/machine"
)

// staleAfter is the age at which a hidden file counts as left behind by a killed process: longer than any process pauses
// between two writes, and shorter than the time between two nightly runs, so that the next run removes it.
const staleAfter = 12 * time.Hour

// Stage makes a hidden directory in the folder, which a folder that several machines see names as of this machine and process, and removes
// what killed processes left behind; see Target.
func (f *Folder) Stage(ctx context.Context) (dir string, release func(), err error) {
	if err := ctx.Err(); err != nil {
		return "", nil, err
	}
	root, err := f.openRoot()
	if err != nil {
		return "", nil, wrapTargetError("stage", "", err)
	}
	defer root.Close()
	dir, err = os.MkdirTemp(f.dir, stagingPrefix+markOwner(os.Getpid()))
	if err != nil {
		return "", nil, wrapTargetError("stage", "", err)
	}
	if info, err := root.Stat(filepath.Base(dir)); err == nil {
		// The time of the new directory is the file system's current time. A failed removal does not stop the run.
		_ = removeStale(ctx, root, info.ModTime())
	}
	return dir, func() { _ = os.RemoveAll(dir) }, nil // on an error, a later Stage removes it
}

// removeStale removes hidden files and directories that are older than staleAfter at now.
func removeStale(ctx context.Context, root *os.Root, now time.Time) error {
	return fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil || d == nil:
			return fs.SkipAll
		case err != nil: // a directory that cannot be read has no files of this program
			return fs.SkipDir
		}
		base := path.Base(name)
		part := !d.IsDir() && strings.HasPrefix(base, partPrefix)
		staging := d.IsDir() && path.Dir(name) == "." && strings.HasPrefix(base, stagingPrefix)
		if !part && !staging {
			return nil
		}
		touched, err := lastTouched(root, name)
		if err == nil && now.Sub(touched) > staleAfter || staging && hasDeadOwner(base, stagingPrefix) {
			_ = root.RemoveAll(name) // fails if another process removes it too, or if it is another user's
		}
		if staging {
			return fs.SkipDir
		}
		return nil
	})
}

// markOwner marks in the name of a staging directory which process of which machine works in it; it is empty where processes cannot be
// distinguished.
func markOwner(process int) string {
	space := machine.ProcessSpace()
	if space == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(space))
	return hex.EncodeToString(sum[:8]) + "-" + strconv.Itoa(process) + "-"
}

// hasDeadOwner reports whether the process of this machine that made a staging directory is known to have ended.
func hasDeadOwner(name, prefix string) bool {
	parts := strings.Split(strings.TrimPrefix(name, prefix), "-")
	if len(parts) != 3 {
		return false
	}
	id, err := strconv.Atoi(parts[1])
	return err == nil && strings.HasPrefix(name, prefix+markOwner(id)) && !machine.IsProcessAlive(id)
}

// stageLocally makes a staging directory for a remote target among the system's temporary files, and removes those that
// killed processes of this user left there.
func stageLocally(ctx context.Context) (dir string, release func(), err error) {
	dir, err = os.MkdirTemp("", localStagingPrefix+markOwner(os.Getpid()))
	if err != nil {
		return "", nil, words.NewFault("target_fault.step", "", "step", words.Labelled{Kind: "target_step", ID: "stage"}, "cause", fmt.Errorf("%w: %w", ErrTemporary, err))
	}
	removeStaleLocally(ctx, dir)
	return dir, func() { _ = os.RemoveAll(dir) }, nil
}

// removeStaleLocally removes the staging directories next to a new one that are older than staleAfter.
func removeStaleLocally(ctx context.Context, fresh string) {
	root, err := os.OpenRoot(filepath.Dir(fresh))
	if err != nil {
		return // a failed removal does not stop the run
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
		touched, err := lastTouched(root, name)
		if err == nil && info.ModTime().Sub(touched) > staleAfter || hasDeadOwner(name, localStagingPrefix) {
			_ = root.RemoveAll(name) // fails if another process removes it too, or if it is another user's
		}
	}
}

// lastTouched returns the latest modification time of a file or directory and everything below it.
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
