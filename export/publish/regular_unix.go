//go:build unix

package publish

import "syscall"

// openWithoutWaiting opens a pipe without a writer at once, instead of waiting for a writer.
const openWithoutWaiting = syscall.O_NONBLOCK
