//go:build !linux && !darwin && !windows

package sqldb

// networkFilesystem has no answer on this system.
func networkFilesystem(string) string { return "" }
