//go:build unix

package publish

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// checkLinkOwner fails for a link that another user made, who can let it lead elsewhere; the administrator's is as good as ours.
func checkLinkOwner(dir string, info fs.FileInfo) error {
	if at, ok := info.Sys().(*syscall.Stat_t); ok && int(at.Uid) != os.Geteuid() && at.Uid != 0 {
		return fmt.Errorf("the link %s belongs to user %d, should belong to the one that runs this: %w", dir, at.Uid, ErrNotPrivate)
	}
	return nil
}

// checkOwner fails for a folder that is not this user's, or that others may enter.
func checkOwner(dir string, info fs.FileInfo) error {
	if at, ok := info.Sys().(*syscall.Stat_t); ok && int(at.Uid) != os.Geteuid() {
		return fmt.Errorf("the folder %s belongs to user %d, should belong to the one that runs this: %w", dir, at.Uid, ErrNotPrivate)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return fmt.Errorf("the folder %s is open to other users (%04o), should be 0700: %w", dir, mode, ErrNotPrivate)
	}
	return nil
}
