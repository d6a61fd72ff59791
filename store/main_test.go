package store_test

import (
	"flag"
	"os"
	"testing"

	"concilia/store/storetest"
)

// TestMain lets tests work in memory. Benchmarks keep the disk, which is part of what they measure.
func TestMain(m *testing.M) {
	flag.Parse()
	back := func() {}
	if flag.Lookup("test.bench").Value.String() == "" {
		storetest.CollectRarely(1 << 30)
		back = storetest.InMemory(1 << 30)
	}
	code := m.Run()
	back()
	os.Exit(code)
}
