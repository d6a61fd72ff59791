//go:build !unix

package main

// descriptorLimit is unknown here.
func descriptorLimit() (limit int, ok bool) { return 0, false }
