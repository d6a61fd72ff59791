package jobstest

import (
	"flag"
	"os"
	"sync"
	"testing"

	"concilia/jobs/calendar"
	"concilia/store/ledger"
	"concilia/store/storetest"
)

// RunTests runs the tests of a package with their files in memory and ends the process. Each test would wait for the disk, at every
// commit, about as long as it works, and none proves anything about the disk. Benchmarks keep the disk, which is part of what they measure.
func RunTests(m *testing.M) {
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

// Spare leaves a test out under the race detector: it does one thing after another, or others show the detector the same
// paths at the same time.
func Spare(t *testing.T) {
	t.Helper()
	if Raced {
		t.Skip("the race detector watches others on these paths")
	}
}

// Seeds is how many worlds there are normally, and where CONCILIA_LONG asks for more: each walks the same paths, so the race
// detector watches one.
func Seeds(normally, more uint64) uint64 {
	if Raced {
		return 1
	}
	return Long(normally, more)
}

// Long is normally the first, and the second where CONCILIA_LONG asks for more.
func Long(normally, more uint64) uint64 {
	if Raced {
		return min(normally, 4)
	}
	if os.Getenv("CONCILIA_LONG") == "1" {
		return more
	}
	return normally
}

// BankDays is the calendar of every account without overrides: it does not change, and is made once.
func BankDays(t testing.TB) func(ledger.Account) *calendar.Calendar {
	t.Helper()
	cal, err := PlainCalendar()
	if err != nil {
		t.Fatal(err)
	}
	return func(ledger.Account) *calendar.Calendar { return cal }
}

// PlainCalendar is the calendar without overrides, made once.
var PlainCalendar = sync.OnceValues(func() (*calendar.Calendar, error) { return calendar.New(calendar.Options{}) })
