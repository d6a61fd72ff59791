package store_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/storetest"
)

func TestInbox(t *testing.T) {
	t.Parallel()
	testInbox(t, func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "ledger.db") })
}

// testInbox is the suite of an inbox; dsn gives a new empty ledger each time.
func testInbox(t *testing.T, dsn func(t *testing.T) string) {
	for _, s := range []struct {
		name string
		run  func(t *testing.T, dsn string)
	}{
		{"what is kept is pending until it is moved", inboxMoves},
		{"what comes again is a repeat, and handed over as one", inboxRepeats},
		{"what comes again while it is moved stays pending", inboxRace},
		{"many keep while another process moves", inboxCrowd},
		{"one that cannot be kept does not harm the others", inboxPoison},
		{"a closed inbox refuses", inboxClosed},
		{"an account has so much room, and has it again once a run took what waits", inboxFull},
		{"what waits is counted, and a probe leaves nothing", inboxWatched},
	} {
		t.Run(s.name, func(t *testing.T) { s.run(t, dsn(t)) })
	}
}

// minute is the time at which the n-th notification arrives.
func minute(n int) time.Time { return time.Date(2026, 11, 18, 12, n, 0, 0, time.UTC) }

func pendingEvent(movement int64, body string, at time.Time) ledger.Notification {
	sum := sha256.Sum256([]byte(body))
	return ledger.Notification{
		Account: 1001, MovementID: movement, NSU: "000123", Auth: "A1B2C3", Installment: 2, Moment: 639_000_000_000_000_000,
		Type: "status", OldValue: "Authorized", NewValue: "Paid", Body: []byte(body), BodyHash: hex.EncodeToString(sum[:]),
		ReceivedAt: at,
	}
}

