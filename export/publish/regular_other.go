//go:build !unix

package publish

// openWithoutWaiting is nothing here: opening a file waits for nobody.
const openWithoutWaiting = 0
