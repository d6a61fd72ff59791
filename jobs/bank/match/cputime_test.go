//go:build unix

package match_test

import (
	"syscall"
	"testing"
	"time"
)

// processorTime is what the process used of the processors: other than the clock it does not tell of others on the machine.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
