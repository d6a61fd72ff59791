package world_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"concilia/cmd/sandbox/world"
)

// installmentOf identifies the installment of an event or a record.
type installmentOf struct {
	nsu, auth string
	number    int
}

// TestARecordShowsItsLastEvent holds events and records to each other at many instants.
func TestARecordShowsItsLastEvent(t *testing.T) {
	t.Parallel()
	w := draw(t, world.Options{Seed: 4, Plant: true, Days: 50, To: date(t, "2026-11-25"), AsOf: date(t, "2026-11-18")})
	start := w.AsOf().At(0).AddDate(0, 0, -60)
	for _, a := range w.Accounts() {
		last := map[installmentOf]string{}
		at := start
		for range 60 {
			next := at.Add(53*time.Hour + 17*time.Minute)
			for e := range w.Events(a.Number, at, next) {
				id := installmentOf{e.NSU, e.CodAuth, e.Number}
				if last[id] != e.Old {
					t.Errorf("%v at %s: from %q, was %q", id, e.Moment, e.Old, last[id])
				}
				last[id] = e.New
			}
			at = next
			w.SetNow(at)
			seen := 0
			for i := range w.Installments(a.Number, 1, w.AsOf()+100) {
				seen++
				if id := (installmentOf{i.NSU, i.CodAuth, i.Number}); last[id] != i.Status {
					t.Errorf("%v at %s: record %s, last event %q", id, at, i.Status, last[id])
				}
			}
			if seen != len(last) {
				t.Errorf("at %s: %d records, %d told of", at, seen, len(last))
			}
		}
	}
}

func TestEventsAreTheSameHoweverAskedFor(t *testing.T) {
	t.Parallel()
	w := draw(t, world.Options{Seed: 1, Plant: true})
	from, to := w.AsOf().At(0).AddDate(0, 0, -70), w.AsOf().At(6*3600).AddDate(0, 0, 60)
	ids := map[int64]bool{}
	changes := map[string]int{}
	for _, a := range w.Accounts() {
		whole := slices.Collect(w.Events(a.Number, from, to))
		var pieces []world.Event
		for at := from; at.Before(to); {
			next := at.Add(7*time.Hour + 13*time.Second)
			if next.After(to) {
				next = to
			}
			pieces = slices.AppendSeq(pieces, w.Events(a.Number, at, next))
			at = next
		}
		if !slices.Equal(whole, pieces) {
			t.Errorf("account %d: %d events at once, %d in pieces, or others", a.Number, len(whole), len(pieces))
		}
		last := int64(0)
		for i, e := range whole {
			if ids[e.ID] || e.ID <= last || e.ID > 1<<31-1 {
				t.Errorf("event %+v: id not unique, not growing or more than the document's int", e)
			}
			if i > 0 && e.Moment.Before(whole[i-1].Moment) {
				t.Errorf("event %+v is before the one it follows", e)
			}
			ids[e.ID], last = true, e.ID
			changes[e.Old+">"+e.New]++
		}
	}
	for _, want := range []string{">Authorized", "Authorized>Paid", "Authorized>Canceled", "Authorized>Blocked", "Blocked>Authorized", "Paid>Canceled"} {
		if changes[want] == 0 {
			t.Errorf("nothing goes %s; there are %v", want, changes)
		}
		delete(changes, want)
	}
	if len(changes) > 0 {
		t.Errorf("unexpected changes %v", changes)
	}
}

// TestEventIDsOfManyWorlds holds the ids of worlds at the edges: unique, growing within the account, and of 32 bits
// wherever the document's int can hold them.
func TestEventIDsOfManyWorlds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		why  string
		o    world.Options
		most int64
	}{
		{"the first day there is", world.Options{From: date(t, "2020-01-01"), To: date(t, "2020-01-05")}, 1<<31 - 1},
		{"the longest one the command draws", world.Options{Days: 3660, AsOf: date(t, "2040-01-01")}, 1<<31 - 1},
		{"nine accounts", world.Options{Days: 5, Accounts: accounts(9)}, 1<<31 - 1},
		{"before the first day", world.Options{From: date(t, "2019-12-31"), To: date(t, "2020-01-05")}, 1<<53 - 1},
		{"past the last", world.Options{Days: 5, AsOf: date(t, "2049-01-01")}, 1<<53 - 1},
		{"too busy for 32 bits", world.Options{Days: 3, Installments: 40_000}, 1<<53 - 1},
	} {
		w := draw(t, c.o)
		ids := map[int64]bool{}
		for _, a := range w.Accounts() {
			last := int64(0)
			for e := range w.Events(a.Number, w.AsOf().At(0).AddDate(-11, 0, 0), w.AsOf().At(0).AddDate(2, 0, 0)) {
				if ids[e.ID] || e.ID <= last || e.ID > c.most {
					t.Fatalf("%s: event %+v: id not unique, not growing or too large", c.why, e)
				}
				ids[e.ID], last = true, e.ID
			}
		}
		if narrow := c.most < 1<<32; len(ids) == 0 || narrow == (slices.Max(slices.Collect(maps.Keys(ids))) > 1<<31-1) {
			t.Errorf("%s: %d ids, not of the width they could have", c.why, len(ids))
		}
	}
}

// TestTheWorldsOfTwoDaysShareNoEventIDs has a receiver that remembers movements meet tomorrow's sandbox.
func TestTheWorldsOfTwoDaysShareNoEventIDs(t *testing.T) {
	t.Parallel()
	seen := map[int64]bool{}
	for _, day := range []string{"2026-11-18", "2026-11-19", "2026-11-20"} {
		w := draw(t, world.Options{AsOf: date(t, day)})
		for _, a := range w.Accounts() {
			for e := range w.Events(a.Number, w.AsOf().At(0).Add(-time.Second), w.AsOf().At(0).AddDate(0, 0, 1).Add(-time.Second)) {
				if seen[e.ID] {
					t.Fatalf("id %d of %s was there before", e.ID, day)
				}
				seen[e.ID] = true
			}
		}
	}
	if len(seen) == 0 {
		t.Error("nothing happened")
	}
}

func accounts(n int) []world.Account {
	var all []world.Account
	for i := range n {
		all = append(all, world.Account{Number: int64(1001 + i)})
	}
	return all
}

func TestWatchersAreCalledOnEveryMove(t *testing.T) {
	t.Parallel()
	w := draw(t, world.Options{Days: 1})
	at := w.Now()
	w.OnClockMove(func(old, now time.Time) {
		if !old.Equal(at) || !now.Equal(w.Now()) {
			t.Errorf("told of %s to %s, the clock went from %s to %s", old, now, at, w.Now())
		}
		at = now
	})
	for _, hours := range []int{1, 50, -20} {
		w.SetNow(w.Now().Add(time.Duration(hours) * time.Hour))
	}
	if !at.Equal(w.Now()) {
		t.Errorf("last told %s, the clock shows %s", at, w.Now())
	}
}
