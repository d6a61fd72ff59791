package storetest

import (
	"fmt"
	"testing"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/results"
)

// turns: since when an installment is cancelled, charged back or taken back, whatever changed of it afterwards, and as
// of every run.
func turns(t *testing.T, open func(*testing.T) *store.Ledger) {
	type seen struct {
		change func(*ledger.Installment)
		class  ledger.Class
		judged bool
	}
	to := func(status string) func(*ledger.Installment) {
		return func(i *ledger.Installment) { i.Status = status }
	}
	takenBack := func(amount ledger.Amount) func(*ledger.Installment) {
		return func(i *ledger.Installment) { i.Received = ledger.Some(amount) }
	}
	other := func(i *ledger.Installment) { i.Reference += "x" }
	for _, tc := range []struct {
		why    string
		nights []seen
		want   []string // of every night that judges: class and taken back, 0 none
	}{
		{
			"an open row has neither",
			[]seen{{to("Authorized"), ledger.Open, true}, {other, ledger.Open, true}},
			[]string{"0 0", "0 0"},
		},
		{"cancelled when it came", []seen{{to("Canceled"), ledger.Cancelled, true}}, []string{"1 0"}},
		{
			"a later change of a cancelled row does not move the day",
			[]seen{{to("Authorized"), ledger.Open, true}, {to("Canceled"), ledger.Cancelled, true}, {other, ledger.Cancelled, true}, {other, ledger.Cancelled, true}},
			[]string{"0 0", "2 0", "2 0", "2 0"},
		},
		{
			"nobody judged the night on which it was cancelled",
			[]seen{{to("Authorized"), ledger.Open, true}, {to("Canceled"), ledger.Cancelled, false}, {other, ledger.Cancelled, true}},
			[]string{"0 0", "2 0"},
		},
		{
			"the same class in other words",
			[]seen{{to("Canceled"), ledger.Cancelled, true}, {to("Voided"), ledger.Cancelled, true}},
			[]string{"1 0", "1 0"},
		},
		{
			"words that the mapping learnt to read afterwards count from the day they were said",
			[]seen{{to("Cancellata"), ledger.Open, true}, {other, ledger.Cancelled, true}},
			[]string{"0 0", "1 0"},
		},
		{
			"charged back after it was cancelled is another class",
			[]seen{{to("Canceled"), ledger.Cancelled, true}, {to("Chargeback"), ledger.Chargeback, true}, {other, ledger.Chargeback, true}},
			[]string{"1 0", "2 0", "2 0"},
		},
		{
			"cancelled, open, and cancelled again was first seen so the first time",
			[]seen{{to("Canceled"), ledger.Cancelled, true}, {to("Authorized"), ledger.Open, true}, {to("Canceled"), ledger.Cancelled, true}},
			[]string{"1 0", "0 0", "1 0"},
		},
		{
			"taken back, then by another amount",
			[]seen{
				{takenBack(97 * ledger.Real), ledger.Received, true},
				{takenBack(-97 * ledger.Real), ledger.Received, true},
				{func(i *ledger.Installment) { takenBack(-96 * ledger.Real)(i); i.Status = "Canceled" }, ledger.Cancelled, true},
			},
			[]string{"0 0", "0 2", "3 2"},
		},
		{
			"less than half a cent is nothing taken back",
			[]seen{
				{takenBack(-49), ledger.Received, true}, {takenBack(-50), ledger.Received, true}, {other, ledger.Received, true},
			},
			[]string{"0 0", "0 2", "0 2"},
		},
	} {
		t.Run(tc.why, func(t *testing.T) {
			n := begin(t, open(t))
			sent := row(day(1), "7", 1, 1)
			var runs, now []string
			for i, night := range tc.nights {
				n.asOf = day(i + 1)
				night.change(&sent)
				n.merge(day(1), day(1), sent, row(day(1), "8", 1, 1)) // another row, which never changes
				if !night.judged {
					continue
				}
				run := fmt.Sprint("run ", i)
				n.reconcile(run, func(r *results.ReconcileTx) {
					for _, s := range n.sales() {
						e := believe(s.Rows[0].Current(), ledger.Open, ledger.LineNotDue)
						if s.Key.NSU == sent.NSU {
							e.Class = night.class
						}
						ok(t, r.ReplaceExpectation(&e))
					}
				})
				runs, now = append(runs, run), append(now, n.since("", sent.NSU))
			}
			for i, run := range runs {
				equal(t, "as it stood after "+run, now[i], tc.want[i])
				equal(t, "as of "+run, n.since(run, sent.NSU), tc.want[i])
				equal(t, "of the other row as of "+run, n.since(run, "8"), "0 0")
			}
		})
	}
}

// since is the day of November on which the class, and the taking back, of a row were first seen.
func (n *night) since(run, nsu string) (text string) {
	n.t.Helper()
	q := november("operation")
	q.AsOfRun = run
	ok(n.t, n.l.Installments(n.t.Context(), q, func(v *ledger.InstallmentVersion, _ *ledger.Expectation) error {
		if v.NSU != nsu {
			return nil
		}
		of := func(d ledger.Date) int { return max(0, int(d-day(1))+1) }
		text = fmt.Sprint(of(v.ClassSince), " ", of(v.TakenBackSince))
		return nil
	}))
	return text
}
