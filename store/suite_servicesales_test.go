package store_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/sales"
)

// serviceSales: the installments of a sale are one sale, with the total that is stated, else with their sum; and a day counts once
// the service answered it whole after it was over.
func serviceSales(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	unstated := row(day(2), "2", 1, 1)
	unstated.SaleTotal, unstated.Status = ledger.Opt[ledger.Amount]{}, "Cancelled"
	n.merge(day(1), day(2), row(day(1), "1", 1, 2), row(day(1), "1", 2, 2), unstated)
	var got []sales.ServiceSale
	ok(t, n.l.ServiceSales(t.Context(), account, ledger.Period{From: day(1), To: day(2)}, func(s *sales.ServiceSale) error {
		got = append(got, *s)
		return nil
	}))
	sale := func(d ledger.Date, nsu string, count int, total ledger.Amount, status string) sales.ServiceSale {
		r := row(d, nsu, 1, count)
		return sales.ServiceSale{
			Key: ledger.SaleKey{Account: account, Day: d, NSU: nsu, Auth: r.Auth, Occurrence: 1}, SoldAt: r.SoldAt, Terminal: r.Terminal,
			Card: r.Card, CardType: r.CardType, CardName: r.CardName, Count: count, Total: total, Statuses: []string{status},
		}
	}
	want := []sales.ServiceSale{sale(day(1), "1", 2, 200*ledger.Real, "Authorized"), sale(day(2), "2", 1, 100*ledger.Real, "Cancelled")}
	if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(sales.ServiceSale{})); d != "" {
		t.Error(d)
	}
	days, err := n.l.ServiceDays(t.Context(), account)
	ok(t, err)
	if !days[day(1)] || days[day(9)] {
		t.Errorf("days told whole: %v", days)
	}
}
