package shops_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"concilia/jobs/calendar"
	"concilia/jobs/rules"
	"concilia/jobs/rules/shops"
	"concilia/jobs/sales/match"
	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
)

// tuesday is the day of every sale; the 20th of November is a holiday.
var tuesday = ledger.NewDate(2026, 11, 17)

var bankDays = sync.OnceValue(func() *calendar.Calendar {
	days, err := calendar.New(calendar.Options{})
	if err != nil {
		panic(err)
	}
	return days
})

func termsAsOf(asOf ledger.Date, changed map[string]rules.Tolerance) *shops.Terms {
	return &shops.Terms{AsOf: asOf, Calendar: bankDays(), Tolerance: func(code string) rules.Tolerance {
		if t, is := changed[code]; is {
			return t
		}
		for _, r := range shops.Rules() {
			if r.Code == code {
				return r.Default
			}
		}
		return rules.Tolerance{}
	}}
}

// noonPair is a payment of 100.00 and the sale that it is, at noon, and the same in everything.
func noonPair() *shops.Pair {
	at := ledger.StartOf(tuesday) + 12*rules.HourTicks
	return &shops.Pair{
		Own: &ownsales.Payment{
			Sale: "P1", Number: 1, SoldAt: at, Timed: true, Amount: 100 * ledger.Real, Method: ownsales.MethodCredit, Status: ownsales.StatusPaid,
			Installments: 2, Brand: "visa", NSU: "1", Auth: "A1B2C3",
		},
		Sale: &match.Sale{
			Key: ledger.SaleKey{Account: 1001, Day: tuesday, NSU: "1", Auth: "A1B2C3", Occurrence: 1}, SoldAt: at, Total: 100 * ledger.Real,
			Installments: 2, Brand: "visa", Product: ledger.Credit, Live: true,
		},
		Level: 3,
	}
}

