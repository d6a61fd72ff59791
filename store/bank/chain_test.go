package bank

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"concilia/store/ledger"
	"concilia/store/ledger/banking"
)

// TestNoDayIsSettledByChance: of random files with balances that agree with the lines, lack, or are wrong, no day is settled without its
// reason. A proven day lies between two stated balances whose difference is what the lines between come to; a covered one is whole in a
// file, or banks are closed and the days around are settled; and a broken day is never settled.
func TestNoDayIsSettledByChance(t *testing.T) {
	t.Parallel()
	const first, length = someDay, 15
	isOpen := func(d ledger.Date) bool { return (d-first)%7 < 5 }
	proven := 0
	rapid.Check(t, func(t *rapid.T) {
		shown, net, balance := map[ledger.Date]*shownDay{}, map[ledger.Date]ledger.Amount{}, map[ledger.Date]ledger.Amount{}
		total := ledger.FromCents(100_000)
		for d := first; d < first+length; d++ {
			net[d] = ledger.FromCents(rapid.SampledFrom([]int64{0, 1000, -500, 2500}).Draw(t, "net"))
			total += net[d]
			balance[d] = total
			if rapid.IntRange(0, 5).Draw(t, "shown") > 0 {
				s := &shownDay{whole: rapid.IntRange(0, 3).Draw(t, "whole") > 0}
				s.sums.Credits, s.sums.Debits = max(0, net[d]), max(0, -net[d])
				shown[d] = s
			}
		}
		var stated []statedBalance
		for n := range rapid.IntRange(0, 5).Draw(t, "balances") {
			d := first + ledger.Date(rapid.IntRange(0, length-1).Draw(t, "day"))
			b := statedBalance{made: ledger.LocalTime(n + 1), readings: []banking.Balance{{Day: d, Amount: balance[d]}}}
			b.file[0] = byte(n)
			if rapid.IntRange(0, 3).Draw(t, "wrong") == 0 {
				b.readings[0].Amount += ledger.FromCents(777)
			}
			if rapid.Bool().Draw(t, "may be of the next day") {
				b.readings = append(b.readings, banking.Balance{Day: d + 1, Amount: b.readings[0].Amount})
			}
			stated = append(stated, b)
		}
		days := chainDays(shown, rapid.Permutation(stated).Draw(t, "order"), isOpen)
		for i := range days {
			d := &days[i]
			switch {
			case d.State == banking.DayProven:
				if proven++; !isProven(d.Day, shown, stated) {
					t.Fatalf("%s is proven, of %v and %+v", d.Day, shown, stated)
				}
			case d.State == banking.DayCovered && (shown[d.Day] == nil || !shown[d.Day].whole):
				if isOpen(d.Day) || i == 0 || i == len(days)-1 || !isQuiet(days, i, shown) {
					t.Fatalf("%s is covered, and no file has it whole: %+v", d.Day, days)
				}
			}
		}
	})
	if proven == 0 {
		t.Error("nothing was ever proven")
	}
}

// isProven looks for two stated balances, before the day and of it or later, that differ by what the lines shown between come to.
func isProven(day ledger.Date, shown map[ledger.Date]*shownDay, stated []statedBalance) bool {
	var readings []banking.Balance
	for _, b := range stated {
		readings = append(readings, b.readings...)
	}
	return slices.ContainsFunc(readings, func(from banking.Balance) bool {
		return slices.ContainsFunc(readings, func(to banking.Balance) bool {
			sum := ledger.Amount(0)
			for d := from.Day + 1; d <= to.Day; d++ {
				if s := shown[d]; s != nil {
					sum += s.sums.Net()
				}
			}
			return from.Day < day && day <= to.Day && to.Amount-from.Amount == sum
		})
	})
}

// isQuiet reports whether the nearest days around one that a file has whole, or that a link proves, are settled.
func isQuiet(days []banking.Day, at int, shown map[ledger.Date]*shownDay) bool {
	stands := func(i int) bool {
		s := shown[days[i].Day]
		return days[i].State != banking.DayCovered || s != nil && s.whole
	}
	before, after := at-1, at+1
	for before > 0 && !stands(before) {
		before--
	}
	for after < len(days)-1 && !stands(after) {
		after++
	}
	return days[before].Settled() && days[after].Settled()
}
