package storetest

import (
	"os"
	"testing"

	"pgregory.net/rapid"
)

// long says that every test shall do all it can, however long that takes: CONCILIA_LONG=1.
func long() bool { return os.Getenv("CONCILIA_LONG") == "1" }

// Few is what a test does of something that it could do all of: a part, less under the race detector, which makes
// everything ten times slower and has seen a path after a few times, or all of it where long says so.
func Few(all, part, race int) int {
	switch {
	case long():
		return all
	case raced:
		return race
	}
	return part
}

// property holds what fn says on random tries, others each time: a quarter of rapid's hundred, all of them where long
// says so. A try that failed is made smaller by as many more as that takes.
func property(t *testing.T, fn func(r *rapid.T)) {
	t.Helper()
	passed, failed := 0, false
	rapid.Check(t, func(r *rapid.T) {
		if passed >= Few(100, 25, 5) && !failed {
			return
		}
		defer func() { failed = failed || r.Failed() }()
		fn(r)
		passed++
	})
}
