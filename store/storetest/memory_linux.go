package storetest

import (
	"os"
	"path/filepath"
	"syscall"
)

// InMemory has the temporary folders of the process, and of those that it starts, made in memory, where the system has
// room for so many bytes; the function takes away whatever is left there. What an earlier process left that was killed goes
// first: a process holds the lock of its folder. Folders that TMPDIR names stay where they are.
//
// A test waits for the disk at every commit about as long as it works, and few tests prove something about the disk.
func InMemory(room uint64) (back func()) {
	const shared, tmpfs, prefix = "/dev/shm", 0x01021994, "concilia-tests"
	back = func() {}
	if os.Getenv("TMPDIR") != "" {
		return back
	}
	left, _ := filepath.Glob(filepath.Join(shared, prefix+"*", "lock"))
	for _, name := range left {
		if lock, err := os.OpenFile(name, os.O_RDWR, 0); err == nil {
			if syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
				_ = os.RemoveAll(filepath.Dir(name))
			}
			_ = lock.Close()
		}
	}
	var fs syscall.Statfs_t
	if err := syscall.Statfs(shared, &fs); err != nil || fs.Type != tmpfs || fs.Bavail*uint64(fs.Bsize) < room {
		return back
	}
	dir, err := os.MkdirTemp(shared, prefix)
	if err != nil {
		return back
	}
	lock, err := os.Create(filepath.Join(dir, "lock")) // closed by the end of the process, however it ends
	if err != nil || syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil ||
		os.Chmod(dir, os.ModeSticky|0o777) != nil || os.Setenv("TMPDIR", dir) != nil { // as /tmp: some tests are another user
		_ = os.RemoveAll(dir)
		return back
	}
	return func() {
		_ = os.RemoveAll(dir)
		_ = lock.Close()
	}
}
