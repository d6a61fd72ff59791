package storetest

import "runtime/debug"

// CollectRarely lets what the process no longer uses stay in memory until it has grown seventeenfold, or to a gigabyte. Tests make
// little and lose all of it: to collect it is a twentieth of their work.
func CollectRarely() {
	debug.SetGCPercent(1600)
	debug.SetMemoryLimit(1 << 30)
}
