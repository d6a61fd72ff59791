package people

import (
	"os"

	"golang.org/x/sys/windows"
)

// lockWhole waits until no other process or goroutine holds the lock of an open file. The system drops it with the file, a killed process's too.
func lockWhole(f *os.File) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, new(windows.Overlapped))
}
