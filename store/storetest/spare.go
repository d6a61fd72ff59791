package storetest

import (
	"os"
	"testing"
)

// Long reports whether every test shall do all it can, however long that takes: CONCILIA_LONG=1.
func Long() bool { return os.Getenv("CONCILIA_LONG") == "1" }

// Few returns how many of the tries a test can make it makes: part, or race under the race detector, which makes
// everything ten times slower, or all of them where Long says so.
func Few(all, part, race int) int {
	switch {
	case Long():
		return all
	case raced:
		return race
	}
	return part
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
