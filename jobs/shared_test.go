package jobs_test

import (
	"flag"
	"os"
	"runtime/debug"
	"sync"
	"testing"

	"concilia/jobs/calendar"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/storetest"
)

// TestMain lets tests work in memory. Each would wait for the disk, at every commit, about as long as it works, and what
// they prove is not the disk's doing. Benchmarks keep the disk, which is part of what they measure.
func TestMain(m *testing.M) {
	flag.Parse()
	back := func() {}
	if flag.Lookup("test.bench").Value.String() == "" {
		debug.SetGCPercent(400) // tests make little and lose all of it: to collect it is a tenth of their work
		back = storetest.InMemory(1 << 30)
	}
	code := m.Run()
	back()
	os.Exit(code)
}

// freshLedger opens an empty ledger in a file of the test's own.
func freshLedger(t *testing.T) *store.Ledger {
	t.Helper()
	return openLedger(t, storetest.FreshSQLite(t))
}

// bankDays is the calendar of every account without overrides: it does not change, and is made once.
func bankDays(t testing.TB) func(ledger.Account) *calendar.Calendar {
	t.Helper()
	cal, err := plainCalendar()
	if err != nil {
		t.Fatal(err)
	}
	return func(ledger.Account) *calendar.Calendar { return cal }
}

var plainCalendar = sync.OnceValues(func() (*calendar.Calendar, error) { return calendar.New(calendar.Options{}) })
