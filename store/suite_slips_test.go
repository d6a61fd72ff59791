package store_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/store"
	"concilia/store/facts"
	"concilia/store/ledger"
)

func slip(list ledger.Source, id string, due ledger.Date) ledger.SlipView {
	return ledger.SlipView{
		Account: account, ID: id, List: list, Value: 150 * ledger.Real, Issued: day(1), Due: due,
		PayerDocument: "12345678909", PayerName: "Ana", BarCode: "1", Status: ledger.Some(int64(ledger.BillIssued)),
	}
}

// paid is the slip as the list shows it once it was paid.
func paid(v ledger.SlipView, on ledger.Date) ledger.SlipView {
	v.PaidOn, v.PaidValue, v.Status = on, ledger.Some(v.Value), ledger.Some(int64(ledger.BillPaid))
	return v
}

func (n *night) allSlips() []ledger.Slip {
	n.t.Helper()
	var out []ledger.Slip
	ok(n.t, n.l.Slips(n.t.Context(), n.account, func(s *ledger.Slip) error {
		out = append(out, *s)
		return nil
	}))
	return out
}

func mergeSlips(t *testing.T, open func(*testing.T) *store.Ledger) {
	t.Run("a view comes back as it was sent, and the same again changes nothing", func(t *testing.T) {
		n := begin(t, open(t))
		v := slip(ledger.SlipsCredit, "ab", day(5))
		v = paid(v, day(5))
		v.CreditedOn, v.LateAllowed, v.LateLimit = day(6), ledger.Some(false), day(9)
		v.Penalty, v.PenaltyReceived = ledger.Some(ledger.Amount(1)), ledger.Some(ledger.Amount(0))
		v.Interest, v.CancelledOn, v.CancelReason = ledger.Some(ledger.Amount(-2)), day(7), "x"
		v.OurNumber, v.ReferenceCode, v.Integration = "00017", "R", ledger.Some(int64(2))
		equal(t, "first", counts(n.slips(ledger.SlipsCredit, day(6), day(6), v)), count{new: 1})
		equal(t, "again", counts(n.slips(ledger.SlipsCredit, day(6), day(6), v)), count{same: 1})
		s := n.allSlips()
		equal(t, "slips", len(s), 1)
		if d := cmp.Diff(v, s[0].SlipView); d != "" {
			t.Error(d)
		}
		last := s[0].View(ledger.SlipsCredit)
		equal(t, "seen by", last.FirstPull+" "+last.LastPull+" "+last.LastRun, "pull-0001 pull-0002 run-1")
		equal(t, "seen at", last.SeenAt, n.asOf.Time().Add(2*3600e9))
		equal(t, "dates", [2]ledger.Date{last.FirstSeen, last.LastChanged}, [2]ledger.Date{day(20), day(20)})
	})
	t.Run("the view seen last holds, and each list has its versions", func(t *testing.T) {
		n := begin(t, open(t))
		due := slip(ledger.SlipsDue, "ab", day(5))
		n.slips(ledger.SlipsDue, day(5), day(5), due)
		pay := paid(slip(ledger.SlipsPayment, "ab", day(5)), day(4))
		n.slips(ledger.SlipsPayment, day(4), day(4), pay)
		s := n.allSlips()[0]
		equal(t, "paid on", s.PaidOn, day(4))
		equal(t, "versions", s.Version, 2)
		n.slips(ledger.SlipsDue, day(5), day(5), due)
		s = n.allSlips()[0]
		equal(t, "the due list was asked last", s.PaidOn, 0)
		equal(t, "changed", counts(n.slips(ledger.SlipsDue, day(5), day(5), paid(due, day(4)))), count{changed: 1})
		s = n.allSlips()[0]
		equal(t, "versions", s.Version, 3)
		equal(t, "earlier", len(s.Earlier), 1)
	})
	t.Run("a slip whose date moved is not vanished, whichever day is asked first", func(t *testing.T) {
		for _, order := range [][]int{{5, 9}, {9, 5}} {
			n := begin(t, open(t))
			n.slips(ledger.SlipsDue, day(5), day(5), slip(ledger.SlipsDue, "ab", day(5)))
			for _, d := range order {
				if d == 9 {
					n.slips(ledger.SlipsDue, day(9), day(9), slip(ledger.SlipsDue, "ab", day(9)))
				} else {
					n.slips(ledger.SlipsDue, day(5), day(5))
				}
			}
			s := n.allSlips()
			equal(t, "slips", len(s), 1)
			equal(t, "due", s[0].Due, day(9))
			equal(t, "versions", s[0].Version, 2)
			equal(t, "vanished", s[0].Earlier[0].Vanished, false)
		}
	})
	t.Run("what a list shows no more is vanished from it", func(t *testing.T) {
		n := begin(t, open(t))
		n.slips(ledger.SlipsDue, day(5), day(5), slip(ledger.SlipsDue, "ab", day(5)), slip(ledger.SlipsDue, "cd", day(5)))
		n.slips(ledger.SlipsPayment, day(4), day(4), paid(slip(ledger.SlipsPayment, "ab", day(5)), day(4)))
		equal(t, "counts", counts(n.slips(ledger.SlipsDue, day(5), day(5))), count{vanished: 2})
		s := n.allSlips()
		equal(t, "slips some list still shows", len(s), 1)
		equal(t, "views", len(s[0].Views), 1)
		equal(t, "vanished", s[0].Earlier[0].Vanished, true)
	})
	t.Run("a detail counts at its own instant and proves nothing else", func(t *testing.T) {
		n := begin(t, open(t))
		n.slips(ledger.SlipsDue, day(5), day(5), slip(ledger.SlipsDue, "ab", day(5)), slip(ledger.SlipsDue, "cd", day(5)))
		detail := paid(slip(ledger.SlipDetail, "ab", day(5)), day(4))
		equal(t, "new", counts(n.slips(ledger.SlipDetail, 0, 0, detail)), count{new: 1})
		equal(t, "paid on", n.allSlips()[0].PaidOn, day(4))
		n.slips(ledger.SlipsDue, day(5), day(5), slip(ledger.SlipsDue, "ab", day(5)), slip(ledger.SlipsDue, "cd", day(5)))
		equal(t, "the list was asked later", n.allSlips()[0].PaidOn, 0)
		equal(t, "same", counts(n.slips(ledger.SlipDetail, 0, 0, detail)), count{same: 1})
		equal(t, "paid on", n.allSlips()[0].PaidOn, day(4))
	})
	t.Run("a slip that stands twice in one answer stays as it is the next time", func(t *testing.T) {
		n := begin(t, open(t))
		v := slip(ledger.SlipsDue, "ab", day(5))
		other := v
		other.PayerName = "Bia"
		n.slips(ledger.SlipsDue, day(5), day(5), v, other)
		equal(t, "again", counts(n.slips(ledger.SlipsDue, day(5), day(5), v, other)), count{same: 2})
	})
}

