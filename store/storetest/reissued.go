package storetest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/store"
	"concilia/store/facts"
	"concilia/store/ledger"
)

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
