package reconcile_test

import (
	"testing"

	"concilia/jobs/agreements"
	"concilia/store/ledger"
)

// A rule that looks at a subject no more has nothing left to say against it.
func TestCasesOfWhatNoLongerApplies(t *testing.T) {
	t.Parallel()
	row := func(change func(*ledger.Installment)) []*ledger.Sale {
		return []*ledger.Sale{saleOf(installment("2024-10-21", "1", "A", 1, func(i *ledger.Installment) {
			i.Count, i.SaleTotal, i.Forecast = 1, some("100"), day("2024-11-21")
			change(i)
		}))}
	}
	split := func(who, value string) func(*ledger.Installment) {
		return func(i *ledger.Installment) {
			i.Splits = []ledger.Split{{Beneficiary: who, Type: "P", Pct: pct("10"), Base: some("97.11"), Value: some(value)}}
		}
	}
	nothing := func(*ledger.Installment) {}
	const card = "card:1001:2024-10-21:1:A:1"
	of := func(who, kind string) string {
		return ledger.SplitSubject(ledger.InstallmentKey{
			SaleKey: ledger.SaleKey{Account: 1001, Day: day("2024-10-21"), NSU: "1", Auth: "A", Occurrence: 1}, Number: 1,
		}, who, kind, 1)
	}
	const agreed = "12345678000195"
	for _, c := range []struct {
		says, code, subject string
		before, after       func(*ledger.Installment)
		want                ledger.State
	}{
		{"overdue, then paid", "RECEIVED_OVERDUE", card, nothing, func(i *ledger.Installment) {
			i.Effective, i.Received, i.ReceivedStatus = i.Forecast, some("97.11"), "Pago"
		}, ledger.Resolved},
		{"overdue, then cancelled", "RECEIVED_OVERDUE", card, nothing, func(i *ledger.Installment) { i.Status = "Cancelada" }, ledger.Resolved},
		{
			"overdue, then a status nobody listed", "RECEIVED_OVERDUE", card, nothing,
			func(i *ledger.Installment) { i.Status = "Em análise" }, ledger.Opened,
		},
		{"a split not paid whole, then gone", "SPLIT_AMOUNT_MISMATCH", of(agreed, "P"), split(agreed, "5"), nothing, ledger.Resolved},
		{"a split that was missing, then there", "SPLIT_MISSING", of(agreed, ""), nothing, split(agreed, "9.71"), ledger.Resolved},
		{"a split that is missing still", "SPLIT_MISSING", of(agreed, ""), nothing, nothing, ledger.Opened},
		{
			"a split that was missing, of a row that was cancelled", "SPLIT_MISSING", of(agreed, ""), nothing,
			func(i *ledger.Installment) { i.Status = "Cancelada" }, ledger.Resolved,
		},
		{
			"a split that was missing, of a row nobody understands", "SPLIT_MISSING", of(agreed, ""), nothing,
			func(i *ledger.Installment) { i.Status = "Em análise" }, ledger.Opened,
		},
	} {
		m := &memory{}
		in := inputs("2024-12-01")
		in.Contracts = must(agreements.ParseContracts("contract.yaml", []byte(contractText+"    splits: [{beneficiary: \""+agreed+"\", pct: 10}]\n")))
		m.sales = row(c.before)
		m.reconciled(t, in)
		if f := caseOf(m, c.subject, c.code); f.State != ledger.Opened {
			t.Errorf("%s: %q at first", c.says, f.State)
		}
		m.sales, in.AsOf = row(c.after), in.AsOf+1
		m.reconciled(t, in)
		if f := caseOf(m, c.subject, c.code); f.State != c.want || c.want == ledger.Resolved && f.Impact.V != 0 {
			t.Errorf("%s: %s, impact %s", c.says, f.State, f.Impact.V)
		}
	}
}

// A slip's cases end as those of cards do: credited, it is overdue no more.
func TestSlipCasesEnd(t *testing.T) {
	t.Parallel()
	slip := func(change func(*ledger.SlipView)) []*ledger.Slip {
		v := ledger.SlipView{
			Account: 1001, ID: "a", Value: reais("100"), Issued: day("2024-11-01"), Due: day("2024-11-20"), Status: ledger.Some[int64](2),
		}
		change(&v)
		return []*ledger.Slip{viewsOf(v, []ledger.Source{ledger.SlipsDue}, nil)}
	}
	paid := func(v *ledger.SlipView) {
		v.Status, v.PaidOn, v.PaidValue = ledger.Some[int64](3), day("2024-11-18"), some("100")
	}
	credited := func(v *ledger.SlipView) { paid(v); v.CreditedOn = day("2024-11-19") }
	waits := func(v *ledger.SlipView) { v.Integration = ledger.Some[int64](1) }
	rejected := func(v *ledger.SlipView) { v.Integration = ledger.Some[int64](9) }
	for _, c := range []struct {
		says, code    string
		before, after func(*ledger.SlipView)
	}{
		{"the credit came", "SLIP_CREDIT_OVERDUE", paid, credited},
		{"registered after all", "SLIP_INTEGRATION_STUCK", waits, func(v *ledger.SlipView) { v.Integration = ledger.Some[int64](2) }},
		{"in process when it was paid", "SLIP_INTEGRATION_STUCK", waits, paid},
		{"rejected, then cancelled", "SLIP_INTEGRATION_FAILED", rejected, func(v *ledger.SlipView) { v.CancelledOn = day("2024-11-30") }},
	} {
		m := &memory{slips: slip(c.before)}
		m.reconciled(t, inputs("2024-12-01"))
		if f := caseOf(m, "slip:1001:a", c.code); f.State != ledger.Opened || f.Impact.V != reais("100") {
			t.Errorf("%s: %q at first, impact %s", c.says, f.State, f.Impact.V)
		}
		m.slips = slip(c.after)
		m.reconciled(t, inputs("2024-12-02"))
		if f := caseOf(m, "slip:1001:a", c.code); f.State != ledger.Resolved || f.Impact.V != 0 {
			t.Errorf("%s: %s, impact %s", c.says, f.State, f.Impact.V)
		}
	}
}
