package publish

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"concilia/export/words"
)

// ErrTemporary marks an error of this machine's folder of temporary files.
var ErrTemporary error = words.NewFault("target_fault.temporary", "")

// temporaryPrefix begins the name of each folder among the temporary files.
const temporaryPrefix = "concilia-"

// MakeTemporary makes a folder for this user alone among the system's temporary files. The purpose is part of its name.
func MakeTemporary(purpose string) (dir string, err error) {
	if dir, err = os.MkdirTemp("", temporaryPrefix+purpose+"-"); err != nil {
		return "", fmt.Errorf("%w: %w", ErrTemporary, err)
	}
	return dir, nil
}

// IsTemporary reports whether an error is of the folder of temporary files: there is none, it is full, or it may not be written.
func IsTemporary(err error) bool {
	if errors.Is(err, ErrTemporary) {
		return true
	}
	var at *fs.PathError
	if !errors.As(err, &at) || !strings.HasPrefix(at.Path, filepath.Join(os.TempDir(), temporaryPrefix)) {
		return false
	}
	for _, why := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EIO, fs.ErrPermission} {
		if errors.Is(err, why) {
			return true
		}
	}
	return false
}
