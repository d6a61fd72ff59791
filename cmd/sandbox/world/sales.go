package world

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// sale is the history of one card sale. Everything a record shows is derived from it.
type sale struct {
	account        *Account
	interpretation *Interpretation
	day            Date
	second         int // of the day
	terminal       string
	card           string // masked
	brand          string
	debit          bool
	count          int // installments the record states
	listed         int // installments the service lists: fewer only when planted so
	gross          Money
	auth, nsu      string
	reference      string
	paymentID      string
	cancelledOn    Date // zero: never
	blockedOn      Date // seen blocked from the next day on, for blockedDays; zero: never
	anticipated    Date // day everything was paid ahead; zero: never
	plant          *cardPlant
}

// blockedDays is how long a blocked sale stays so: short of the ten bank days that alarm a merchant, and
// over long before the first forecast.
const blockedDays = 7

// salePatterns are handfuls of sales by installment count, about 17 installments each (0 is a debit sale).
// Fixed handfuls keep days alike, as a steady shop's are, so that no day has an unusual volume.
var salePatterns = [][]int{
	{0, 1, 2, 12},
	{0, 0, 1, 3, 10},
	{0, 1, 1, 2, 2, 4, 6},
	{0, 1, 1, 3, 5, 6},
	{0, 1, 2, 3, 10},
	{0, 1, 1, 2, 4, 8},
	{0, 0, 1, 2, 3, 3, 6},
	{0, 1, 7, 9},
}

const patternRows = 17

// drawer draws the histories of a world.
type drawer struct{ *outline }

// drawSales draws every day of one account. How many handfuls a day gets follows from the target alone.
func (d *drawer) drawSales(index int, a Account, installments int) []*sale {
	days := int64(d.to-d.from) + 1
	per := int64(len(d.accounts)) * days * patternRows
	account := &d.accounts[index]
	pos := drawPointOfSale(d.randomStream(forAccount, a.Number, 0), index)
	var all []*sale
	for i := range days {
		day := d.from + Date(i)
		var sales []*sale
		if d.natural {
			sales = d.drawNaturalDay(account, day, int(int64(installments)/(int64(len(d.accounts))*days)), pos)
		} else {
			handfuls := (i+1)*int64(installments)/per - i*int64(installments)/per
			sales = d.drawDay(account, index, day, int(max(handfuls, 1)), pos)
		}
		all = append(all, d.finishDay(a.Number, index, day, sales)...)
	}
	return all
}

// drawDay draws one day's sales. The day's gross is near a figure of its weekday, shared out by weight.
func (d *drawer) drawDay(a *Account, index int, day Date, handfuls int, pos pointOfSale) []*sale {
	r := d.randomStream(forSales, a.Number, day)
	var counts []int
	for range handfuls {
		counts = append(counts, salePatterns[r.IntN(len(salePatterns))]...)
	}
	weights, total := make([]int64, len(counts)), int64(0)
	for i, n := range counts {
		weights[i] = int64(40+r.IntN(61)) * weightOf(n)
		total += weights[i]
	}
	target := int64(handfuls) * dayGross(index, day) * int64(92+r.IntN(17)) / 100 // cents
	sales := make([]*sale, len(counts))
	for i, n := range counts {
		sales[i] = d.drawSale(a, day, n, Money(target*weights[i]/total)*cent, r, pos)
	}
	return sales
}

// finishDay puts a day's sales in order of their time, numbers them, keeps them apart and blocks one now and then.
func (d *drawer) finishDay(account int64, index int, day Date, sales []*sale) []*sale {
	slices.SortStableFunc(sales, func(x, y *sale) int { return cmp.Compare(x.second, y.second) })
	for i, s := range sales {
		// Day and order make the number unique in the account for 27 years.
		s.nsu = fmt.Sprintf("%04d%05d", int(day)%10000, i+1)
		if s.reference != "" {
			s.reference = fmt.Sprintf("PEDIDO-%d-%s", account, s.nsu)
		}
	}
	keepCardsApart(sales)
	d.blockOne(index, day, sales)
	return sales
}

// weightOf makes sales in more installments bigger.
func weightOf(n int) int64 {
	switch {
	case n <= 1:
		return 2
	case n <= 3:
		return 4
	case n <= 6:
		return 6
	}
	return 10
}

// dayGross is what a handful of sales comes to on a weekday, in cents.
func dayGross(index int, day Date) int64 {
	base := int64(260_000 - 70_000*(index%2))
	return base * []int64{80, 95, 95, 100, 105, 125, 130}[day.utcMidnight().Weekday()] / 100
}

func (d *drawer) drawSale(a *Account, day Date, n int, gross Money, r *rand.Rand, pos pointOfSale) *sale {
	s := &sale{account: a, interpretation: &d.interpretation, day: day, debit: n == 0, count: max(n, 1), gross: gross}
	s.listed = s.count
	s.second = 8*60*60 + r.IntN(15*60*60-1)
	s.brand = drawBrand(r, s.debit)
	s.card = drawMaskedCard(r, s.brand)
	s.auth = drawAuth(r)
	if !s.debit && r.IntN(100) < 30 {
		// Choice: web sales carry the order reference and the 42-digit payment id; sales at a counter neither.
		s.terminal, s.reference, s.paymentID = pos.web, "web", "0200"+drawDigits(r, 28)+"0000000000"
	} else {
		s.terminal = pos.serials[r.IntN(len(pos.serials))]
	}
	dice, delay := r.IntN(100), Date(r.IntN(23))
	switch {
	case s.debit:
	case dice < 3:
		s.cancelledOn = day + delay%3
	case dice < 18:
		// Ordered 2 to 24 days after the sale: always before the first forecast.
		s.anticipated = (day + 2 + delay).BankDayOnOrAfter()
	}
	return s
}

// keepCardsApart gives the later of two sales alike in card, terminal and total another total, so that
// nothing looks like a double charge by accident.
func keepCardsApart(sales []*sale) {
	type look struct {
		card, terminal string
		gross          Money
	}
	seen := map[look]bool{}
	for _, s := range sales {
		for seen[look{s.card, s.terminal, s.gross}] {
			s.gross += cent
		}
		seen[look{s.card, s.terminal, s.gross}] = true
	}
}

// blockOne blocks one credit sale of an account every three weeks, so that each account shows one as of
// the date the world was drawn for.
func (d *drawer) blockOne(index int, day Date, sales []*sale) {
	since := int(d.asOf-3) - index - int(day)
	if since%21 != 0 {
		return
	}
	for _, s := range sales {
		if !s.debit && s.cancelledOn == 0 && s.anticipated == 0 {
			s.blockedOn = day
			return
		}
	}
}

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
func (d *drawer) drawNaturalDay(a *Account, day Date, installments int, pos pointOfSale) []*sale {
	r := d.randomStream(forSales, a.Number, day)
	var sales []*sale
	for _, s := range NaturalDay(r, day, installments) {
		sales = append(sales, d.drawSale(a, day, s.Installments, s.Gross, r, pos))
	}
	return sales
}
