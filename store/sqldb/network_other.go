//go:build !linux && !darwin && !windows

package sqldb

// networkFilesystem knows nothing here.
func networkFilesystem(string) string { return "" }
