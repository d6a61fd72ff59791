package sqldb

import (
	"errors"
	"os"
	"syscall"
)

// Alive reports whether a process of this host is running; true if that cannot be found out.
func Alive(process int) bool {
	p, err := os.FindProcess(process)
	if err != nil {
		return false
	}
	defer func() { _ = p.Release() }()
	// Signal 0 is sent to nobody: it only asks.
	err = p.Signal(syscall.Signal(0))
	return !errors.Is(err, os.ErrProcessDone) && !errors.Is(err, syscall.ESRCH)
}
