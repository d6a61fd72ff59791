package pull

import (
	"strings"
	"testing"

	"concilia/store/ledger"
)

// TestMixLists: one account after the other, each list in its order, and of a long list as much of it is asked for as of a short one.
func TestMixLists(t *testing.T) {
	var units []ledger.WorkUnit
	add := func(account ledger.Account, source ledger.Source, days int) {
		for d := range days {
			day := ledger.NewDate(2026, 11, 30-d)
			window := ledger.Window{Account: account, Source: source, Period: ledger.Period{From: day, To: day}}
			units = append(units, ledger.UnitOfWindow("run", ledger.PullUnit, window))
		}
	}
	add(1002, ledger.Cards, 3)
	add(1002, ledger.SlipsDue, 6)
	add(1001, ledger.Cards, 1)
	mixed, err := mixLists(units)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range mixed {
		window, err := mixed[i].Window()
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, mixed[i].Account.String()+" "+string(window.Source)+window.Period.From.String()[len("2026-11"):])
	}
	want := "1002 slips.due-30, 1002 cards-30, 1002 slips.due-29, 1002 slips.due-28, 1002 cards-29, 1002 slips.due-27, 1002 slips.due-26, 1002 cards-28, 1002 slips.due-25, 1001 cards-30"
	if text := strings.Join(got, ", "); text != want {
		t.Errorf("asked in the order\n%s, want\n%s", text, want)
	}
}
