//go:build !unix

package publish

// openWithoutWaiting is nothing here: opening a file never waits.
const openWithoutWaiting = 0