func openInbox(t testing.TB, dsn string) *store.Inbox {
	t.Helper()
	b, err := store.OpenInbox(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// keep keeps one and says whether it was a repeat.
func keep(t *testing.T, b *store.Inbox, n ledger.Notification) bool {
	t.Helper()
	repeat, err := b.Keep(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	return repeat
}

// isPending holds the inbox to exactly these.
func isPending(t *testing.T, b *store.Inbox, want ...ledger.Notification) {
	t.Helper()
	got, err := b.Pending(t.Context(), 100)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("wanted (-), pending (+):\n%s", diff)
	}
}

func inboxMoves(t *testing.T, dsn string) {
	b := openInbox(t, dsn)
	first, second, other := pendingEvent(2, "a", minute(0)), pendingEvent(1, "b", minute(1)), pendingEvent(1, "c", minute(2))
	for _, n := range []ledger.Notification{first, second, other} {
		if keep(t, b, n) {
			t.Errorf("movement %d, body %s: a repeat of nothing", n.MovementID, n.Body)
		}
	}
	isPending(t, b, first, second, other)
	if got, err := b.Pending(t.Context(), 1); err != nil || len(got) != 1 || got[0].MovementID != 2 {
		t.Errorf("the oldest: %v, %v", got, err)
	}
	for range 2 { // saying it again changes nothing
		if err := b.MarkMoved(t.Context(), []ledger.Notification{first, other}); err != nil {
			t.Fatal(err)
		}
	}
	isPending(t, b, second)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	b = openInbox(t, dsn)
	isPending(t, b, second)
	if !keep(t, b, first) {
		t.Error("a moved notification was forgotten when the inbox was closed")
	}
}

func inboxRepeats(t *testing.T, dsn string) {
	b := openInbox(t, dsn)
	n, again := pendingEvent(1, "a", minute(0)), pendingEvent(1, "a", minute(2))
	keep(t, b, n)
	if !keep(t, b, pendingEvent(1, "a", minute(1))) || !keep(t, b, again) {
		t.Error("a repeat was not known as one")
	}
	isPending(t, b, n, again)
	if err := b.MarkMoved(t.Context(), []ledger.Notification{n, again}); err != nil {
		t.Fatal(err)
	}
	isPending(t, b)
	late := pendingEvent(1, "a", minute(9))
	if !keep(t, b, late) {
		t.Error("a repeat of a moved one was not known as one")
	}
	isPending(t, b, late)
}

func inboxRace(t *testing.T, dsn string) {
	b := openInbox(t, dsn)
	n, again := pendingEvent(1, "a", minute(0)), pendingEvent(1, "a", minute(1))
	keep(t, b, n)
	isPending(t, b, n)
	keep(t, b, again)
	if err := b.MarkMoved(t.Context(), []ledger.Notification{n}); err != nil {
		t.Fatal(err)
	}
	isPending(t, b, again)
}

// inboxCrowd keeps from two inboxes at once while a third moves everything into the ledger: each arrives there once.
func inboxCrowd(t *testing.T, dsn string) {
	const senders = 8
	each := storetest.Few(60, 60, 15)
	l, err := store.Open(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, _, err := l.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	boxes := []*store.Inbox{openInbox(t, dsn), openInbox(t, dsn)}
	mover := openInbox(t, dsn)
	var group sync.WaitGroup
	for s := range senders {
		group.Go(func() {
			for i := range each {
				if _, err := boxes[s%2].Keep(t.Context(), pendingEvent(int64(s*each+i+1), fmt.Sprint(s, i), minute(s))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	sent := make(chan struct{})
	go func() { group.Wait(); close(sent) }()
	moved := 0
	for ended := false; !ended; {
		select {
		case <-sent:
			ended = true
		default:
		}
		moved += moveAll(t, mover, l)
	}
	if moved != senders*each {
		t.Errorf("%d of %d arrived in the ledger", moved, senders*each)
	}
	isPending(t, mover)
}

// moveAll moves what is pending and says how many were new to the ledger.
func moveAll(t *testing.T, b *store.Inbox, l *store.Ledger) (added int) {
	t.Helper()
	for {
		got, err := b.Pending(t.Context(), 50)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) == 0 {
			return added
		}
		n, err := l.ReceiveNotifications(t.Context(), got)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.MarkMoved(t.Context(), got); err != nil {
			t.Fatal(err)
		}
		added += n
	}
}

// inboxPoison hands in, among others, one whose text no database takes.
func inboxPoison(t *testing.T, dsn string) {
	b := openInbox(t, dsn)
	bad := pendingEvent(99, "bad", minute(0))
	bad.Body = nil // the column is not null
	var group sync.WaitGroup
	for i := range 20 {
		group.Go(func() {
			if _, err := b.Keep(t.Context(), pendingEvent(int64(i+1), fmt.Sprint(i), minute(i))); err != nil {
				t.Error(err)
			}
		})
		group.Go(func() {
			if _, err := b.Keep(t.Context(), bad); err == nil {
				t.Error("kept a notification without a body")
			}
		})
	}
	group.Wait()
	if got, err := b.Pending(t.Context(), 100); err != nil || len(got) != 20 {
		t.Errorf("%d pending, %v", len(got), err)
	}
}

func inboxFull(t *testing.T, dsn string) {
	b := openInbox(t, dsn)
	b.LimitWaiting(2)
	other := pendingEvent(9, "other", minute(9))
	other.Account = 1002
	for i, n := range []ledger.Notification{pendingEvent(1, "a", minute(1)), pendingEvent(2, "b", minute(2)), other} {
		if _, err := b.Keep(t.Context(), n); err != nil {
			t.Fatalf("%d: %v", i, err)
		}
	}
	if _, err := b.Keep(t.Context(), pendingEvent(3, "c", minute(3))); !errors.Is(err, store.ErrInboxFull) {
		t.Errorf("a third of two: %v", err)
	}
	waiting, err := b.Pending(t.Context(), 10)
	if err == nil {
		err = b.MarkMoved(t.Context(), waiting)
	}
	if err != nil || len(waiting) != 3 {
		t.Fatalf("%d wait, %v", len(waiting), err)
	}
	again := openInbox(t, dsn) // counts anew, as the full one does a few seconds later
	again.LimitWaiting(2)
	if _, err := again.Keep(t.Context(), pendingEvent(3, "c", minute(3))); err != nil {
		t.Errorf("once there is room: %v", err)
	}
}

func inboxClosed(t *testing.T, dsn string) {
	b := openInbox(t, dsn)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Keep(gone, pendingEvent(1, "a", minute(0))); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("a sender who left: %v", err)
	}
	if err := errors.Join(b.Close(), b.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Keep(t.Context(), pendingEvent(1, "a", minute(0))); !errors.Is(err, store.ErrInboxClosed) {
		t.Errorf("got %v", err)
	}
}

// TestInboxFile: the inbox of a file is a file of its own, and one of a newer program is refused.
func TestInboxFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, want := range map[string]string{"concilia.db": "concilia-inbox.db", "ledger": "ledger-inbox.db", "a.b": "a.b-inbox.db"} {
		b := openInbox(t, "sqlite:"+filepath.Join(dir, name))
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(filepath.Join(dir, want)); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(filepath.Join(dir, name)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: the ledger was touched: %v", name, err)
		}
	}
	if _, err := store.OpenInbox(t.Context(), "sqlite:"+filepath.Join(dir, "no", "a.db")); err == nil {
		t.Error("an inbox in a folder that is not there")
	}
}

func inboxWatched(t *testing.T, dsn string) {
	b := openInbox(t, dsn)
	waits := func() (int64, time.Time) {
		n, oldest, err := b.Waiting(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return n, oldest
	}
	if err := b.CheckWritable(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n, oldest := waits(); n != 0 || !oldest.IsZero() {
		t.Errorf("%d wait since %s in an empty inbox", n, oldest)
	}
	for i := range 3 {
		if _, err := b.Keep(t.Context(), pendingEvent(int64(i), "{}", minute(i))); err != nil {
			t.Fatal(err)
		}
	}
	if n, oldest := waits(); n != 3 || !oldest.Equal(minute(0)) {
		t.Errorf("%d wait since %s", n, oldest)
	}
	pending, err := b.Pending(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.MarkMoved(t.Context(), pending); err != nil {
		t.Fatal(err)
	}
	if n, oldest := waits(); n != 1 || !oldest.Equal(minute(2)) {
		t.Errorf("%d wait since %s after two were moved", n, oldest)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if err := b.CheckWritable(t.Context()); err == nil {
		t.Error("a closed inbox says that it would keep something")
	}
}
