package storetest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"concilia/store"
)

// rates: callers of several holders of one credential's pace get their turns one after another, never closer together
// than the pace says. On SQLite there is none to share.
func rates(t *testing.T, open func(t *testing.T) *store.Ledger) {
	l := open(t)
	const every, callers, each = 5 * time.Millisecond, 4, 5
	var wait sync.WaitGroup
	began, turns := time.Now(), 0
	for range 2 { // two processes, as far as the ledger can tell
		r, err := l.RateLimiter("credential", every)
		ok(t, err)
		if r == nil {
			return
		}
		for range callers {
			turns += each
			wait.Go(func() {
				for range each {
					if err := r.Wait(t.Context()); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	wait.Wait()
	if took, least := time.Since(began), time.Duration(turns-1)*every; took < least {
		t.Errorf("%d turns took %s: at one in %s they need %s", turns, took, every, least)
	}

	// Another credential has a pace of its own, and who gives up waits no longer.
	other, err := l.RateLimiter("other", time.Hour)
	ok(t, err)
	ok(t, other.Wait(t.Context()))
	tired := errors.New("tired")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(20*time.Millisecond, func() { cancel(tired) })
	if err := other.Wait(ctx); !errors.Is(err, tired) && !errors.Is(err, context.Canceled) {
		t.Errorf("the second turn of an hour: %v", err)
	}
	for _, bad := range []struct {
		credential string
		every      time.Duration
	}{{"", every}, {"credential", 0}} {
		if _, err := l.RateLimiter(bad.credential, bad.every); err == nil {
			t.Errorf("a pace of %q and %s was taken", bad.credential, bad.every)
		}
	}
}
