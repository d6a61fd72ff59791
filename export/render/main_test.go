package render_test

import (
	"runtime/debug"
	"testing"
)

// TestMain lets what the tests no longer use stay in memory until a gigabyte is full: to collect it is a sixth of their work.
func TestMain(m *testing.M) {
	debug.SetGCPercent(1600)
	debug.SetMemoryLimit(1 << 30)
	m.Run()
}
