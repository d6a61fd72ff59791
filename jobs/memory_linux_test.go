package jobs_test

import (
	"os"
	"path/filepath"
	"syscall"
)

// inMemory has temporary folders made in memory, where the system has a gigabyte for them; the function takes away
// whatever is left there. What an earlier process left that was killed goes first: a process holds the lock of its folder.
func inMemory() (back func()) {
	const shared, tmpfs, room = "/dev/shm", 0x01021994, 1 << 30
	back = func() {}
	left, _ := filepath.Glob(filepath.Join(shared, "concilia-jobs*", "lock"))
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
	dir, err := os.MkdirTemp(shared, "concilia-jobs")
	if err != nil {
		return back
	}
	lock, err := os.Create(filepath.Join(dir, "lock")) // closed by the end of the process, however it ends
	if err != nil || syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil || os.Setenv("TMPDIR", dir) != nil {
		_ = os.RemoveAll(dir)
		return back
	}
	return func() {
		_ = os.RemoveAll(dir)
		_ = lock.Close()
	}
}
