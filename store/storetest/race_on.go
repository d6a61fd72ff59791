//go:build race

package storetest

// raced: the race detector watches.
const raced = true
