package rules_test

import (
	"slices"
	"testing"
	"time"

	"concilia/jobs/rules"
	"concilia/jobs/rules/cards"
	"concilia/store/ledger"
)

// The later of two sales of one card, terminal and total within five minutes is named, across midnight too.
func TestPossibleDoubleCharge(t *testing.T) {
	t.Parallel()
	e := world{}.env(t)
	sold := func(at, nsu string, change func(*ledger.Installment)) *rules.Sale {
		h := rows()
		for _, x := range h {
			i := &x.Current().Installment
			i.SoldAt, i.NSU = must(ledger.ParseLocalTime(at, time.UTC)), nsu
			if change != nil {
				change(i)
			}
		}
		return rules.NewSale(e, h[0].Current().SaleKey(), h, true)
	}
	days := [][]*rules.Sale{
		{
			sold("2024-10-21T10:00:00", "1", nil),
			sold("2024-10-21T10:04:59", "2", nil),
			sold("2024-10-21T10:10:00", "3", nil),
			sold("2024-10-21T10:15:00", "8", nil), // five minutes to the second
			sold("2024-10-21T10:15:01", "8", nil), // one NSU is one sale, whatever it says twice
			sold("2024-10-21T10:01:00", "4", func(i *ledger.Installment) { i.Terminal = "T2" }),
			sold("2024-10-21T10:02:00", "5", func(i *ledger.Installment) { i.Status = "Cancelada" }),
			sold("2024-10-21T23:58:00", "6", nil),
		},
		{sold("2024-10-22T00:01:00", "7", nil)},
	}
	var d cards.DuplicateSales
	var fired []string
	for _, sales := range days {
		for _, s := range sales {
			want := passes
			if s.Key.NSU == "5" {
				want = none
			}
			if got := d.Add(s); got != want {
				t.Errorf("NSU %s: status %d", s.Key.NSU, got)
			}
		}
		d.Close(func(k ledger.SaleKey, o rules.Outcome) {
			if o.Status == fires {
				fired = append(fired, k.NSU)
				told(t, "TXN_POSSIBLE_DOUBLE_CHARGE", o)
			}
		})
	}
	if !slices.Equal(fired, []string{"2", "8", "7"}) {
		t.Errorf("fired: %v", fired)
	}
}
