package world

import (
	"math/rand/v2"
	"time"
)

// NaturalSale is one sale of a natural day.
type NaturalSale struct {
	Installments int // 0 is a debit sale
	Gross        Money
}

// NaturalDay draws what a shop of about so many installments a day sells on a day. Days scatter by a fifth around what
// their weekday and season bring, and customers come one by one on top of that; Saturdays are busier, a Sunday has a
// third of a weekday, December rises to half as much again before Christmas, January is slow. Most tickets are small and
// some are large, and no installment is below R$ 20.00. Equal streams give equal days.
func NaturalDay(r *rand.Rand, day Date, installments int) []NaturalSale {
	// The sum of three even draws lies around 100 with a deviation of 20.
	mood := 40 + r.IntN(41) + r.IntN(41) + r.IntN(41)
	// Each of four times as many people as the shop expects buys with a chance of one in four.
	people := 4 * installments * salesOfPatterns() * weekdayShare(day) / 100 * seasonShare(day) / 100 * mood / 100 / (len(salePatterns) * patternRows)
	var all []NaturalSale
	for range people {
		if r.IntN(4) != 0 {
			continue
		}
		handful := salePatterns[r.IntN(len(salePatterns))]
		n := handful[r.IntN(len(handful))]
		// No installment is below R$ 20.00.
		ticket := int64(max(n, 1))*2000 + weightOf(n)*int64(1+r.IntN(100))*int64(1+r.IntN(100))
		all = append(all, NaturalSale{n, Money(ticket) * cent})
	}
	return all
}

// salesOfPatterns is how many sales the patterns hold.
func salesOfPatterns() int {
	n := 0
	for _, handful := range salePatterns {
		n += len(handful)
	}
	return n
}

// weekdayShare is what a weekday brings, in percent of an average Monday to Friday.
func weekdayShare(day Date) int {
	return []int{35, 95, 95, 100, 105, 110, 120}[day.utcMidnight().Weekday()]
}

// seasonShare is what the time of the year brings, in percent.
func seasonShare(day Date) int {
	t := day.utcMidnight()
	switch t.Month() {
	case time.December:
		if t.Day() <= 23 {
			return 100 + 50*t.Day()/23
		}
		return 110
	case time.January:
		return 85
	}
	return 100
}

// drawNaturalDay draws one day's sales of an account as NaturalDay has them.
func (w *World) drawNaturalDay(a *Account, day Date, installments int, pos pointOfSale) []*sale {
	r := w.randomStream(forSales, a.Number, day)
	var sales []*sale
	for _, s := range NaturalDay(r, day, installments) {
		sales = append(sales, w.drawSale(a, day, s.Installments, s.Gross, r, pos))
	}
	return sales
}
