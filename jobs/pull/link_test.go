package pull

import (
	"testing"
	"time"

	"concilia/store/ledger"
)

func TestChooseInstallment(t *testing.T) {
	t.Parallel()
	on := ledger.NewDate(2026, time.November, 18)
	for _, c := range []struct {
		says      string
		ages      []int // of the sales, in days before the moment
		want      int   // age of the chosen one, -1 for none
		ambiguous bool
	}{
		{"nothing fits", nil, -1, false},
		{"a single one is chosen", []int{3}, 3, false},
		{"a single one is chosen, however old", []int{900}, 900, false},
		{"one of the same day is chosen", []int{0}, 0, false},
		{"a sale after the notification is not chosen", []int{-1}, -1, false},
		{"a later sale does not make it ambiguous", []int{200, -1}, 200, false},
		{"the nearest is chosen before one of a year earlier", []int{365, 10}, 10, false},
		{"the nearest is chosen if the other is 31 days back", []int{31, 5}, 5, false},
		{"two within 30 days are ambiguous", []int{30, 5}, -1, true},
		{"two of one day are ambiguous", []int{5, 5}, -1, true},
		{"an old nearest is chosen if the other is far from it", []int{300, 100}, 100, false},
		{"an old nearest with another within 30 days of it is ambiguous", []int{130, 100}, -1, true},
		{"an old nearest with another 31 days before it is chosen", []int{131, 100}, 100, false},
		{"400 days are near enough", []int{800, 400}, 400, false},
		{"401 days are not", []int{800, 401}, -1, true},
	} {
		var fits []ledger.InstallmentKey
		for n, age := range c.ages {
			fits = append(fits, ledger.InstallmentKey{SaleKey: ledger.SaleKey{Day: on - ledger.Date(age), Occurrence: n + 1}, Number: 1})
		}
		got := -1
		to, ambiguous := chooseInstallment(on, fits)
		if to != nil {
			got = int(on - to.Day)
		}
		if got != c.want || ambiguous != c.ambiguous {
			t.Errorf("%s: got the sale of %d days before, ambiguous %v", c.says, got, ambiguous)
		}
	}
}
