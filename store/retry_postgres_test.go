//go:build unix

package store_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/sqldb"
	"concilia/store/storetest"
)

func TestMergedAgainPostgres(t *testing.T) {
	t.Parallel()
	mergedAgain(t, openDSN(t, storetest.FreshPostgres(t)))
}

// TestDeadlock: of two transactions that wait for each other the one that is ended starts over, and both are kept.
func TestDeadlock(t *testing.T) {
	t.Parallel()
	l := openDSN(t, storetest.FreshPostgres(t))
	var tries atomic.Int32
	var met [2]sync.Once
	ready := [2]chan struct{}{make(chan struct{}), make(chan struct{})}
	var group errgroup.Group
	for i := range 2 {
		group.Go(func() error {
			return store.Transact(t.Context(), l, func(exec func(string, ...any) error) error {
				tries.Add(1)
				if err := exec("SELECT pg_advisory_xact_lock($1)", i); err != nil {
					return err
				}
				met[i].Do(func() { close(ready[i]) })
				<-ready[1-i]
				if err := exec("SELECT pg_advisory_xact_lock($1)", 1-i); err != nil {
					return err
				}
				return exec(keepAccount, i)
			})
		})
	}
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
	if n := tries.Load(); n < 3 {
		t.Errorf("%d tries: the two did not wait for each other", n)
	}
}

// TestRestarted: a server that goes down and comes up again in the middle of merges leaves every window whole or not at all,
// and what was said to be merged is there.
func TestRestarted(t *testing.T) {
	t.Parallel()
	dsn := storetest.Postgres(t, "fsync=on")
	l := openDSN(t, storetest.Schema(t, dsn))
	if _, err := l.LeaseAccounts(t.Context(), "r", []ledger.Account{1}, time.Hour); err != nil {
		t.Fatal(err)
	}
	const perDay, after = 500, 3
	var back atomic.Bool
	under := make(chan struct{})
	kept := map[ledger.Date]bool{}
	var group errgroup.Group
	group.Go(func() error {
		left := after
		for d := ledger.NewDate(2026, 1, 1); left > 0; d++ {
			if back.Load() {
				left--
			}
			rows := make([]ledger.Installment, perDay)
			for i := range rows {
				rows[i] = ledger.Installment{Account: 1, SoldAt: ledger.LocalTimeOf(d.Time(), time.UTC), NSU: fmt.Sprint(i), Number: 1, Count: 1}
			}
			err := l.MergeInstallments(t.Context(), &ledger.Pull{
				ID: fmt.Sprint("p", d), Run: "r", Complete: true, Began: d.Time(), Ended: d.Time(), AsOf: d, On: d,
				Window: ledger.Window{Account: 1, Source: ledger.Cards, Period: ledger.Period{From: d, To: d}},
			}, rows, nil)
			var unavailable *sqldb.UnavailableError
			if err != nil && !errors.As(err, &unavailable) {
				return err
			}
			if kept[d] = err == nil; len(kept) == after {
				close(under)
			}
		}
		return nil
	})
	<-under
	storetest.RestartPostgres(t, dsn)
	back.Store(true)
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	rows := map[ledger.Date]int{}
	err := l.Sales(t.Context(), 1, func(s *ledger.Sale) error {
		rows[s.Key.Day] += len(s.Rows)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	failed := 0
	for d, ok := range kept {
		if !ok {
			failed++
		}
		if n := rows[d]; ok && n != perDay || n != 0 && n != perDay {
			t.Errorf("%s: %d rows of %d, merged: %v", d, n, perDay, ok)
		}
	}
	t.Logf("%d windows, %d of them failed", len(kept), failed)
}

// TestReadsRestarted: who asks while the server goes down and comes up again waits for his answer and never learns of it. Only a stream that
// gave rows before may break off; once the server is back, streams are whole, on connections that the restart cut, too.
func TestReadsRestarted(t *testing.T) {
	t.Parallel()
	dsn := storetest.Postgres(t)
	l := openDSN(t, storetest.Schema(t, dsn))
	mergedAgain(t, l)
	var back atomic.Bool
	sales := func(read func(func(*ledger.Sale) error) error) error {
		n, isBack := 0, back.Load()
		err := read(func(*ledger.Sale) error { n++; return nil })
		switch {
		case err == nil && n != 1:
			err = fmt.Errorf("%d sales", n)
		case !isBack && errors.As(err, new(*sqldb.UnavailableError)):
			err = nil // it broke off after a row of the sale was read: that is the caller's to begin again
		}
		return err
	}
	var group errgroup.Group
	for name, ask := range map[string]func() error{
		"a row": func() error {
			_, err := l.FirstDay(t.Context(), 1)
			if errors.Is(err, sqldb.ErrNotFound) {
				return nil
			}
			return err
		},
		"rows": func() error {
			return l.Findings(t.Context(), caselog.FindingFilter{}, func(*ledger.Finding) error { return nil })
		},
		"a stream": func() error {
			return sales(func(fn func(*ledger.Sale) error) error { return l.Sales(t.Context(), 1, fn) })
		},
		"a stream in order": func() error {
			return sales(func(fn func(*ledger.Sale) error) error { return l.SalesInScope(t.Context(), 1, nil, fn) })
		},
	} {
		group.Go(func() error {
			for last := false; !last; {
				last = back.Load()
				if err := ask(); err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
			}
			return nil
		})
	}
	away := time.Duration(0)
	for range 2 {
		began := time.Now()
		storetest.RestartPostgres(t, dsn)
		away = max(away, time.Since(began))
	}
	back.Store(true)
	err := group.Wait()
	// On a busy machine a server may be away for longer than is waited for it: then the caller gets an error.
	if isTold := away > 8*time.Second && errors.As(err, new(*sqldb.UnavailableError)); err != nil && !isTold {
		t.Errorf("the server was away for at most %s: %v", away, err)
	}
}
