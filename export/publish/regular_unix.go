//go:build unix

package publish

import "syscall"

// openWithoutWaiting opens a pipe that nobody writes to at once, instead of waiting for a writer.
const openWithoutWaiting = syscall.O_NONBLOCK
