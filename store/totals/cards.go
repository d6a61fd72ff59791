package totals

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// Cards are what the evaluated installments of some sale days add up to, all from one walk over their rows: the sums of the days, and
// what each day adds to the months and to the forecast, and what of it waits. The zero value has summed no day.
type Cards struct {
	days     []ledger.Date // that are summed
	allDays  bool          // every day is
	sums     map[dayGroup]*daySum
	months   map[monthKey]*[monthValueCount]int64
	forecast map[forecastKey]*[forecastValueCount]int64
	waiting  map[waitingKey]int64
	byDay    map[ledger.Date]*daySums

	lastDay   *daySums // that was asked for last
	lastDayOf ledger.Date
	sale      facts.RowKey // of the row added last: its day, NSU and authorization
	saleParts []salePart
	saleLines []saleOnLine
}

// monthValueCount is how many values a part of a month has: sales, installments, and each amount as printed and exactly.
const monthValueCount = 2 + 2*ledger.MonthAmountCount

// forecastValueCount is how many values a part of the forecast has: installments, and their amount as printed and exactly.
const forecastValueCount = 3

// dayGroup are the installments of a sale day by what the bridge tells apart.
type dayGroup struct {
	day            ledger.Date
	brand, product string
}

// daySum is the other side of the bridge of a group, and the gross of what is open in it.
type daySum struct{ difference, open ledger.Amount }

type monthKey struct {
	basis   string
	saleDay ledger.Date
	month   ledger.Date // its first day
	brand   string
}

type forecastKey struct {
	kind         ledger.ForecastKind
	saleDay, day ledger.Date
}

// salePart is a sale that a part of a month has counted.
type salePart struct {
	part *[monthValueCount]int64
	sale int64
}

// sumDays sums days, which are in order.
func (c *Cards) sumDays(ctx context.Context, t *sqldb.Tx, a ledger.Account, days []ledger.Date) error {
	c.days = append(c.days, days...)
	for begin, end := 0, 1; begin < len(days); begin, end = end, end+1 {
		for end < len(days) && days[end] == days[end-1]+1 {
			end++
		}
		if err := c.walkCards(ctx, t, a, days[begin], days[end-1]); err != nil {
			return err
		}
	}
	return nil
}

// SumMissing sums what is not summed yet of the days, or of all days there can be. The caller has the connection of the transaction to
// itself.
func (c *Cards) SumMissing(ctx context.Context, t *sqldb.Tx, a ledger.Account, all bool, days []ledger.Date) error {
	if c.allDays {
		return nil
	}
	slices.Sort(c.days)
	if !all {
		return c.sumDays(ctx, t, a, slices.DeleteFunc(slices.Clone(days), func(day ledger.Date) bool {
			_, known := slices.BinarySearch(c.days, day)
			return known
		}))
	}
	from := facts.AllDays.From
	for _, day := range append(slices.Clone(c.days), facts.AllDays.To+1) {
		if day > from {
			if err := c.walkCards(ctx, t, a, from, day-1); err != nil {
				return err
			}
		}
		from = day + 1
	}
	c.allDays = true
	return nil
}

// ListDifferences returns the other side of the bridge of the days, or of all if none is given, by day, brand and product.
func (c *Cards) ListDifferences(days []ledger.Date) []ledger.DaySum {
	asked := setOfDays(days)
	var out []ledger.DaySum
	for g, s := range c.sums {
		if len(days) == 0 || asked[g.day] {
			out = append(out, ledger.DaySum{
				Day: g.day, Brand: g.brand, Product: ledger.Product(g.product), Difference: s.difference, Open: s.open,
			})
		}
	}
	slices.SortFunc(out, func(a, b ledger.DaySum) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), strings.Compare(a.Brand, b.Brand), cmp.Compare(a.Product, b.Product))
	})
	return out
}

// ListMonthParts returns what the summed days add to months: rows of MonthTable.
func (c *Cards) ListMonthParts() []Row {
	out := make([]Row, 0, len(c.months))
	for k, values := range c.months {
		out = append(out, Row{[]any{k.basis, cardSide, int64(k.saleDay), int64(k.month), k.brand}, values[:]})
	}
	return out
}

// ListForecastParts returns what the summed days add to the forecast: rows of ForecastPartTable.
func (c *Cards) ListForecastParts() []Row {
	out := make([]Row, 0, len(c.forecast))
	for k, values := range c.forecast {
		out = append(out, Row{[]any{string(k.kind), int64(k.saleDay), int64(k.day)}, values[:]})
	}
	return out
}

// cardAmounts are amounts of one installment, all as printed, each in cents, or all exactly.
type cardAmounts struct {
	gross, mdr, fees, anticipation, splits, net, netContract, received ledger.Amount
}

// printedAmounts are the amounts as reports print them.
func printedAmounts(e *walkedExpectation, v *walkedVersion) cardAmounts {
	a := cardAmounts{
		gross: e.grossCents, mdr: roundToCents(v.mdr), fees: roundToCents(v.fee) + roundToCents(v.antifraud),
		anticipation: roundToCents(v.anticipation), net: roundToCents(e.net), netContract: roundToCents(e.netContract),
		received: roundToCents(v.received),
	}
	for i := range v.splits {
		a.splits += roundToCents(v.splits[i].Value.Or(0))
	}
	return a
}

// exactAmounts are the amounts as the service sends them.
func exactAmounts(e *walkedExpectation, v *walkedVersion) cardAmounts {
	a := cardAmounts{
		gross: v.gross, mdr: v.mdr, fees: v.fee + v.antifraud, anticipation: v.anticipation, net: e.net, netContract: e.netContract,
		received: v.received,
	}
	for i := range v.splits {
		a.splits += v.splits[i].Value.Or(0)
	}
	return a
}

