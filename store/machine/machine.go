// Package machine finds out whether a process that left something behind has ended. Host names and process numbers are not unique, because
// containers share both: a number names a process only within the PID namespace of one boot.
package machine

import (
	"errors"
	"os"
	"syscall"
)

// IsProcessAlive reports whether a process of this space is running, true if that cannot be found out.
func IsProcessAlive(id int) bool {
	p, err := os.FindProcess(id)
	if err != nil {
		return false
	}
	defer func() { _ = p.Release() }()
	// Signal 0 is not delivered: it only checks that the process exists.
	err = p.Signal(syscall.Signal(0))
	return !errors.Is(err, os.ErrProcessDone) && !errors.Is(err, syscall.ESRCH)
}
