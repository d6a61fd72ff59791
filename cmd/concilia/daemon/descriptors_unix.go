//go:build unix

package daemon

import (
	"math"
	"syscall"
)

// descriptorLimit is how many files and connections the process may have open; ok is false where that is not known.
func descriptorLimit() (limit int, ok bool) {
	var r syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &r); err != nil {
		return 0, false
	}
	return int(min(uint64(r.Cur), math.MaxInt32)), true //nolint:gosec,unconvert // bounded; signed on some systems
}