func tellFound(all []shops.Found) string {
	var out []string
	for i := range all {
		f := &all[i]
		text := fmt.Sprint(f.Code, " ", f.Expected, " ", f.Actual)
		if f.Severity != "" {
			text += " " + string(f.Severity)
		}
		if f.Hint != "" {
			text += " " + f.Hint
		}
		if f.Status == rules.Pends {
			text += " until " + f.BreakOn.String()
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

// What the rules say of a payment and the sale that it is.
func TestPairs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		says   string
		change func(*shops.Pair)
		asOf   ledger.Date
		terms  map[string]rules.Tolerance
		want   string
	}{
		{says: "equal sides are nothing"},
		{says: "a cent less at the service", change: func(p *shops.Pair) { p.Sale.Total -= ledger.Cent }, want: "SALE_AMOUNT_MISMATCH 100.00 99.99"},
		{says: "a cent more", change: func(p *shops.Pair) { p.Sale.Total += ledger.Cent }, want: "SALE_AMOUNT_MISMATCH 100.00 100.01"},
		{
			says: "a cent that is tolerated", change: func(p *shops.Pair) { p.Sale.Total -= ledger.Cent },
			terms: map[string]rules.Tolerance{shops.AmountMismatch: {Abs: ledger.Cent}},
		},
		{says: "the interest the store knows of", change: func(p *shops.Pair) {
			p.Own.Interest, p.Sale.Total = ledger.Some(5*ledger.Real), 105*ledger.Real
		}, want: "SALE_AMOUNT_MISMATCH 100.00 105.00 financed"},
		{says: "another interest", change: func(p *shops.Pair) {
			p.Own.Interest, p.Sale.Total = ledger.Some(5*ledger.Real), 106*ledger.Real
		}, want: "SALE_AMOUNT_MISMATCH 100.00 106.00"},
		{says: "other installments", change: func(p *shops.Pair) { p.Sale.Installments = 3 }, want: "SALE_INSTALLMENTS_MISMATCH 2 3"},
		{says: "a note tells no installments", change: func(p *shops.Pair) { p.Notes, p.Sale.Installments = true, 3 }},
		{says: "a store that tells none", change: func(p *shops.Pair) { p.Own.Installments = 0 }},
		{says: "another product", change: func(p *shops.Pair) { p.Sale.Product = ledger.Debit }, want: "SALE_PRODUCT_MISMATCH credit debit"},
		{says: "a product of the service in an unknown word", change: func(p *shops.Pair) { p.Sale.Product = "" }},
		{says: "a method in a word that nobody declared", change: func(p *shops.Pair) { p.Own.Method = "" }},
		{says: "another brand", change: func(p *shops.Pair) { p.Sale.Brand = "elo" }, want: "SALE_BRAND_MISMATCH visa elo"},
		{says: "a brand that the store does not tell", change: func(p *shops.Pair) { p.Own.Brand = "" }},
		{says: "a brand of the service in an unknown word", change: func(p *shops.Pair) { p.Sale.Brand = "" }},
		{says: "another day", change: func(p *shops.Pair) { p.Sale.SoldAt += 24 * rules.HourTicks }, want: "SALE_DATE_MISMATCH 2026-11-17 2026-11-18"},
		{says: "another day, near midnight", change: func(p *shops.Pair) {
			p.Own.SoldAt, p.Sale.SoldAt = ledger.StartOf(tuesday+1)-rules.HourTicks, ledger.StartOf(tuesday+1)+rules.HourTicks
		}, want: "SALE_DATE_MISMATCH 2026-11-17 2026-11-18 I"},
		{says: "a store without times, the service near midnight", change: func(p *shops.Pair) {
			p.Own.SoldAt, p.Own.Timed, p.Sale.SoldAt = ledger.StartOf(tuesday), false, ledger.StartOf(tuesday+1)+rules.HourTicks
		}, want: "SALE_DATE_MISMATCH 2026-11-17 2026-11-18 I"},
		{says: "a store without times, the service at noon", change: func(p *shops.Pair) {
			p.Own.SoldAt, p.Own.Timed, p.Sale.SoldAt = ledger.StartOf(tuesday), false, ledger.StartOf(tuesday+1)+12*rules.HourTicks
		}, want: "SALE_DATE_MISMATCH 2026-11-17 2026-11-18"},
		{says: "cancelled here", change: func(p *shops.Pair) { p.Own.Status = ownsales.StatusCancelled }, want: "SALE_CANCELLED_ONE_SIDE 0.00 100.00"},
		{says: "refunded here, and other in all else", change: func(p *shops.Pair) {
			p.Own.Status, p.Sale.Total, p.Sale.Installments, p.Sale.Brand = ownsales.StatusRefunded, 99*ledger.Real, 1, "elo"
		}, want: "SALE_CANCELLED_ONE_SIDE 0.00 99.00"},
		{says: "cancelled here yesterday", change: func(p *shops.Pair) {
			p.Own.Status, p.Own.CancelledAt = ownsales.StatusCancelled, ledger.StartOf(tuesday+1)
		}, asOf: tuesday + 2, want: "SALE_CANCELLED_ONE_SIDE 0.00 100.00 until 2026-11-20"},
		{says: "cancelled before a holiday, which is no business day", change: func(p *shops.Pair) {
			p.Own.Status, p.Own.CancelledAt = ownsales.StatusCancelled, ledger.StartOf(tuesday+2)
		}, asOf: tuesday + 6, want: "SALE_CANCELLED_ONE_SIDE 0.00 100.00 until 2026-11-24"},
		{says: "cancelled there", change: func(p *shops.Pair) { p.Sale.Live = false }, want: "SALE_CANCELLED_ONE_SIDE 100.00 0.00 cancelled_there"},
		{says: "cancelled on both sides, for other amounts", change: func(p *shops.Pair) {
			p.Own.Status, p.Sale.Live, p.Sale.Total = ownsales.StatusCancelled, false, 1
		}},
		{says: "a status in a word that nobody declared", change: func(p *shops.Pair) { p.Own.Status, p.Sale.Live, p.Sale.Brand = "", false, "elo" }},
		{says: "amount and day alone", change: func(p *shops.Pair) { p.Level = match.Weak }, want: "SALE_WEAK_MATCH  "},
		{says: "the level before", change: func(p *shops.Pair) { p.Level = match.Weak - 1 }},
	} {
		p := noonPair()
		if c.change != nil {
			c.change(p)
		}
		if c.asOf == 0 {
			c.asOf = tuesday + 30
		}
		if got := tellFound(termsAsOf(c.asOf, c.terms).EvaluatePair(p)); got != c.want {
			t.Errorf("%s: %q, want %q", c.says, got, c.want)
		}
	}
}

// What the rules say of what one side alone knows.
func TestOneSide(t *testing.T) {
	t.Parallel()
	changed := func(change func(*ownsales.Payment)) *ownsales.Payment {
		p := noonPair().Own
		change(p)
		return p
	}
	late := termsAsOf(tuesday+2, nil)
	patient := termsAsOf(tuesday+2, map[string]rules.Tolerance{shops.NotAtAcquirer: {Grace: 3}, shops.NotInERP: {Grace: 3}})
	same := func(*ownsales.Payment) {}
	for _, c := range []struct {
		says  string
		found shops.Found
		fires bool
		want  string
	}{
		{"an authorization that the service has elsewhere", late.EvaluateMissing(changed(same), true), true, "SALE_NOT_AT_ACQUIRER 100.00 0.00"},
		{"an authorization that it has not", late.EvaluateMissing(changed(same), false), true, "SALE_AUTH_UNKNOWN 100.00 0.00"},
		{"no authorization", late.EvaluateMissing(changed(func(p *ownsales.Payment) { p.Auth = "" }), false), true, "SALE_NOT_AT_ACQUIRER 100.00 0.00"},
		{"an authorization of zeros is none", late.EvaluateMissing(changed(func(p *ownsales.Payment) { p.Auth = "000000" }), false), true, "SALE_NOT_AT_ACQUIRER 100.00 0.00"},
		{"the next day is not over", termsAsOf(tuesday+1, nil).EvaluateMissing(changed(same), false), true, "SALE_AUTH_UNKNOWN 100.00 0.00 until 2026-11-19"},
		{"a longer grace", patient.EvaluateMissing(changed(same), true), true, "SALE_NOT_AT_ACQUIRER 100.00 0.00 until 2026-11-21"},
		{"cancelled: it need not be anywhere", late.EvaluateMissing(changed(func(p *ownsales.Payment) { p.Status = ownsales.StatusCancelled }), false), false, ""},
		{"a status that nobody declared", late.EvaluateMissing(changed(func(p *ownsales.Payment) { p.Status = "" }), false), false, ""},
		{"a sale that no store knows", late.EvaluateUnknown(noonPair().Sale), true, "SALE_NOT_IN_ERP 0.00 100.00"},
		{"a longer grace for it", patient.EvaluateUnknown(noonPair().Sale), true, "SALE_NOT_IN_ERP 0.00 100.00 until 2026-11-21"},
		{"told twice", late.EvaluateDuplicate(changed(same)), true, "SALE_DUPLICATE_IN_ERP 100.00 0.00"},
		{"told twice, and once taken back", late.EvaluateDuplicate(changed(func(p *ownsales.Payment) { p.Status = ownsales.StatusRefunded })), false, ""},
	} {
		if fires := c.found.Status >= rules.Pends; fires != c.fires || fires && tellFound([]shops.Found{c.found}) != c.want {
			t.Errorf("%s: %s, status %d", c.says, tellFound([]shops.Found{c.found}), c.found.Status)
		}
	}
}

// A day of which no file tells everything is a case two business days later.
func TestDayWithoutFile(t *testing.T) {
	t.Parallel()
	saturday := tuesday + 4
	for _, c := range []struct {
		says     string
		day      ownsales.Day
		business bool
		asOf     ledger.Date
		fires    bool
		numbers  string
	}{
		{"two business days are not over", ownsales.Day{Day: tuesday, State: ownsales.DayMissing}, false, tuesday + 2, false, ""},
		{"they are", ownsales.Day{Day: tuesday, State: ownsales.DayMissing}, false, tuesday + 3, true, "day 2026-11-17, limit 2026-11-19"},
		{"some payments are known", ownsales.Day{Day: tuesday, State: ownsales.DayPartial, Payments: 3}, false, tuesday + 3, true, "day 2026-11-17, limit 2026-11-19, payments 3"},
		{"told whole", ownsales.Day{Day: tuesday, State: ownsales.DayComplete}, false, tuesday + 30, false, ""},
		{"a Saturday of a store that sells every day", ownsales.Day{Day: saturday, State: ownsales.DayMissing}, false, saturday + 4, true, "day 2026-11-21, limit 2026-11-24"},
		{"a Saturday of one whose files are of business days", ownsales.Day{Day: saturday, State: ownsales.DayMissing}, true, saturday + 30, false, ""},
	} {
		o := termsAsOf(c.asOf, nil).EvaluateDay(&c.day, c.business)
		var numbers []string
		for _, n := range o.Numbers {
			numbers = append(numbers, n.Name+" "+n.Value)
		}
		if (o.Status == rules.Fires) != c.fires || strings.Join(numbers, ", ") != c.numbers {
			t.Errorf("%s: status %d, %v", c.says, o.Status, numbers)
		}
	}
}