// addTo adds the amounts to those of a month, the first at the first of the values and every other one from there.
func (a *cardAmounts) addTo(values []int64, e *walkedExpectation) error {
	var of [ledger.MonthAmountCount]ledger.Amount
	if e.class.IsReversal() {
		of[ledger.MonthCancelledGross], of[ledger.MonthCancelledReceived] = a.gross, a.received
	} else {
		of[ledger.MonthGross], of[ledger.MonthMDR], of[ledger.MonthFees] = a.gross, a.mdr, a.fees
		of[ledger.MonthAnticipation], of[ledger.MonthSplits], of[ledger.MonthNetExpected] = a.anticipation, a.splits, a.net
		of[ledger.MonthDifference] = a.netContract - a.net
		switch e.rest {
		case ledger.LineBlocked:
			of[ledger.MonthBlocked] = a.net - a.received
		case ledger.LineOverdue:
			of[ledger.MonthOverdue] = a.net - a.received
		case ledger.LineNotDue, ledger.LineNoForecast:
			of[ledger.MonthNotDue] = a.net - a.received
		default:
			of[ledger.MonthReceived] = a.received
			of[ledger.MonthShort], of[ledger.MonthOver] = max(a.net-a.received, 0), max(a.received-a.net, 0)
			of[ledger.MonthDifference] += a.net - a.received
		}
	}
	for i, amount := range of {
		if err := addValue(&values[2*i], int64(amount)); err != nil {
			return err
		}
	}
	return nil
}

// addDifference adds an installment to the other side of the bridge; paid is the most that an earlier version of it had received, from 0.
func (c *Cards) addDifference(e *walkedExpectation, v *walkedVersion, paid ledger.Amount) error {
	received, open := v.received, v.gross
	if e.class.IsReversal() && received < 0 {
		received += paid
	}
	if e.class != ledger.Open {
		open = 0
	}
	g := dayGroup{e.Day, e.brand, e.product}
	sum := c.sums[g]
	if sum == nil {
		sum = &daySum{}
		if c.sums == nil {
			c.sums = make(map[dayGroup]*daySum)
		}
		c.sums[g] = sum
	}
	c.dayOf(e.Day).addAmount(allDifferences, e.netContract-received)
	var err error
	if sum.difference, err = sum.difference.Add(e.netContract - received); err != nil {
		return err
	}
	sum.open, err = sum.open.Add(open)
	return err
}

// addCard adds an installment to the other side of the bridge, to the sums of its day, to the months of both bases, to the forecast and to what waits. Those
// of a day, NSU and authorization come one after the other. paid is the most that an earlier version of it had received, from 0.
func (c *Cards) addCard(e *walkedExpectation, v *walkedVersion, paid ledger.Amount) error {
	if err := c.addDifference(e, v, paid); err != nil {
		return err
	}
	printed, exact := printedAmounts(e, v), exactAmounts(e, v)
	if e.Day != c.sale.Day || e.NSU != c.sale.NSU || e.Auth != c.sale.Auth {
		c.sale, c.saleParts, c.saleLines = e.RowKey, c.saleParts[:0], c.saleLines[:0]
	}
	if err := c.addToDay(e, v, &printed); err != nil {
		return err
	}
	add := func(basis string, day ledger.Date) error {
		part := c.monthPart(monthKey{basis, e.Day, day.MonthStart(), e.brand})
		if !e.class.IsReversal() {
			part[1]++
			if counted := (salePart{part, v.sale}); !slices.Contains(c.saleParts, counted) {
				c.saleParts = append(c.saleParts, counted)
				part[0]++
			}
		}
		if err := printed.addTo(part[2:], e); err != nil {
			return err
		}
		return exact.addTo(part[3:], e)
	}
	if err := add(OperationBasis, e.Day); err != nil {
		return err
	}
	if v.effective != 0 {
		if err := add(CreditBasis, v.effective); err != nil {
			return err
		}
	}
	c.addToWaiting(e)
	if e.class != ledger.Open && e.class != ledger.Blocked {
		return nil
	}
	return c.addToForecast(e, v, &printed, &exact)
}

func (c *Cards) monthPart(k monthKey) *[monthValueCount]int64 {
	part := c.months[k]
	if part == nil {
		part = new([monthValueCount]int64)
		if c.months == nil {
			c.months = make(map[monthKey]*[monthValueCount]int64)
		}
		c.months[k] = part
	}
	return part
}

// addToForecast adds what is to be received of an installment that is open or blocked, and what of it is passed on.
func (c *Cards) addToForecast(e *walkedExpectation, v *walkedVersion, printed, exact *cardAmounts) error {
	open := e.net - e.received
	k := forecastKey{ledger.ForecastCards, e.Day, v.forecast}
	switch e.rest {
	case ledger.LineOverdue:
		k.kind, k.day = ledger.LateCards, 0
	case ledger.LineBlocked:
		k.kind = ledger.ForecastBlocked
	case ledger.LineNotDue, ledger.LineNoForecast:
		if printed.splits != 0 || exact.splits != 0 {
			if err := c.addForecast(forecastKey{ledger.ForecastSplits, e.Day, v.forecast}, printed.splits, exact.splits); err != nil {
				return err
			}
		}
	default:
		return nil
	}
	return c.addForecast(k, open.Rounded(ledger.HalfAwayFromZero), open)
}

func (c *Cards) addForecast(k forecastKey, printed, exact ledger.Amount) error {
	part := c.forecast[k]
	if part == nil {
		part = new([forecastValueCount]int64)
		if c.forecast == nil {
			c.forecast = make(map[forecastKey]*[forecastValueCount]int64)
		}
		c.forecast[k] = part
	}
	return AddValues(part[:], []int64{1, int64(printed), int64(exact)})
}
