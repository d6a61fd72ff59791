package store_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/sales"
)

// serviceSlips: what stores are held against of slips: as the lists show them together, and of which days all are known.
func serviceSlips(t *testing.T, open func(*testing.T) *store.Ledger) {
	t.Run("the lists together tell a slip; its number when it is credited", func(t *testing.T) {
		n := begin(t, open(t))
		credited := paid(slip(ledger.SlipsCredit, "ab", day(5)), day(5))
		credited.CreditedOn, credited.OurNumber, credited.ReferenceCode = day(6), "00017", "F-1"
		cancelled := credited
		cancelled.ID, cancelled.CancelledOn = "cd", day(3)
		failed := slip(ledger.SlipsDue, "ef", day(5))
		failed.Status = ledger.Some(int64(ledger.BillFailed))
		later := slip(ledger.SlipsDue, "gh", day(5))
		later.Issued = day(9)
		n.slips(ledger.SlipsCredit, day(6), day(6), credited, cancelled)
		n.slips(ledger.SlipsDue, day(5), day(5), slip(ledger.SlipsDue, "ab", day(5)), slip(ledger.SlipsDue, "cd", day(5)), failed, slip(ledger.SlipsDue, "aa", day(5)), later)
		var got []string
		ok(t, n.l.ServiceSlips(t.Context(), n.account, ledger.Period{From: day(1), To: day(8)}, func(s *sales.ServiceSlip) error {
			got = append(got, fmt.Sprint(s.ID, " ", s.Issued, " ", s.Value, " ", s.OurNumber, " ", s.Reference, " live ", s.Live, " told ", s.Told))
			return nil
		}))
		want := []string{
			"aa 2026-11-01 150.00   live true told false", "ab 2026-11-01 150.00 00017 F-1 live true told true",
			"cd 2026-11-01 150.00 00017 F-1 live false told true", "ef 2026-11-01 150.00   live false told false",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("a day's slips are known when 60 due dates were read after it", func(t *testing.T) {
		n := begin(t, open(t)) // as of the 20th
		ask := func(from, to ledger.Date) {
			for ; from <= to; from += 31 {
				n.slips(ledger.SlipsDue, from, min(from+30, to))
			}
		}
		ask(day(10), day(20)+59)
		known := func() (out []ledger.Date) {
			days, err := n.l.SlipDays(t.Context(), n.account)
			ok(t, err)
			for d := day(1); d <= day(40); d++ {
				if days[d] {
					out = append(out, d)
				}
			}
			return out
		}
		want := []ledger.Date{day(10), day(11), day(12), day(13), day(14), day(15), day(16), day(17), day(18), day(19)}
		equal(t, "known on the 20th", fmt.Sprint(known()), fmt.Sprint(want))
		n.asOf = day(21)
		ask(day(15), day(21)+59)
		equal(t, "the 20th is not over when it is read", fmt.Sprint(known()), fmt.Sprint(append(want, day(20))))
	})
}
