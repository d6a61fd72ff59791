package bank_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/store/ledger"
	"concilia/store/ledger/banking"
)

// TestDifferenceIsParted: of 357.98 came 320.78. What is missing is parted in proportion, 10.0914, 5.0399 and 22.0687 of 37.20, and the two
// cents that whole cents leave go to the largest remainders. Of a day on which nothing came all is missing; an item that no run has judged
// is in no summary.
func TestDifferenceIsParted(t *testing.T) {
	t.Parallel()
	c := conciliateNovember(t)
	paid := func(key string, day int, amount, band string, class ledger.Class) banking.CreditedInstallment {
		return banking.CreditedInstallment{
			Account: 1001, Day: november(day), Amount: reaisOf(t, amount), Brand: "VISA", Product: "CREDIT", Key: key,
			Judged: banking.CreditJudged{Class: class, Brand: "visa", Product: ledger.Credit, Band: band},
		}
	}
	all := []banking.CreditedInstallment{
		paid("a", 4, "97.11", "1", ledger.Received), paid("b", 4, "48.50", "1", ledger.Received), paid("c", 4, "212.37", "2-6", ledger.Received),
		paid("d", 9, "80.00", "1", ledger.Received), paid("e", 9, "20.00", "1", ""),
	}
	for i := range all {
		c.AddInstallment(&all[i])
	}
	addLines(c, []string{"4 320.78"}, false)
	matched := c.Match(november(18))
	titles := matched.NewTitles()
	if got := titles.Days(); len(got) != 1 || got[0] != (ledger.Period{From: november(4), To: november(4)}) {
		t.Errorf("items of %v are asked for", got)
	}
	for i := range all[:3] {
		titles.AddInstallment(&all[i])
	}
	var got []string
	for _, x := range matched.Credits(titles) {
		got = append(got, x.Day.String()+" "+x.Band+": "+x.Credited.Fixed(2)+" of "+x.Expected.Fixed(2))
	}
	want := []string{"2026-11-04 1: 130.48 of 145.61", "2026-11-04 2-6: 190.30 of 212.37", "2026-11-09 1: 0.00 of 80.00"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("what came (-want +got):\n%s", d)
	}
}
