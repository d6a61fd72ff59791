package store_test

import (
	"testing"

	"pgregory.net/rapid"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/results"
)

// sumsOfSlips: the same of slips, whose current view SQL finds by itself.
func sumsOfSlips(t *testing.T, open func(*testing.T) *store.Ledger) {
	l, try := open(t), account
	property(t, func(r *rapid.T) {
		try++
		n := beginOn(t, l, try)
		for range rapid.IntRange(1, 8).Draw(r, "windows") {
			drawSlipWindow(r, n)
		}
		n.reconcile("a", func(work *results.ReconcileTx) {
			for _, s := range n.allSlips() {
				e := drawSlipBelief(r, &s)
				ok(t, work.ReplaceSlipExpectation(&e))
			}
		})
		q := november(rapid.SampledFrom([]string{"operation", "forecast", "payment", "credit"}).Draw(r, "basis"))
		q.Account, q.Period.To = try, day(rapid.IntRange(1, 30).Draw(r, "to"))
		c := counters{q: q, unit: ledger.Percent, tables: map[string]tally{}, lines: map[string]map[string]bool{}}
		ok(t, n.l.SlipRows(t.Context(), q, func(s *ledger.Slip, e *ledger.SlipExpectation) error {
			c.slip(s, e)
			c.slipSummary(s, e, n.asOf)
			c.slipTitle(s, e)
			return nil
		}))
		c.compare(r, n, "slips")
		c.compare(r, n, "slips-summary")
		c.compare(r, n, "slip-titles")
	})
}

func drawSlipWindow(r *rapid.T, n *night) {
	lists := append(ledger.SlipLists(), ledger.SlipDetail)
	list := rapid.SampledFrom(lists).Draw(r, "list")
	from := day(rapid.IntRange(1, 4).Draw(r, "from"))
	views := rapid.SliceOfNDistinct(rapid.Custom(func(r *rapid.T) ledger.SlipView {
		v := slip(list, rapid.SampledFrom([]string{"a", "b", "c"}).Draw(r, "id"), day(rapid.IntRange(1, 5).Draw(r, "due")))
		v.Value += ledger.Amount(rapid.SampledFrom([]int64{0, 49, 50, -99_000_000}).Draw(r, "value"))
		if rapid.Bool().Draw(r, "paid") {
			v = paid(v, day(rapid.IntRange(1, 5).Draw(r, "paid on")))
		}
		v.Status = drawCode(r, "status", ledger.BillProcessing, ledger.BillIssued, ledger.BillPaid, ledger.BillOverdue, ledger.BillFailed)
		if list != ledger.SlipDetail {
			v.Integration = drawCode(r, "integration", ledger.IntegrationProcessing, ledger.IntegrationRejected, ledger.IntegrationFailed)
		}
		if list == ledger.SlipsCredit {
			v.CancelledOn = rapid.SampledFrom([]ledger.Date{0, 0, day(2), day(4)}).Draw(r, "cancelled on")
			v.CreditedOn = day(rapid.IntRange(1, 5).Draw(r, "credited on"))
			v.PenaltyReceived = ledger.Some(ledger.Amount(rapid.SampledFrom([]int64{0, 150, -50}).Draw(r, "penalty")))
		}
		return v
	}), 0, 3, func(v ledger.SlipView) string { return v.ID }).Draw(r, "views")
	n.slips(list, from, from+1, views...)
}

// drawCode is one of the codes, or none.
func drawCode(r *rapid.T, name string, codes ...int) ledger.Opt[int64] {
	code := rapid.SampledFrom(append([]int{0}, codes...)).Draw(r, name)
	return ledger.Opt[int64]{V: int64(code), OK: code != 0}
}

func drawSlipBelief(r *rapid.T, s *ledger.Slip) ledger.SlipExpectation {
	classes := []ledger.Class{ledger.Open, ledger.Paid, ledger.Cancelled, ledger.Failed}
	rests := []ledger.BridgeLine{ledger.LinePaid, ledger.LineCreditNotDue, ledger.LineCreditOverdue, ledger.LineUnpaidPastDue}
	e := ledger.SlipExpectation{
		Account: s.Account, ID: s.ID, Version: s.Version, Class: rapid.SampledFrom(classes).Draw(r, "class"), Day: s.Due,
		DueAdjusted: day(rapid.IntRange(18, 22).Draw(r, "adjusted")), Face: s.Value + 50,
		PenaltyDue: ledger.Some(ledger.Amount(49)), InterestDue: ledger.Some(ledger.Amount(-50)), DaysLate: ledger.Some(int64(2)),
		FloatDays: ledger.Some(int64(1)), Tariff: ledger.Some(ledger.Amount(rapid.SampledFrom([]int64{25_050, 99_000_000, -150, 0}).Draw(r, "tariff"))), NetCredited: ledger.Some(s.Value - 1),
		Rest: rapid.SampledFrom(rests).Draw(r, "rest"), Impact: ledger.Some(ledger.Amount(-51)),
	}
	if rapid.Bool().Draw(r, "charges not shown") {
		e.Brackets = []ledger.Bracket{{Line: ledger.LineLateNotShown, Amount: e.Face - s.PaidValue.Or(0)}}
	}
	return e
}

func (c *counters) slip(s *ledger.Slip, e *ledger.SlipExpectation) {
	t := c.of("slips")
	c.line("slips", s.ID)
	for id, a := range map[string]ledger.Opt[ledger.Amount]{
		"value": ledger.Some(s.Value), "paid_value": s.PaidValue, "penalty_due": e.PenaltyDue, "penalty_received": s.PenaltyReceived,
		"interest_due": e.InterestDue, "interest_received": s.InterestReceived, "tariff": e.Tariff,
		"net_credited": e.NetCredited, "impact": e.Impact,
	} {
		t.money(id, a)
	}
	t["days_late"] += e.DaysLate.Or(0)
	t["float_days"] += e.FloatDays.Or(0)
}

func (c *counters) slipSummary(s *ledger.Slip, e *ledger.SlipExpectation, asOf ledger.Date) {
	t := c.of("slips-summary")
	base := map[string]ledger.Date{"operation": s.Issued, "forecast": s.Due, "payment": s.PaidOn, "credit": s.CreditedOn}[c.q.Basis]
	c.line("slips-summary", base.String())
	face, paid := rd(s.Value), rd(s.PaidValue.Or(0))
	t["issued_qty"]++
	t["issued"] += face
	t.money("tariff", e.Tariff)
	count := func(id string, v int64) {
		t[id+"_qty"]++
		t[id] += v
	}
	switch {
	case e.Class == ledger.Open && e.DueAdjusted < asOf:
		count("overdue", face)
	case e.Class == ledger.Paid:
		count("paid", paid)
		if len(e.Brackets) > 0 {
			t["charges_to_confirm"] += paid - face
		} else {
			t["difference"] += rd(e.Face) - paid
			t["short"] += max(rd(e.Face)-paid, 0)
			t["over"] += max(paid-rd(e.Face), 0)
		}
		switch {
		case s.CreditedOn != 0:
			count("credited", paid)
		case e.Rest == ledger.LineCreditOverdue:
			t["credit_overdue"] += paid
		default:
			t["not_credited"] += paid
		}
	default:
		count(string(e.Class), face)
	}
}

// addPayment adds the columns of a title's payment, of which one below zero is in the opposite one: fee and other expenses
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
