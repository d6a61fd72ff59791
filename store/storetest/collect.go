package storetest

import "runtime/debug"

// CollectRarely lets what the process no longer uses stay in memory until it has grown seventeenfold, or to so many bytes, which should be
// several times what it uses at once. Tests make little and lose all of it: to collect it is a twentieth of their work.
func CollectRarely(limit int64) {
	debug.SetGCPercent(1600)
	debug.SetMemoryLimit(limit)
}
