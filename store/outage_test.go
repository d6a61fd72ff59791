package store_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"zombiezen.com/go/sqlite"

	"concilia/store"
	"concilia/store/sqldb"
)

// TestRetryOnOutage: work that the ledger interrupted is begun again a few times, unless the ledger is unavailable for too long
// without a break. Work that failed for another reason is not, and after a wait of the whole limit nothing waits again.
func TestRetryOnOutage(t *testing.T) {
	t.Parallel()
	l, err := store.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	away := &sqldb.UnavailableError{Err: sqlite.ResultBusy.ToError()}
	full := &sqldb.UnavailableError{Err: sqlite.ResultFull.ToError()}
	for _, row := range []struct {
		because string
		err     error
		takes   time.Duration // each time
		fails   int           // times; then it goes well
		nested  bool
		cancel  bool // while it waits
		tries   int
		ends    error
	}{
		{because: "it goes well", tries: 1},
		{because: "it goes well at last", err: away, fails: 4, tries: 5},
		{because: "it never does", err: away, fails: 99, tries: 5, ends: away},
		{because: "it never does, and within something that is steady, too", err: away, fails: 99, nested: true, tries: 5, ends: away},
		{because: "a disk that is full stays full", err: full, fails: 99, tries: 1, ends: full},
		{because: "an error of its own", err: errors.ErrUnsupported, fails: 99, tries: 1, ends: errors.ErrUnsupported},
		{because: "each time waits for half a minute in vain", err: away, takes: 30 * time.Second, fails: 99, tries: 3, ends: away},
		{because: "it went well for an hour before each time", err: away, takes: time.Hour, fails: 4, tries: 5},
		{because: "told to end while it waits", err: away, fails: 99, cancel: true, tries: 1, ends: away},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			tries := 0
			do := func() error {
				time.Sleep(row.takes)
				if tries++; tries > row.fails {
					return nil
				}
				if row.cancel {
					time.AfterFunc(time.Millisecond, cancel)
				}
				return row.err
			}
			if row.nested {
				inner := do
				do = func() error { return l.RetryOnOutage(ctx, time.Now, nil, inner) }
			}
			if err := l.RetryOnOutage(ctx, time.Now, nil, do); !errors.Is(err, row.ends) || tries != row.tries {
				t.Errorf("%s: %v after %d times, want %v after %d", row.because, err, tries, row.ends, row.tries)
			}
		})
	}
}
