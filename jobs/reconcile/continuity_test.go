package reconcile_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/jobs/rules/runs"
	"concilia/store/ledger"
)

// on is the night after: the reconcile before left closings, and expected of each row what its class says.
func (m *memory) on(closings []ledger.Continuity) {
	m.last = ledger.LastReconcile{Run: "before", Inputs: "something else", AsOf: 1}
	m.closings = closings
}

// known marks a history as evaluated to be of a class up to a version; what follows is new.
func known(h ledger.InstallmentHistory, version int, class ledger.Class) ledger.InstallmentHistory {
	for i := range h {
		h[i].NotEvaluated = i >= version
	}
	if version > 0 {
		h.Current().Stored = &ledger.StoredExpectation{Version: version, Class: class, Brand: "visa", Product: ledger.Credit}
	}
	return h
}

// A sale of two, one part received and one open, is cancelled: what was received comes back and both are cancelled.
func TestContinuityOfACancelledSale(t *testing.T) {
	t.Parallel()
	b := func(k int, change func(*ledger.Installment)) ledger.InstallmentHistory {
		return installment("2024-11-04", "000203", "B00003", k, func(i *ledger.Installment) {
			i.Count, i.SaleTotal, i.SaleFee, i.SaleAntifraud = 2, some("200"), some("0.20"), some("0.60")
			i.Forecast = i.SoldAt.Date() + ledger.Date(30*k)
			change(i)
		})
	}
	paid := func(i *ledger.Installment) {
		i.Effective, i.Received, i.ReceivedStatus = day("2024-12-04"), some("97.11"), "Pago"
	}
	cancelled := func(i *ledger.Installment) { i.Status, i.ReceivedStatus = "Cancelada", "" }
	b1, b2 := b(1, paid), b(2, func(*ledger.Installment) {})

	m := &memory{sales: []*ledger.Sale{saleOf(b1, b2)}}
	m.reconciled(t, inputs("2024-12-09"))
	of := ledger.Continuity{Day: day("2024-11-04"), Brand: "visa", Product: ledger.Credit}
	first := of
	first.Changes[ledger.Started], first.Closing = reais("100"), reais("100")
	if d := cmp.Diff([]ledger.Continuity{first}, m.continued); d != "" {
		t.Errorf("the first reconcile starts with what is open:\n%s", d)
	}

	second := of
	second.Opening, second.Changes[ledger.Undone], second.Changes[ledger.WasCancelled] = reais("100"), reais("100"), reais("-200")
	m.on(m.continued)
	m.sales = []*ledger.Sale{saleOf(known(next(b1, cancelled), 1, ledger.Received), known(next(b2, cancelled), 1, ledger.Open))}
	r := m.reconciled(t, inputs("2024-12-10"))
	if d := cmp.Diff([]ledger.Continuity{second}, m.continued); d != "" || r.Counts[runs.ContinuityBroken] > 0 {
		t.Errorf("opening 100.00 + 100.00 − 200.00 is nothing: %v\n%s", r.Counts, d)
	}

	// One transition is lost: the open part is taken for one that was cancelled before.
	m.sales = []*ledger.Sale{saleOf(known(next(b1, cancelled), 1, ledger.Received), known(next(b2, cancelled), 2, ledger.Cancelled))}
	if r := m.reconciled(t, inputs("2024-12-10")); r.Counts[runs.ContinuityBroken] != 1 || r.Verdict != ledger.Incomplete {
		t.Errorf("a lost transition breaks the continuity: %v, %s", r.Counts, r.Verdict)
	}
}

// What moves the gross of open rows, from what a row was evaluated to be through its new versions.
func TestMovements(t *testing.T) {
	t.Parallel()
	const g = "100"
	type moved map[ledger.Movement]string
	step := func(status string, change ...func(*ledger.Installment)) func(*ledger.Installment) {
		return func(i *ledger.Installment) {
			i.Status = status
			for _, f := range change {
				f(i)
			}
		}
	}
	paid := func(i *ledger.Installment) { i.Effective, i.Received = day("2024-11-20"), some("97.11") }
	early := func(i *ledger.Installment) { paid(i); i.ReceivedType = "Antecipado" }
	dearer := func(i *ledger.Installment) { i.Gross = reais("110") }
	for _, c := range []struct {
		says   string
		before ledger.Class // "" is not known
		steps  []func(*ledger.Installment)
		want   moved
	}{
		{"a new open row", "", nil, moved{ledger.Added: g}},
		{
			"a new row that is paid at once", "",
			[]func(*ledger.Installment){step("Autorizada", paid)},
			moved{ledger.Added: g, ledger.ReceivedNormally: "-100"},
		},
		{"open stays open", ledger.Open, nil, moved{}},
		{"open is paid", ledger.Open, []func(*ledger.Installment){step("Autorizada", paid)}, moved{ledger.ReceivedNormally: "-100"}},
		{"open is paid early", ledger.Open, []func(*ledger.Installment){step("Autorizada", early)}, moved{ledger.ReceivedEarly: "-100"}},
		{"open is charged back", ledger.Open, []func(*ledger.Installment){step("Chargeback")}, moved{ledger.ChargedBack: "-100"}},
		{
			"open is blocked and freed between two nights", ledger.Open,
			[]func(*ledger.Installment){step("Bloqueada"), step("Autorizada")},
			moved{ledger.WasBlocked: "-100", ledger.Unblocked: g},
		},
		{"open costs more", ledger.Open, []func(*ledger.Installment){step("Autorizada", dearer)}, moved{ledger.Restated: "10"}},
		{
			"open costs more and is cancelled", ledger.Open,
			[]func(*ledger.Installment){step("Cancelada", dearer)},
			moved{ledger.Restated: "10", ledger.WasCancelled: "-110"},
		},
		{"read as blocked before, open by today's mapping", ledger.Blocked, nil, moved{ledger.Reclassified: g}},
		{"cancelled costs more", ledger.Cancelled, []func(*ledger.Installment){step("Cancelada", dearer)}, moved{}},
	} {
		h := installment("2024-10-21", "1", "A", 1, nil)
		version := 1
		if c.before == "" {
			version = 0
		}
		if c.before == ledger.Cancelled {
			h[0].Status = "Cancelada"
		}
		for _, s := range c.steps {
			h = next(h, s)
		}
		m := &memory{sales: []*ledger.Sale{saleOf(known(h, version, c.before))}}
		m.on(nil)
		if c.before == ledger.Open {
			m.on([]ledger.Continuity{{Day: day("2024-10-21"), Brand: "visa", Product: ledger.Credit, Closing: reais(g)}})
		}
		r := m.reconciled(t, inputs("2024-11-21"))
		var want, got [ledger.MovementCount]ledger.Amount
		for k, v := range c.want {
			want[k] = reais(v)
		}
		for _, x := range m.continued {
			for k, a := range x.Changes {
				got[k] += a
			}
		}
		if d := cmp.Diff(want, got); d != "" || r.Counts[runs.ContinuityBroken] > 0 {
			t.Errorf("%s: %v\n%s", c.says, r.Counts, d)
		}
	}
}
