package storetest

import (
	"testing"

	"concilia/store"
	"concilia/store/ledger"
)

// subjects checks what there is to show about one subject.
func subjects(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	a, b := row(day(1), "7", 1, 2), row(day(1), "7", 2, 2)
	n.merge(day(1), day(1), a, b, row(day(1), "8", 1, 1))
	n.merge(day(1), day(1), received(a, 90*ledger.Real), b, row(day(1), "8", 1, 1))
	versions := func(number int) []ledger.InstallmentVersion {
		all, err := n.l.SaleVersions(t.Context(), a.SaleKey(), number)
		ok(t, err)
		return all
	}
	equal(t, "versions of the sale", len(versions(0)), 3)
	equal(t, "versions of the installment", len(versions(1)), 2)
	equal(t, "the second", versions(1)[1].Received, ledger.Some(90*ledger.Real))
	equal(t, "the pull that brought it", versions(1)[1].FirstPull, "pull-0002")
	equal(t, "the splits in it", len(versions(1)[1].Splits), 1)

	v := ledger.SlipView{ID: "b1", List: ledger.SlipsDue, Value: 5 * ledger.Real, Due: day(3)}
	n.slips(ledger.SlipsDue, day(3), day(3), v)
	v.Status = ledger.Some[int64](ledger.BillOverdue)
	n.slips(ledger.SlipsDue, day(3), day(3), v)
	slips, err := n.l.SlipVersions(t.Context(), account, "b1")
	ok(t, err)
	equal(t, "versions of the slip", len(slips), 2)
	equal(t, "its status at last", slips[1].Status, ledger.Some[int64](ledger.BillOverdue))

	pulls, err := n.l.PullsByID(t.Context(), account, []string{"pull-0002", "no such"})
	ok(t, err)
	equal(t, "pulls by id", len(pulls), 1)
	equal(t, "window", pulls["pull-0002"].Window.Period.From, day(1))
	of, err := n.l.PullsOfDay(t.Context(), account, ledger.SlipsDue, day(3))
	ok(t, err)
	equal(t, "pulls of a day", len(of), 2)
	kept, err := n.l.HasBody(t.Context(), "no such")
	ok(t, err)
	equal(t, "a body nobody kept", kept, false)
}
