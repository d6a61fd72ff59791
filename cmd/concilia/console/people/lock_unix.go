//go:build unix && !aix && !solaris

package people

import (
	"os"
	"syscall"
)

// lockWhole waits until no other process or goroutine holds the lock of an open file. The system drops it with the file, a killed process's too.
func lockWhole(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		if err != syscall.EINTR {
			return err
		}
	}
}
