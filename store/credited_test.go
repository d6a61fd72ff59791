//go:build unix

package store_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
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
		fell := 0
		must(t, l.Sales(t.Context(), account, func(s *ledger.Sale) error {
			for i := range s.Rows {
				if x, ok := mostCredited(s.Rows[i]); ok {
					want = append(want, fmt.Sprint(x))
					if x.Fallen {
						fell++
					}
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
		must(t, l.CreditedInstallments(t.Context(), facts.Credited{Account: account, Periods: []ledger.Period{facts.AllDays}, Splits: true}, func(x *banking.CreditedInstallment) error {
			x.Seen, x.Judged = 0, banking.CreditJudged{} // the version does not say it
			got = append(got, fmt.Sprint(*x))
			return nil
		}))
		cards := len(got)
		var paged []string
		must(t, l.CreditedInstallments(t.Context(), facts.Credited{Account: account, Periods: []ledger.Period{facts.AllDays}, Splits: true, Page: 7}, func(x *banking.CreditedInstallment) error {
			x.Seen, x.Judged = 0, banking.CreditJudged{}
			paged = append(paged, fmt.Sprint(*x))
			return nil
		}))
		if !slices.Equal(paged, got) {
			t.Errorf("page by page there are %d installments, and %d at once", len(paged), len(got))
		}
		must(t, l.CreditedSlips(t.Context(), account, facts.AllDays, func(x *banking.CreditedSlip) error {
			got = append(got, fmt.Sprint(x.ID, x.Day, x.Due, x.Paid))
			return nil
		}))
		before := day(40)
		var early, undated int64
		must(t, l.Sales(t.Context(), account, func(s *ledger.Sale) error {
			for i := range s.Rows {
				switch r := s.Rows[i].Current(); {
				case r.Received.V <= 0:
				case r.Effective == 0:
					undated++
				case r.Effective < before:
					early++
				}
			}
			return nil
		}))
		must(t, l.Slips(t.Context(), account, func(s *ledger.Slip) error {
			if s.CreditedOn != 0 && s.CreditedOn < before && s.PaidValue.OK {
				early++
			}
			return nil
		}))
		gotEarly, err := l.CountCreditedBefore(t.Context(), account, before)
		must(t, err)
		gotUndated, err := l.CountPaidUndated(t.Context(), account)
		must(t, err)
		if gotEarly != early || gotUndated != undated || early == 0 {
			t.Errorf("%s: %d are credited before %s and %d no day says; want %d and %d", name, gotEarly, before, gotUndated, early, undated)
		}
		sold := map[string]bool{}
		must(t, l.Sales(t.Context(), account, func(s *ledger.Sale) error {
			for i := range s.Rows {
				if r := s.Rows[i].Current(); r.Terminal != "" {
					sold[r.Terminal+" "+r.Status] = true
				}
			}
			return nil
		}))
		must(t, l.Terminals(t.Context(), account, facts.AllDays, func(terminal, status string) error {
			if !sold[terminal+" "+status] {
				t.Errorf("%s: nothing was sold by terminal %q in status %q", name, terminal, status)
			}
			delete(sold, terminal+" "+status)
			return nil
		}))
		if len(sold) > 0 {
			t.Errorf("%s: sales by %v are not told", name, sold)
		}
		if cards == 0 || fell == 0 {
			t.Errorf("%s: %d of cards, %d in all, %d fell", name, cards, len(got), fell)
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

// mostCredited is what the ledger says was credited of an installment: the current version, or the last one that said most where that
// is more.
func mostCredited(h ledger.InstallmentHistory) (x banking.CreditedInstallment, ok bool) {
	now := h.Current()
	paid := now
	for i := range h.Earlier() {
		v := &h[i]
		most := paid.Received.V
		if paid.Effective == 0 {
			most = 0
		}
		if v.Effective != 0 && (v.Received.V > most || v.Received.V == most && most > 0 && paid != now) {
			paid = v
		}
	}
	x = banking.CreditedInstallment{
		Account: account, Day: paid.Effective, Amount: paid.Received.V, Now: now.Received.V, NowDay: now.Effective, Fallen: paid != now,
		Brand: paid.CardName, Product: paid.CardType, Status: now.Status, ReceivedStatus: now.ReceivedStatus, Key: now.Key().Subject(),
	}
	for _, s := range paid.Splits {
		x.Splits += s.Value.V.Rounded(ledger.HalfAwayFromZero)
	}
	return x, paid.Effective != 0 && paid.Received.V != 0
}