// reissued: slips that share a reference code are found, as they stand now, whichever list tells of their registration.
func reissued(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	coded := func(id, reference string, issued ledger.Date) ledger.SlipView {
		v := paid(slip(ledger.SlipsCredit, id, day(5)), day(5))
		v.ReferenceCode, v.Issued, v.CreditedOn = reference, issued, day(6)
		return v
	}
	listed := slip(ledger.SlipsDue, "b", day(5))
	listed.Issued, listed.Integration = day(2), ledger.Some[int64](ledger.IntegrationIssued)
	n.slips(ledger.SlipsDue, day(5), day(5), listed)
	b := coded("b", "R", day(2))
	b.Integration = listed.Integration
	n.slips(ledger.SlipsCredit, day(6), day(6), coded("a", "R", day(1)), b, coded("c", "alone", day(1)), coded("d", "", day(1)), coded("e", "", day(1)))
	found := func() []facts.ReissuedSlip {
		all, err := n.l.ReissuedSlips(t.Context(), account)
		ok(t, err)
		return all
	}
	want := []facts.ReissuedSlip{{ID: "a", Reference: "R", Issued: day(1)}, {ID: "b", Reference: "R", Issued: day(2), Registered: true}}
	if d := cmp.Diff(want, found()); d != "" {
		t.Error(d)
	}
	n.slips(ledger.SlipsCredit, day(6), day(6), b)
	if got := found(); len(got) > 0 {
		t.Errorf("one of them is gone, and still %v share a code", got)
	}
}
