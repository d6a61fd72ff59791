package match

import (
	"maps"
	"slices"

	"concilia/store/ledger"
)

// dayIndex has the places of groups, credits and debit lines by day and by bank day, each in order.
type dayIndex struct {
	days     []ledger.Date // of groups and credits
	bankDays []ledger.Date
	// By day, and by bank day.
	groupsOn, creditsOn, debitsOn map[ledger.Date][]int
	groupsAt, creditsAt           map[ledger.Date][]int
}

// newDayIndex notes the places of groups, credits and debit lines by day and by bank day. They are in order of day, so those of a day
// are next to each other, and so are those of a bank day.
func newDayIndex(r *Result) (x dayIndex) {
	groups := make([]int, len(r.Groups))
	for i := range groups {
		groups[i] = i
	}
	var credits, debits []int
	for i := range r.Lines {
		if r.Lines[i].Amount <= 0 {
			debits = append(debits, i)
		}
	}
	credits = make([]int, 0, len(r.Lines)-len(debits))
	for i := range r.Lines {
		if r.Lines[i].Amount > 0 {
			credits = append(credits, i)
		}
	}
	x.groupsOn = placesBy(groups, func(i int) ledger.Date { return r.Groups[i].Day })
	x.groupsAt = placesBy(groups, func(i int) ledger.Date { return r.Groups[i].BankDay })
	x.creditsOn = placesBy(credits, func(i int) ledger.Date { return r.Lines[i].Day })
	x.creditsAt = placesBy(credits, func(i int) ledger.Date { return r.Lines[i].BankDay })
	x.debitsOn = placesBy(debits, func(i int) ledger.Date { return r.Lines[i].Day })
	x.days = unionOf(x.groupsOn, x.creditsOn)
	x.bankDays = unionOf(x.groupsAt, x.creditsAt)
	return x
}

// placesBy cuts places, in order of day, by day.
func placesBy(places []int, dayOf func(int) ledger.Date) map[ledger.Date][]int {
	out := map[ledger.Date][]int{}
	for from := 0; from < len(places); {
		day, to := dayOf(places[from]), from+1
		for to < len(places) && dayOf(places[to]) == day {
			to++
		}
		out[day] = places[from:to:to]
		from = to
	}
	return out
}

// unionOf are the days of two indexes, in order.
func unionOf(a, b map[ledger.Date][]int) []ledger.Date {
	all := slices.Concat(slices.Collect(maps.Keys(a)), slices.Collect(maps.Keys(b)))
	slices.Sort(all)
	return slices.Compact(all)
}

// dropMatched leaves in the indexes only groups and credits that no match has.
func (x *dayIndex) dropMatched(r *Result) {
	for _, index := range []struct {
		of      map[ledger.Date][]int
		matched []int
	}{{x.groupsOn, r.GroupMatch}, {x.groupsAt, r.GroupMatch}, {x.creditsOn, r.LineMatch}, {x.creditsAt, r.LineMatch}} {
		for day, places := range index.of {
			if left := leftOf(places, index.matched); len(left) > 0 {
				index.of[day] = left
			} else {
				delete(index.of, day)
			}
		}
	}
	x.days, x.bankDays = unionOf(x.groupsOn, x.creditsOn), unionOf(x.groupsAt, x.creditsAt)
}
