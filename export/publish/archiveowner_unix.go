//go:build unix

package publish

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"concilia/export/words"
)

// checkLinkOwner fails for a link that another user made, who can let it lead elsewhere; the administrator's is as good as ours.
func checkLinkOwner(dir string, info fs.FileInfo) error {
	if at, ok := info.Sys().(*syscall.Stat_t); ok && int(at.Uid) != os.Geteuid() && at.Uid != 0 {
		return words.NewFault("target_fault.foreign_link", "", "dir", dir, "user", at.Uid, "cause", ErrNotPrivate)
	}
	return nil
}

// checkOwner fails for a folder that is not this user's, or that others may enter.
func checkOwner(dir string, info fs.FileInfo) error {
	if at, ok := info.Sys().(*syscall.Stat_t); ok && int(at.Uid) != os.Geteuid() {
		return words.NewFault("target_fault.foreign_folder", "", "dir", dir, "user", at.Uid, "cause", ErrNotPrivate)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return words.NewFault("target_fault.open_folder", "", "dir", dir, "mode", fmt.Sprintf("%04o", mode), "cause", ErrNotPrivate)
	}
	return nil
}
