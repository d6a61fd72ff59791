package rules

import (
	"math/bits"

	"concilia/store/ledger"
)

// Fewer rows than LeastCut are no cut answer; operators cut at round numbers.
const (
	LeastCut    = 100
	RoundCut    = 100
	LargestDays = 3
	RoundDays   = 2
	Millionths  = 1_000_000
)

// RateSums are the number of installments of a group, and the sums of their MDR and gross.
type RateSums struct {
	Rows       int
	MDR, Gross ledger.Amount
}

// PercentOf is part ÷ whole in percent, to a millionth of a point; false without a whole to divide by.
func PercentOf(part, whole ledger.Amount) (ledger.Rate, bool) {
	if whole <= 0 || part < 0 {
		return 0, false
	}
	hi, lo := bits.Mul64(uint64(part), 100*Millionths)
	if hi >= uint64(whole) {
		return 0, false
	}
	q, rest := bits.Div64(hi, lo, uint64(whole))
	if rest >= uint64(whole)-rest {
		q++
	}
	return ledger.Rate(q), q <= uint64(ledger.MaxRate)
}

// MonthGroup identifies the installments of one sale month, brand, product and band.
type MonthGroup struct {
	Month   ledger.Date // its first day
	Brand   string
	Product ledger.Product
	Band    string
}

// Subject names the group in an account.
func (g MonthGroup) Subject(a ledger.Account) string {
	return ledger.Subject("month", a, Month(g.Month), g.Brand, string(g.Product), g.Band)
}

// Month formats a date as YYYY-MM, or returns empty for no date.
func Month(d ledger.Date) string {
	if d == 0 {
		return ""
	}
	return d.String()[:len("2006-01")]
}
