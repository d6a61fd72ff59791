//go:build unix && !aix && !solaris

package service

import (
	"os"
	"syscall"
)

// lockFile waits for the lock of a file and returns what gives it back. The system drops it with the
// process, so a crash leaves none behind; the empty file stays.
func lockFile(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		if err != syscall.EINTR { //nolint:errorlint // a system call's own number, never wrapped
			break
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}
