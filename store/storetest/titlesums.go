package storetest

import (
	"testing"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/results"
)

// addPayment adds the columns of a title's payment, of which one below zero stands in the opposite one: fee and other expenses
// in other credits, additions in discounts, the net in other credits.
func (c tally) addPayment(fee, additions, discounts, expenses, credits, net int64) {
	c["fees"] += max(fee, 0)
	c["additions"] += max(additions, 0)
	c["discounts"] += discounts + max(-additions, 0)
	c["other_expenses"] += max(expenses, 0)
	c["net"] += max(net, 0)
	c["other_credits"] += credits + max(-fee, 0) + max(-expenses, 0) + max(-net, 0)
}

// cardTitle counts the title of an installment from whose receipt so much was taken for others.
func (c *counters) cardTitle(table string, v *ledger.InstallmentVersion, e *ledger.Expectation, taken int64) {
	if e.GrossCents < 0 {
		return
	}
	t := c.of(table)
	c.line(table, v.Key().Subject())
	gross, received := e.GrossCents*100, rd(v.Received.Or(0))
	fees := rd(v.MDR.Or(0)) + rd(v.Fee.Or(0)) + rd(v.Antifraud.Or(0))
	t["face"] += gross
	t["paid"] += 0
	switch {
	case received < 0:
		t.addPayment(0, 0, 0, -received, 0, 0)
		return
	case e.Class.IsReversal():
		t.addPayment(fees, 0, 0, 0, 0, 0)
		return
	case e.Class == ledger.Received:
		cost := rd(v.Anticipation.Or(0)) + taken
		open := gross - fees - cost - received
		t["paid"] += gross
		t.addPayment(fees, 0, 0, cost+max(open, 0), max(-open, 0), received)
	default:
		t.addPayment(fees, 0, 0, 0, 0, 0)
	}
	for _, s := range v.Splits {
		if share := rd(s.Value.Or(0)); share >= 0 {
			t["shares"]++
			t["shares_value"] += share
		}
	}
}

// slipTitle counts the title of a slip, if it is one.
func (c *counters) slipTitle(s *ledger.Slip, e *ledger.SlipExpectation) {
	paid := s.PaidOn != 0 && s.PaidValue.OK
	if s.Value < 0 || paid && s.PaidValue.V < 0 {
		return
	}
	integration, status := s.Integration.Or(0), s.Status.Or(0)
	known := status == ledger.BillIssued || status == ledger.BillOverdue || status == ledger.BillPaid || status == ledger.BillFailed ||
		integration == ledger.IntegrationRejected || integration == ledger.IntegrationFailed
	if !paid && s.CancelledOn == 0 && !known {
		return
	}
	t, face := c.of("slip-titles"), rd(s.Value)
	c.line("slip-titles", s.ID)
	t["face"] += face
	if !paid {
		return
	}
	value, tariff := rd(s.PaidValue.V), rd(e.Tariff.Or(0))
	charges := rd(s.PenaltyReceived.Or(0)) + rd(s.InterestReceived.Or(0))
	rest := value - face - charges
	t["paid"] += value
	t.addPayment(tariff, charges+max(rest, 0), max(-rest, 0), 0, 0, value-tariff)
}

// titlesOfSlips: which slips are titles goes by codes that several lists show, in the order in which they were seen.
func titlesOfSlips(t *testing.T, open func(*testing.T) *store.Ledger) {
	view := func(list ledger.Source, edit func(*ledger.SlipView)) ledger.SlipView {
		v := slip(list, "a", day(3))
		v.Status = ledger.Opt[int64]{}
		if list == ledger.SlipsCredit {
			v.CreditedOn = day(3)
		}
		edit(&v)
		return v
	}
	integration := func(n int) func(*ledger.SlipView) {
		return func(v *ledger.SlipView) { v.Integration = ledger.Some(int64(n)) }
	}
	status := func(n int) func(*ledger.SlipView) {
		return func(v *ledger.SlipView) { v.Status = ledger.Some(int64(n)) }
	}
	cancelled := func(v *ledger.SlipView) { v.CancelledOn = day(2) }
	nothing := func(*ledger.SlipView) {}
	rejected := integration(ledger.IntegrationRejected)
	l, a := open(t), account
	for _, tc := range []struct {
		why   string
		views []ledger.SlipView
		want  int64
	}{
		{"no list names a status", []ledger.SlipView{view(ledger.SlipsDue, nothing)}, 0},
		{"rejected, says a list", []ledger.SlipView{view(ledger.SlipsDue, rejected)}, 1},
		{"a code that the credit list was only asked with yields to that of a list", []ledger.SlipView{
			view(ledger.SlipsDue, integration(ledger.IntegrationProcessing)), view(ledger.SlipsCredit, rejected),
		}, 0},
		{"it counts where no list has one", []ledger.SlipView{view(ledger.SlipsDue, nothing), view(ledger.SlipsCredit, rejected)}, 1},
		{"a detail, which has none, is the last to be seen", []ledger.SlipView{view(ledger.SlipsDue, rejected), view(ledger.SlipDetail, nothing)}, 1},
		{"a status of a view before the last", []ledger.SlipView{view(ledger.SlipsDue, status(ledger.BillIssued)), view(ledger.SlipsCredit, nothing)}, 1},
		{"the last status holds", []ledger.SlipView{
			view(ledger.SlipsDue, status(ledger.BillIssued)), view(ledger.SlipsCredit, status(ledger.BillProcessing)),
		}, 0},
		{"cancelled, says the credit list", []ledger.SlipView{view(ledger.SlipsCredit, cancelled), view(ledger.SlipDetail, nothing)}, 1},
		{"a detail repeats the list", []ledger.SlipView{
			view(ledger.SlipsDue, status(ledger.BillOverdue)), view(ledger.SlipDetail, status(ledger.BillIssued)),
		}, 1},
	} {
		t.Run(tc.why, func(t *testing.T) {
			a++
			n := beginOn(t, l, a)
			for _, v := range tc.views {
				n.slips(v.List, day(3), day(3), v)
			}
			n.reconcile("a", func(work *results.ReconcileTx) {
				for _, s := range n.allSlips() {
					ok(t, work.ReplaceSlipExpectation(&ledger.SlipExpectation{Account: s.Account, ID: s.ID, Version: s.Version, Class: ledger.Open, Day: s.Due}))
				}
			})
			q := november("operation")
			q.Account = a
			c := counters{q: q, tables: map[string]tally{}, lines: map[string]map[string]bool{}}
			ok(t, n.l.SlipRows(t.Context(), q, func(s *ledger.Slip, e *ledger.SlipExpectation) error {
				c.slipTitle(s, e)
				return nil
			}))
			got, err := n.l.Sums(t.Context(), q, "slip-titles", ledger.Percent)
			ok(t, err)
			if read := int64(len(c.lines["slip-titles"])); got.Rows != tc.want || read != tc.want {
				t.Errorf("SQL counts %d titles, the reader %d, want %d", got.Rows, read, tc.want)
			}
		})
	}
}
