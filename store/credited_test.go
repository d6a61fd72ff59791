//go:build unix

package store_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/storetest"
)

// TestCredited: what is read as credited, sums for the bank's side, is what the sales and slips say, on both databases.
func TestCredited(t *testing.T) {
	t.Parallel()
	var first []string
	for name, dsn := range map[string]string{"sqlite": storetest.FreshSQLite(t), "postgres": storetest.FreshPostgres(t)} {
		l := openDSN(t, dsn)
		story := newStory(t, l, 5)
		for range 12 {
			story.Night()
		}
		var want, got []string
		must(t, l.Sales(t.Context(), account, func(s *ledger.Sale) error {
			for i := range s.Rows {
				if r := s.Rows[i].Current(); r.Effective != 0 && r.Received.V != 0 {
					want = append(want, fmt.Sprint(r.Key().Subject(), r.Effective, r.Received.V, r.CardName, r.CardType, r.Status, r.ReceivedStat))
				}
			}
			return nil
		}))
		must(t, l.Slips(t.Context(), account, func(s *ledger.Slip) error {
			if s.CreditedOn != 0 && s.PaidValue.OK {
				want = append(want, fmt.Sprint(s.ID, s.CreditedOn, s.Due, s.PaidValue.V))
			}
			return nil
		}))
		must(t, l.CreditedInstallments(t.Context(), account, facts.AllDays, func(x *ledger.CreditedInstallment) error {
			got = append(got, fmt.Sprint(x.Key, x.Day, x.Amount, x.Brand, x.Product, x.Status, x.ReceivedStatus))
			return nil
		}))
		cards := len(got)
		must(t, l.CreditedSlips(t.Context(), account, facts.AllDays, func(x *ledger.CreditedSlip) error {
			got = append(got, fmt.Sprint(x.ID, x.Day, x.Due, x.Paid))
			return nil
		}))
		if cards == 0 {
			t.Errorf("%s: %d of cards, %d in all", name, cards, len(got))
		}
		slices.Sort(want)
		slices.Sort(got)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
		if first == nil {
			first = got
		} else if d := cmp.Diff(first, got); d != "" {
			t.Errorf("%s and the other database:\n%s", name, d)
		}
	}
}
