package reconcile_test

import (
	"testing"

	"concilia/jobs/agreements"
	"concilia/store/ledger"
)

// An order that was not filled is a case for as long as it is in the file and its installments say so: a corrected order
// resolves it, a file that is not read leaves it as it is.
func TestOrdersAreEvaluatedWhileListed(t *testing.T) {
	t.Parallel()
	const head = "account,order,ordered_on,pay_on,nsu,auth,installment\n"
	orders := func(lines string) *agreements.Orders {
		return must(agreements.ParseOrders("orders.csv", []byte(head+lines)))
	}
	const subject, code = "order:1001:A-77", "ANTICIPATION_ORDER_UNFILLED"
	due := func(i *ledger.Installment) { i.Forecast = day("2024-12-20") }
	sold := saleOf(installment("2024-10-21", "77", "A1", 1, due), installment("2024-10-21", "77", "A1", 2, due), installment("2024-10-21", "77", "A1", 3, due))
	// The NSU comes again after the order, and had come before: neither is meant.
	later := saleOf(installment("2024-11-04", "77", "A1", 1, due), installment("2024-11-04", "77", "A1", 2, due), installment("2024-11-04", "77", "A1", 3, due))
	before := saleOf(installment("2024-09-02", "77", "A1", 1, func(i *ledger.Installment) {
		i.Forecast, i.Effective, i.Received, i.ReceivedStatus = day("2024-10-02"), day("2024-10-02"), some("97.11"), "Pago"
	}))
	m := &memory{sales: []*ledger.Sale{before, sold, later}}
	in := inputs("2024-11-06")
	in.Since = day("2024-09-01")
	for _, step := range []struct {
		says   string
		asOf   string
		orders *agreements.Orders
		want   ledger.State
	}{
		{"asked for by Friday, and on Monday in the grace", "2024-11-04", orders("1001,A-77,2024-10-30,2024-11-01,77,A1,1\n"), ""},
		{"not paid by Tuesday", "2024-11-05", orders("1001,A-77,2024-10-30,2024-11-01,77,A1,1\n"), ledger.Opened},
		{"the file cannot be had: the case stays", "2024-11-06", nil, ledger.Opened},
		{"the order named an NSU that the ledger does not hold: the case stays", "2024-11-07", orders("1001,A-77,2024-10-30,2024-11-01,78,A1,1\n"), ledger.Opened},
		{"the order is in the file no more", "2024-11-08", orders("1001,B-1,2024-10-30,2024-12-02,77,A1,1\n"), ledger.Resolved},
		{"the order was for the sale before it", "2024-11-09", orders("1001,A-77,2024-10-01,2024-10-02,77,A1,1\n"), ledger.Resolved},
		{"a standing order lists nothing", "2024-11-10", orders("1001,A-77,2024-10-01,,,,\n"), ledger.Resolved},
		{"another account's order", "2024-11-11", orders("1002,A-77,2024-10-30,2024-11-01,77,A1,1\n"), ledger.Resolved},
	} {
		in.AsOf, in.Orders = day(step.asOf), step.orders
		m.reconciled(t, in)
		if got := caseOf(m, subject, code); got.State != step.want {
			t.Errorf("%s: %q, want %q", step.says, got.State, step.want)
		}
	}
	if f := caseOf(m, subject, code); f.Day != day("2024-10-30") || f.DueOn != day("2024-11-01") || f.Severity != ledger.Warning || f.Impact.OK {
		t.Errorf("the case is of %s, due %s, severity %s", f.Day, f.DueOn, f.Severity)
	}
}

// What the simulator said is evaluated in the run that asked it, and stays as it is in runs that did not.
func TestSimulationsAreEvaluatedWhenAsked(t *testing.T) {
	t.Parallel()
	const subject, code = "option:1001:visa:2", "SIMULATOR_DRIFT"
	priced := func(gross string) []ledger.Pull {
		return []ledger.Pull{{ID: "s", Window: ledger.Window{Account: 1001, Source: ledger.Simulator}, Note: ledger.PullNote{Simulated: &ledger.Simulation{
			Brand: "visa", Net: reais("1000"), Options: []ledger.SimulatedOption{{Installments: 2, Gross: reais(gross)}},
		}}}}
	}
	m := &memory{}
	in := inputs("2024-11-06")
	for _, step := range []struct {
		says  string
		pulls []ledger.Pull
		want  ledger.State
	}{
		// 2.49 % and a month and a half at 1.09 %: 1000 / (0.9751 × 0.98365).
		{"what the contract comes to", priced("1042.58"), ""},
		{"a tenth of a point more", priced("1043.70"), ledger.Opened},
		{"not asked tonight", nil, ledger.Opened},
		{"right again", priced("1042.58"), ledger.Resolved},
	} {
		in.AsOf++
		m.asked.Pulls = step.pulls
		m.reconciled(t, in)
		if got := caseOf(m, subject, code); got.State != step.want {
			t.Errorf("%s: %q, want %q", step.says, got.State, step.want)
		}
	}
	if f := caseOf(m, subject, code); f.Brand != "visa" || f.Product != ledger.Credit {
		t.Errorf("the case is of %s %s", f.Brand, f.Product)
	}
}
