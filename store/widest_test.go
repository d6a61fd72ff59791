package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"concilia/store"
	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/storetest"
)

// TestWidestWindow: which pull showed a version last is found among windows as wide as any may be, from their first day to
// their last, and a wider one is refused.
func TestWidestWindow(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) { t.Parallel(); widest(t, openDSN(t, "sqlite:"+t.TempDir()+"/ledger.db")) })
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		widest(t, openDSN(t, storetest.FreshPostgres(t)))
	})
}

func widest(t *testing.T, l *store.Ledger) {
	t.Helper()
	if _, err := l.LeaseAccounts(t.Context(), "r", []ledger.Account{1}, time.Hour); err != nil {
		t.Fatal(err)
	}
	first := ledger.NewDate(2026, 1, 1)
	last := first + facts.MaxWindowDays - 1
	pulls := 0
	merge := func(from, to ledger.Date, gross ledger.Amount, days ...ledger.Date) error {
		pulls++
		began := (last + 1).Time().Add(time.Duration(pulls) * time.Minute)
		var rows []ledger.Installment
		for _, d := range days {
			rows = append(rows, ledger.Installment{
				Account: 1, SoldAt: ledger.LocalTimeOf(d.Time(), time.UTC), NSU: "7", Number: 1, Count: 1, Gross: gross,
			})
		}
		return l.MergeInstallments(t.Context(), &ledger.Pull{
			ID: fmt.Sprint(pulls), Run: "r", Complete: true, Began: began, Ended: began, SHA256: fmt.Sprint(pulls), AsOf: last + 1, On: last + 1,
			Window: ledger.Window{Account: 1, Source: ledger.Cards, Period: ledger.Period{From: from, To: to}},
		}, rows, nil)
	}
	for _, err := range []error{
		merge(first, last, 1, first, last), merge(first, last, 1, first, last), // 1 and 2 show both days alike
		merge(first, first, 2, first), merge(last, last, 2, last),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	seen := 0
	err := l.Sales(t.Context(), 1, func(s *ledger.Sale) error {
		if h := s.Rows[0]; len(h) != 2 || h[0].LastPull != "2" {
			t.Errorf("%s has %d versions, the first of which pull %q showed last; want 2, and pull 2", s.Key.Day, len(h), h[0].LastPull)
		}
		seen++
		return nil
	})
	if err != nil || seen != 2 {
		t.Errorf("%d sales, %v", seen, err)
	}
	if err := merge(first, last+1, 2, first); err == nil || !strings.Contains(err.Error(), "a window of 32 days: ask for at most 31") {
		t.Errorf("a wider window: %v", err)
	}
}
