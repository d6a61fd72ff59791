//go:build !unix

package daemon

// descriptorLimit is unknown here.
func descriptorLimit() (limit int, ok bool) { return 0, false }
